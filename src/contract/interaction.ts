import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { calls, clientEvents, uuidParam } from './call.ts';
import { componentIdSchema, formSchema, maxFieldText, sentComponentsSchema, sentFormSchema } from './component.ts';
import { durableEvent } from './event.ts';
import { invokedSchema } from './invoked.ts';
import { attachmentsShape, contentSchema, maxContent, messageSchema, nonceSchema } from './message.ts';
import { sendErrors } from './message-calls.ts';
import { doneSchema, idSchema, nameSchema, omittable, record, textSchema, timeSchema } from './schema.ts';

/** How long a use can be answered, and a reply for one person is kept (contract §6, Interactions). */
export const answerHours = 24;
/** Replies and ephemeral replies to one use. */
export const maxAnswers = 5;
/** How often a bot says something else of one use: `working`, and forms. */
export const maxChanges = 100;
/** Those that one person keeps, over all channels; the oldest go first. */
export const maxEphemerals = 100;

export const interactionKinds = ['button', 'select', 'form', 'command'] as const;

const valueSchema = z.union([
  textSchema(maxFieldText),
  z.number(),
  z.boolean(),
  z.array(z.string().max(64)).max(25),
  z.null(),
]);

/** By ids of fields; of a select by its own id, as a list; of a button nothing. */
export const valuesSchema = z
  .record(componentIdSchema, valueSchema)
  .refine((values) => Object.keys(values).length <= 25, 'must have at most 25 values');

export type Values = z.output<typeof valuesSchema>;

const states = ['waiting', 'working', 'answered'] as const;
export type UseState = (typeof states)[number];

export const interactionSchema = record('Interaction', {
  id: idSchema,
  kind: z.enum(interactionKinds),
  agentId: idSchema,
  user: smallUserSchema.describe('Who did it.'),
  serverId: idSchema.nullable(),
  channelId: idSchema,
  threadId: idSchema.nullable(),
  messageId: idSchema.nullable().describe('The message with the component.'),
  componentId: z.string().nullable(),
  command: invokedSchema.nullable(),
  parentId: idSchema.nullable().describe('The interaction that was answered with the form that this one sends.'),
  values: z.record(z.string(), valueSchema),
  createdAt: timeSchema,
  endsAt: timeSchema.describe('Until then it can be answered.'),
});

export type InteractionRecord = z.output<typeof interactionSchema>;

/** A use as the one who did it sees it. */
export const useSchema = record('Use', {
  id: idSchema,
  kind: z.enum(interactionKinds),
  agentId: idSchema,
  channelId: idSchema,
  threadId: idSchema.nullable(),
  messageId: idSchema.nullable(),
  componentId: z.string().nullable(),
  parentId: idSchema.nullable(),
  state: z
    .enum(states)
    .describe('`waiting`: the bot has said nothing yet. `working`: it is at it. `answered`: it is done with it.'),
  note: z.string().nullable().describe('What it is at.'),
  form: formSchema.nullable().describe('A form to fill in, which the bot has answered with.'),
  createdAt: timeSchema,
  updatedAt: timeSchema,
  endsAt: timeSchema,
});

export type UseRecord = z.output<typeof useSchema>;

/** A reply for one person. */
export const ephemeralSchema = record('Ephemeral', {
  id: idSchema,
  interactionId: idSchema,
  agentId: idSchema,
  author: smallUserSchema.describe('The bot.'),
  channelId: idSchema,
  threadId: idSchema.nullable(),
  replyToId: idSchema.nullable().describe('The message with the component.'),
  content: z.string(),
  createdAt: timeSchema,
  endsAt: timeSchema.describe('It is gone then.'),
});

export type EphemeralRecord = z.output<typeof ephemeralSchema>;

export const interactionCreated = durableEvent({
  name: 'interaction:created',
  summary: 'For bots: someone used a component of a message of yours, sent a form, or invoked a command.',
  room: 'user',
  payload: interactionSchema,
});

export const interactionUpdated = durableEvent({
  name: 'interaction:updated',
  summary: 'You used a component on any device, or the bot has said something to that.',
  room: 'user',
  payload: useSchema,
});

export const ephemeralCreated = durableEvent({
  name: 'ephemeral:created',
  summary: 'A bot replied to you alone.',
  room: 'user',
  payload: ephemeralSchema,
});

export const ephemeralRemoved = durableEvent({
  name: 'ephemeral:removed',
  summary: 'You dismissed a reply that only you saw, on any device, or a newer one took its place.',
  room: 'user',
  payload: z.object({ id: idSchema, channelId: idSchema }),
});

const useShape = {
  componentId: componentIdSchema,
  values: omittable(valuesSchema).describe('What was chosen or typed; a button takes none.'),
  nonce: nonceSchema.nullish().describe('The same one again, within a day, is the same use.'),
};

const submitShape = { values: valuesSchema, nonce: useShape.nonce };

const answerNonce = nonceSchema
  .nullish()
  .describe(
    `The same one again gives what came of it first; without one, one interaction has one such reply. Up to ${maxAnswers} with different ones.`,
  );

/** What a bot answers to a use. */
const answerShapes = {
  update: {
    type: z.literal('update'),
    content: contentSchema.optional(),
    components: sentComponentsSchema.nullish().describe('In place of those that it has; null: none any more.'),
  },
  reply: {
    type: z.literal('reply'),
    content: contentSchema,
    components: sentComponentsSchema.nullish(),
    ...attachmentsShape,
    nonce: answerNonce,
  },
  ephemeral: {
    type: z.literal('ephemeral'),
    content: textSchema(maxContent, z.string().min(1)),
    nonce: answerNonce,
  },
  form: { type: z.literal('form'), form: sentFormSchema },
  working: { type: z.literal('working'), note: nameSchema(100).nullish() },
  done: { type: z.literal('done') },
};

