import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { calls, uuidParam } from './call.ts';
import { durableEvent } from './event.ts';
import { doneSchema, idSchema, omittable, record, timeSchema } from './schema.ts';
import { serverHandOver } from './server-member.ts';

/** An open offer to hand a server or an agent over. */
export const handoverSchema = record('Handover', {
  id: idSchema,
  kind: z.enum(['server', 'agent']),
  serverId: idSchema.nullable(),
  agentId: idSchema.nullable(),
  name: z.string().describe('Of the server, or the display name of the agent.'),
  from: smallUserSchema.describe('The present owner.'),
  to: smallUserSchema.describe('Who may accept it.'),
  createdAt: timeSchema,
  expiresAt: timeSchema,
});

export const offerSchema = z
  .object({
    userId: idSchema.describe('Who is to own it; for a server one of its members.'),
    serverId: omittable(idSchema),
    agentId: omittable(idSchema),
  })
  .refine(({ serverId, agentId }) => (serverId === undefined) !== (agentId === undefined), {
    path: ['serverId'],
    message: 'must be given, or agentId',
  });

const outcomes = ['accepted', 'declined', 'withdrawn'] as const;
export type HandoverOutcome = (typeof outcomes)[number];

export const handoverOffered = durableEvent({
  name: 'handover:offered',
  summary: 'Someone offers you a server or an agent, or you offered one on another device; `from` says who.',
  room: 'user',
  payload: z.object({ handover: handoverSchema }),
});

export const handoverEnded = durableEvent({
  name: 'handover:ended',
  summary: 'An offer to you, or of yours, was accepted, declined or withdrawn. One that expires has no event.',
  room: 'user',
  payload: z.object({ handover: handoverSchema, outcome: z.enum(outcomes) }),
});

const params = { id: uuidParam('HANDOVER_NOT_FOUND', 'Id of the offer.') };
const offers = z.array(handoverSchema);

/** Why something cannot be offered to someone. */
export const offerErrors = [
  'SERVER_NOT_FOUND',
  'NOT_A_MEMBER',
  'ROLE_REQUIRED',
  'NOT_IN_SERVER',
  'AGENT_NOT_FOUND',
  'USER_NOT_FOUND',
  'USER_BLOCKED',
  'OWN_USER',
  'HANDOVER_LIMIT',
  'FORBIDDEN',
  'INSUFFICIENT_PAT_SCOPE',
] as const;

export const handoverCalls = calls('Accounts', {
  listHandovers: {
    method: 'GET',
    path: '/api/handovers',
    summary: 'The open offers to hand a server or an agent over: those to you, and yours, newest first.',
    answer: z.object({ received: offers, sent: offers }),
  },
  offerHandover: {
    method: 'POST',
    path: '/api/handovers',
    summary:
      'Offer a server or an agent of yours to someone, who has a week to accept. It replaces an earlier offer of it.',
    confirmed: true,
    body: offerSchema,
    status: 201,
    answer: handoverSchema,
    errors: [...offerErrors],
    audit: { none: 'Nothing has changed until it is accepted.' },
  },
  acceptHandover: {
    method: 'POST',
    path: '/api/handovers/:id/accept',
    summary:
      'Become the owner. The previous owner of a server is an admin of it; the tokens and the webhook of an agent end, so give it a new token.',
    params,
    answer: doneSchema.extend({ handover: handoverSchema }),
    errors: [
      'HANDOVER_NOT_FOUND',
      'NOT_IN_SERVER',
      'SERVER_LIMIT',
      'AGENT_LIMIT',
      'FORBIDDEN',
      'INSUFFICIENT_PAT_SCOPE',
    ],
    audit: [serverHandOver],
  },
  declineHandover: {
    method: 'POST',
    path: '/api/handovers/:id/decline',
    summary: 'Turn an offer to you down.',
    params,
    answer: doneSchema,
    errors: ['HANDOVER_NOT_FOUND'],
  },
  withdrawHandover: {
    method: 'DELETE',
    path: '/api/handovers/:id',
    summary: 'Take an offer of yours back.',
    params,
    answer: doneSchema,
    errors: ['HANDOVER_NOT_FOUND'],
  },
});
