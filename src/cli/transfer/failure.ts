/** Why an export, an import or the steps after a restore failed, in one sentence for the operator. */
export class TransferError extends Error {
  override readonly name = 'TransferError';
}
