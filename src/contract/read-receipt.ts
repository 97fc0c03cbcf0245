import { z } from 'zod';
import { calls } from './call.ts';
import { channelParam } from './channel.ts';
import { ephemeralEvent } from './event.ts';
import { idSchema, record } from './schema.ts';

export const receiptChoiceSchema = z.object({
  sendsReceipts: z
    .boolean()
    .describe('Whether you show others how far you have read, and see how far they have. Off until you turn it on.'),
});

const receiptSchema = z.object({
  userId: idSchema,
  lastReadSeq: z.number().int().describe('They have read the messages up to this `seq`.'),
});

export const channelReceiptsSchema = record('ReadReceipts', {
  channelId: idSchema,
  isOffered: z.boolean().describe('There are receipts here: direct messages, or a private channel of few people.'),
  receipts: z.array(receiptSchema).describe('Of others. Empty unless you send receipts yourself.'),
});

export const channelReceipts = ephemeralEvent({
  name: 'channel:receipts',
  summary:
    'Others have read on in direct messages, or in a private channel of few people. About once a second; read them anew after a break.',
  room: 'user',
  payload: z.object({
    channelId: idSchema,
    receipts: z.array(
      z.object({
        userId: idSchema,
        lastReadSeq: z.number().int().nullable().describe('Null: they send no receipts any more.'),
      }),
    ),
  }),
});

export const receiptChoiceChanged = ephemeralEvent({
  name: 'receipts:choice',
  summary: 'You have turned read receipts on or off, on this or another device.',
  room: 'user',
  payload: receiptChoiceSchema,
});

export const receiptCalls = calls('Read receipts', {
  getReceiptChoice: {
    method: 'GET',
    path: '/api/read-receipts',
    summary: 'Whether you send read receipts.',
    answer: receiptChoiceSchema,
  },
  setReceiptChoice: {
    method: 'PUT',
    path: '/api/read-receipts',
    summary: 'Turn read receipts on or off: who sends none sees none. Not for bots.',
    body: receiptChoiceSchema,
    answer: receiptChoiceSchema,
    errors: ['FORBIDDEN'],
  },
  listReceipts: {
    method: 'GET',
    path: '/api/channels/:id/receipts',
    summary: 'How far others have read, of those who show it.',
    params: { id: channelParam },
    answer: channelReceiptsSchema,
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'FORBIDDEN'],
  },
});
