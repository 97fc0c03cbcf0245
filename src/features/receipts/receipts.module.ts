import { receiptCalls } from '../../contract/read-receipt.ts';
import { serve } from '../../rest/route.ts';
import type { Context } from '../context.ts';
import type { Module } from '../module.ts';
import { Receipts } from './receipts.ts';

export type ReceiptsServices = ReturnType<typeof receiptsModule>['services'];

/** Read receipts, of those who choose to send and see them (contract §7). */
export function receiptsModule(context: Context) {
  const receipts = new Receipts(context);
  return {
    services: { receipts },
    routes: serve(receiptCalls, {
      getReceiptChoice: ({ actor }) => receipts.choice(actor),
      setReceiptChoice: ({ actor, body }) => receipts.choose(actor, body),
      listReceipts: ({ actor, params }) => receipts.of(actor, params.id),
    }),
    close: () => receipts.close(),
  } satisfies Module;
}
