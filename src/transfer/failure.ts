/** Why an export, an import or what follows a restore ends, in one sentence for the operator. */
export class TransferError extends Error {
  override readonly name = 'TransferError';
}
