import { z } from 'zod';
import { agentParam } from './agent.ts';
import { calls } from './call.ts';
import { catalogue } from './catalogue.ts';
import { commandComplete, completionSchema } from './command.ts';
import { doneSchema, idSchema, record, timeSchema, withDefault } from './schema.ts';

export const putWebhookSchema = z.object({
  url: z
    .url({ protocol: /^https?$/, error: 'must be an https address' })
    .max(2048)
    .describe('Where events are sent by POST; https, plain http only for hosts that the operator allows.'),
});

const roomSchema = z
  .string()
  .describe("`channel:<id>`, or `user:<id>` for the bot's own room.")
  .meta({ example: 'channel:019a9d3e-7a3c-7b1e-9c55-3f0d7a1c2b4d' });

export const webhookSchema = record('Webhook', {
  agentId: idSchema,
  url: z.string(),
  state: z
    .enum(['active', 'failing', 'dead', 'gone', 'paused'])
    .describe(
      '`failing`: some rooms wait for their next try. `dead`: given up after failing for too long, `gone`: your address answered 410, `paused`: the token of the bot was renewed, or the session that set the address was revoked; nothing is sent in any of them until its owner enables it again.',
    ),
  failingSince: timeSchema.nullable(),
  stoppedAt: timeSchema.nullable().describe('When it became dead, gone or paused.'),
  lastError: z.string().nullable(),
  lastErrorAt: timeSchema.nullable(),
  lastDeliveredAt: timeSchema.nullable(),
  pending: z.number().int().describe('Events that wait, also those that turn out not to be for the bot.'),
  failing: z
    .array(
      z.object({
        room: roomSchema,
        seq: z.number().int().describe('The event after this one is the one that fails.'),
        attempts: z.number().int(),
        error: z.string().nullable(),
        since: timeSchema,
        nextAttemptAt: timeSchema,
      }),
    )
    .describe('Rooms whose next event fails, up to 20; the others go on.'),
  previousSecretUntil: timeSchema.nullable().describe('Until then events are signed with the previous secrets too.'),
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

const secretSchema = z.string().nullable().describe('`whsec_…`: shown this once. Null: it is still the one you have.');
export const webhookWithSecretSchema = webhookSchema.extend({ secret: secretSchema });

export const enableWebhookSchema = z.object({
  skip: withDefault(z.boolean(), false).describe('True: what waits is not delivered any more; go on from now.'),
});

export const webhookTestSchema = z.object({
  ok: z.literal(true),
  delivered: z.boolean(),
  error: z.string().nullable(),
  durationMs: z.number().int(),
});

/** The body of a delivery: the event's name, and its payload with room and time. */
function deliverySchema(type: string, data: z.ZodType) {
  return z.object({
    type: z.literal(type),
    timestamp: timeSchema.describe('When it happened.'),
    agentId: idSchema,
    room: roomSchema.nullable(),
    seq: z.number().int().nullable().describe('Its number in its room; what comes later there has a higher one.'),
    data,
  });
}

const numbered = z.object({ eventSeq: z.number().int().describe('The same as `seq`.') });

const lostSchema = z.object({
  channelId: idSchema.nullable().describe("Null: the bot's own room."),
  after: z.number().int().describe('The last event before the hole.'),
  seq: z.number().int().describe('The last event in it.'),
  recovered: z.literal(false),
});

/** All events that a webhook may get: the durable events of rooms, exactly as sockets get them, and three of its own. */
export function webhookDeliveries() {
  const ofRooms = catalogue
    .filter(({ durable }) => durable)
    .map((event) => ({ ...event, payload: event.payload.and(numbered) }));
  const own = [
    {
      name: 'events:lost',
      summary: 'Events left the log before they were delivered; reload the lists.',
      payload: lostSchema,
    },
    {
      name: commandComplete.name,
      summary:
        'Someone types a value for a command of yours: respond with `{ "choices": [{ value, label }] }` within 3 s.',
      payload: completionSchema,
    },
    { name: 'webhook:test', summary: 'You asked for it.', payload: z.object({ agentId: idSchema }) },
  ];
  return [...ofRooms, ...own].map(({ name, summary, payload }) => ({
    name,
    summary,
    payload: deliverySchema(name, payload),
  }));
}

const params = { id: agentParam };
const careErrors = ['WEBHOOK_NOT_FOUND', 'INSUFFICIENT_PAT_SCOPE', 'FORBIDDEN'] as const;

/** For the owner of an agent; the bot itself only sees the state. */
export const webhookCalls = calls('Webhooks', {
  getWebhook: {
    method: 'GET',
    path: '/api/agents/:id/webhook',
    summary: 'The webhook of an agent, and how its deliveries go.',
    params,
    answer: webhookSchema,
    errors: ['WEBHOOK_NOT_FOUND'],
  },
  setWebhook: {
    method: 'PUT',
    path: '/api/agents/:id/webhook',
    confirmed: true,
    summary: 'Set the address to which an agent’s events are delivered from now on.',
    params,
    body: putWebhookSchema,
    answer: webhookWithSecretSchema,
    errors: ['UNSAFE_URL', 'INSUFFICIENT_PAT_SCOPE', 'FORBIDDEN'],
    limit: 'webhooks',
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/api/agents/:id/webhook',
    summary: 'Delete the webhook; pending deliveries are dropped.',
    params,
    answer: doneSchema,
    errors: ['WEBHOOK_NOT_FOUND', 'FORBIDDEN'],
  },
  createWebhookSecret: {
    method: 'POST',
    path: '/api/agents/:id/webhook/secret',
    confirmed: true,
    summary: 'A new secret. For a day deliveries are signed with those before too, up to four.',
    params,
    status: 201,
    answer: webhookWithSecretSchema,
    shownOnce: ['secret'],
    errors: careErrors,
  },
  enableWebhook: {
    method: 'POST',
    path: '/api/agents/:id/webhook/enable',
    summary:
      'Resume deliveries that were given up or paused, or with `skip` from now; also retries failing ones at once.',
    params,
    body: enableWebhookSchema,
    answer: webhookSchema,
    errors: careErrors,
  },
  testWebhook: {
    method: 'POST',
    path: '/api/agents/:id/webhook/test',
    summary: 'Send a `webhook:test` now, and get the result.',
    params,
    answer: webhookTestSchema,
    errors: careErrors,
    limit: 'webhooks',
    repeats: 'never',
  },
});
