import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { attachmentSchema } from './attachment.ts';
import { calls, uuidParam } from './call.ts';
import { channelParam } from './channel.ts';
import { componentsSchema } from './component.ts';
import { durableEvent } from './event.ts';
import { forwardedSchema } from './forwarded.ts';
import { messageSchema } from './message.ts';
import { heldApprove, heldReject } from './moderation-actions.ts';
import { newPollSchema } from './poll.ts';
import { doneSchema, idSchema, limitSchema, record, timeSchema } from './schema.ts';
import { serverParam } from './server.ts';

/** What became of something held. */
export const heldStates = ['waiting', 'approved', 'rejected', 'withdrawn'] as const;
export type HeldState = (typeof heldStates)[number];

export const heldKinds = ['message', 'edit'] as const;
export type HeldKind = (typeof heldKinds)[number];

export const heldReasons = ['filter', 'new-member-link'] as const;
export type HeldReason = (typeof heldReasons)[number];

/** How many messages of one person wait in one server at most. */
export const maxHeld = 20;

/** It has no field `seq`: nothing that shows messages takes it for one. */
export const heldSchema = record('HeldMessage', {
  heldId: idSchema,
  serverId: idSchema,
  channelId: idSchema,
  threadId: idSchema.nullable(),
  kind: z.enum(heldKinds),
  messageId: idSchema.nullable().describe('The message that was to be edited, or was published.'),
  authorId: idSchema,
  author: smallUserSchema,
  content: z.string().describe('Empty once it was approved or withdrawn.'),
  previousContent: z.string().nullable().describe('Of an edit: the text that stands until it is approved.'),
  replyToId: idSchema.nullable(),
  attachments: z.array(attachmentSchema),
  metadata: z
    .record(z.string(), z.unknown())
    .nullable()
    .optional()
    .describe('What else was sent, and is published with it; for those who decide alone.'),
  poll: newPollSchema.optional().describe('The poll that is published with it.'),
  components: componentsSchema.optional().describe('The components that are published with it.'),
  reason: z.enum(heldReasons),
  pattern: z.string().nullable().optional().describe('The entry that it was held for; for those who decide alone.'),
  isOwn: z
    .boolean()
    .optional()
    .describe('In the list of those who decide: whether the caller answers for its author, and so may not decide.'),
  status: z.enum(heldStates),
  nonce: z.string().nullable().optional().describe('For the author, as sent.'),
  createdAt: timeSchema,
  decidedAt: timeSchema.nullable(),
  forwarded: forwardedSchema.optional().describe('What it forwards.'),
});

export type HeldRecord = z.output<typeof heldSchema>;

export const heldCreated = durableEvent({
  name: 'held:created',
  summary: 'A message waits for a moderator: told to its author and to those who decide.',
  room: 'user',
  payload: z.object({ serverId: idSchema, held: heldSchema }),
});

export const heldDecided = durableEvent({
  name: 'held:decided',
  summary: 'A held message was approved, rejected or withdrawn: told to its author and to those who decide.',
  room: 'user',
  payload: z.object({ serverId: idSchema, held: heldSchema }),
});

export const listHeldSchema = z.object({
  limit: limitSchema(100, 50),
  cursor: z.string().optional().describe('`heldId` of the last one of the page before.'),
});

const id = uuidParam('HELD_NOT_FOUND', 'Id of the held message.');
const decideErrors = ['HELD_NOT_FOUND', 'ROLE_REQUIRED', 'HELD_DECIDED', 'FORBIDDEN'] as const;

export const heldCalls = calls('Messages', {
  listHeld: {
    method: 'GET',
    path: '/api/servers/:id/held',
    summary:
      'What waits for a moderator in channels that you may know of, and as a bot read, oldest first. Needs held:decide.',
    params: { id: serverParam },
    query: listHeldSchema,
    paged: true,
    answer: z.array(heldSchema),
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'INVALID_CURSOR'],
  },
  listOwnHeld: {
    method: 'GET',
    path: '/api/channels/:id/held',
    summary: 'Your own messages that wait for a moderator in a channel, or were rejected there, oldest first.',
    params: { id: channelParam },
    answer: z.array(heldSchema),
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER'],
  },
  approveHeld: {
    method: 'POST',
    path: '/api/held/:id/approve',
    summary: "Publish a held message as its author's. Needs held:decide.",
    params: { id },
    answer: heldSchema.extend({ message: messageSchema.describe('What was published or edited.') }),
    errors: [...decideErrors, 'HELD_NOT_POSTABLE'],
    repeats: 'never',
    audit: [heldApprove],
  },
  rejectHeld: {
    method: 'POST',
    path: '/api/held/:id/reject',
    summary: 'Reject a held message. Needs held:decide.',
    params: { id },
    answer: heldSchema,
    errors: decideErrors,
    repeats: 'never',
    audit: [heldReject],
  },
  withdrawHeld: {
    method: 'DELETE',
    path: '/api/held/:id',
    summary: 'Take back a held message of your own, or forget one that was rejected.',
    params: { id },
    answer: doneSchema,
    errors: ['HELD_NOT_FOUND', 'HELD_DECIDED'],
  },
});
