/** Why an export or an import ends, in one sentence for the operator. */
export class TransferError extends Error {
  override readonly name = 'TransferError';
}