const answers = <S extends z.ZodRawShape>(more: S) =>
  z.discriminatedUnion('type', [
    z.object({ ...answerShapes.update, ...more }),
    z.object({ ...answerShapes.reply, ...more }),
    z.object({ ...answerShapes.ephemeral, ...more }),
    z.object({ ...answerShapes.form, ...more }),
    z.object({ ...answerShapes.working, ...more }),
    z.object({ ...answerShapes.done, ...more }),
  ]);

export const answerSchema = answers({}).meta({ example: { type: 'working', note: 'Looking it up' } });

export type Answer = z.output<typeof answerSchema>;

const answeredSchema = z.object({
  interactionId: idSchema,
  state: z.enum(states),
  message: messageSchema.optional().describe('Of `update` and `reply`.'),
  ephemeral: ephemeralSchema.optional(),
});

export type Answered = z.output<typeof answeredSchema>;

const tag = 'Interactions';
const id = uuidParam('INTERACTION_NOT_FOUND', 'Id of the interaction.');
const voiceErrors = [
  ...(['NOT_A_MEMBER', 'ROLE_REQUIRED', 'TIMED_OUT', 'CHANNEL_ARCHIVED', 'BLOCKED', 'USER_BLOCKED'] as const),
  ...(['FORBIDDEN', 'AGENT_NOT_FOUND', 'AGENT_STOPPED', 'BOT_ABSENT'] as const),
];
const useErrors = [
  ...(['MESSAGE_NOT_FOUND', 'COMPONENT_NOT_FOUND', 'COMPONENT_NOT_FOR_YOU', 'COMPONENT_DISABLED'] as const),
  ...(['COMPONENT_USED'] as const),
  ...voiceErrors,
];
const submitErrors = [
  ...(['INTERACTION_NOT_FOUND', 'INTERACTION_ENDED', 'MESSAGE_NOT_FOUND', 'COMPONENT_NOT_FOR_YOU'] as const),
  ...(['COMMAND_NOT_ALLOWED'] as const),
  ...voiceErrors,
];
const answerErrors = ['INTERACTION_NOT_FOUND', 'INTERACTION_ENDED', 'ANSWER_LIMIT', ...sendErrors] as const;
const usesAudit = { none: 'It is what members do; its bot is told, and says what comes of it.' } as const;

export const interactionCalls = calls(tag, {
  useComponent: {
    method: 'POST',
    path: '/api/messages/:id/uses',
    summary: 'Use a component of a message: press a button, choose options, send a form. Repeats count once.',
    params: { id: uuidParam('MESSAGE_NOT_FOUND', 'Id of the message.') },
    body: z.object(useShape).meta({ example: { componentId: 'approve' } }),
    status: 201,
    mayExist: true,
    answer: useSchema,
    errors: useErrors,
    audit: usesAudit,
  },
  submitForm: {
    method: 'POST',
    path: '/api/interactions/:id/form',
    summary: 'Send the form that a bot has answered you with.',
    params: { id },
    body: z.object(submitShape).meta({ example: { values: { reason: 'Too late' } } }),
    status: 201,
    mayExist: true,
    answer: useSchema,
    errors: submitErrors,
    audit: usesAudit,
  },
  answerInteraction: {
    method: 'POST',
    path: '/api/interactions/:id/answers',
    summary: 'Answer an interaction; for the bot that got it.',
    params: { id },
    body: answerSchema,
    answer: answeredSchema,
    errors: answerErrors,
    repeats: 'never',
    audit: usesAudit,
  },
  getInteraction: {
    method: 'GET',
    path: '/api/interactions/:id',
    summary: 'An interaction, for the bot that got it.',
    params: { id },
    answer: interactionSchema,
    errors: ['INTERACTION_NOT_FOUND'],
  },
  listUses: {
    method: 'GET',
    path: '/api/auth/me/uses',
    summary: 'What you used within the last day and no bot is done with yet, the latest 100.',
    answer: z.array(useSchema),
  },
  listEphemerals: {
    method: 'GET',
    path: '/api/auth/me/ephemerals',
    summary: 'What bots replied to you alone and you did not dismiss, oldest first.',
    answer: z.array(ephemeralSchema),
  },
  dismissEphemeral: {
    method: 'DELETE',
    path: '/api/auth/me/ephemerals/:id',
    summary: 'Dismiss such a reply on all your devices.',
    params: { id: uuidParam('EPHEMERAL_NOT_FOUND', 'Id of the reply.') },
    answer: doneSchema,
    errors: ['EPHEMERAL_NOT_FOUND'],
  },
});

const useAck = z.object({ use: useSchema });

export const interactionClientEvents = clientEvents(tag, {
  'interaction:use': {
    summary: 'Use a component of a message.',
    payload: z.object({ messageId: idSchema, ...useShape }),
    ack: useAck,
    errors: useErrors,
    limit: 'events',
    lane: { by: 'messageId' },
  },
  'interaction:submit': {
    summary: 'Send the form that a bot has answered you with.',
    payload: z.object({ interactionId: idSchema, ...submitShape }),
    ack: useAck,
    errors: submitErrors,
    limit: 'events',
    lane: { by: 'interactionId' },
  },
  'interaction:answer': {
    summary: 'Answer an interaction; for the bot that got it.',
    payload: answers({ interactionId: idSchema }),
    ack: answeredSchema,
    errors: answerErrors,
    limit: 'events',
    lane: { by: 'interactionId' },
  },
});
