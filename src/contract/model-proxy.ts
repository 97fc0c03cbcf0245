import { z } from 'zod';
import { calls, pathParam, uuidParam } from './call.ts';
import type { ErrorCode } from './error-codes.ts';
import { AppError } from './errors.ts';
import { doneSchema, idSchema, limitSchema, nameSchema, omittable, record, timeSchema } from './schema.ts';
import { streamErrors, streamIdSchema } from './stream.ts';

const modelName = z.string().trim().min(1).max(200);

export const mintTokenSchema = z.object({
  runtimeId: nameSchema(200),
  templateSlug: nameSchema(200).nullish(),
  expiresInDays: omittable(z.number().int().min(1).max(365)).describe('30 unless told.'),
  models: omittable(z.array(modelName).min(1).max(100)).describe('Only these; without it all that are offered.'),
});

export const modelTokenSchema = record('ModelToken', {
  id: idSchema,
  runtimeId: z.string(),
  templateSlug: z.string().nullable(),
  models: z.array(z.string()).nullable(),
  expiresAt: timeSchema,
  createdAt: timeSchema,
});

/** Shown once; a repeated Idempotency-Key gets null. */
export const mintedTokenSchema = record('MintedModelToken', {
  ...modelTokenSchema.shape,
  token: z.string().nullable(),
});

const counts = {
  requests: z.number().int(),
  promptTokens: z.number().int(),
  completionTokens: z.number().int(),
};

export const usageQuerySchema = z.object({ days: limitSchema(366, 30).describe('How many days, today included.') });

export const usageSchema = record('ModelUsage', {
  items: z.array(
    z.object({
      day: z.iso.date(),
      tokenId: idSchema.nullable().describe('Null: used with an access token.'),
      model: z.string(),
      ...counts,
    }),
  ),
  total: z.object(counts),
});

/** The caller's token: `Authorization: Bearer …` or `x-api-key`. */
export const callerHeaders = z.object({
  authorization: z.string().max(8192).optional().describe('Bearer and an `smp_` token, or an access token.'),
  'x-api-key': z.string().max(8192).optional().describe('The same token, for clients that send it here.'),
});

const modelSchema = z.looseObject({
  id: z.string(),
  object: z.literal('model'),
  created: z.number().int(),
  owned_by: z.string(),
});

export const modelItemSchema = modelSchema;
export const modelListSchema = z.object({ object: z.literal('list'), data: z.array(modelSchema) });

export const deliverSchema = z.object({
  channelId: idSchema,
  replyToId: idSchema.nullish(),
  threadId: idSchema.nullish(),
  streamId: omittable(streamIdSchema).describe('As of `message:stream`; made up unless told.'),
  agentId: idSchema
    .nullish()
    .describe('In whose name, for a person with an access token; others speak as the bot that their token is for.'),
});

/** Other fields are passed to the provider unchanged. */
export const chatSchema = z.looseObject({
  model: modelName,
  messages: z.array(z.looseObject({ role: z.string() })).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  deliver: deliverSchema
    .nullish()
    .describe(
      'Streams the answer into a channel, in the name of a bot: its own token, or a `smp_` token whose `runtimeId` is the id of the agent. The response is one JSON object at the end, with `delivered { channelId, streamId, message }`.',
    ),
});

export const embeddingsSchema = z.looseObject({
  model: modelName,
  input: z.union([z.string(), z.array(z.unknown()).min(1)]),
});

const reply = { role: 'assistant', content: 'Because blue light is scattered most.' };

/** The provider's responses are passed on unchanged. */
export const chatAnswerSchema = z.looseObject({}).meta({
  description: "The provider's response; with `stream` server-sent events of `chat.completion.chunk`.",
  examples: [{ id: 'chatcmpl-1', object: 'chat.completion', choices: [{ index: 0, message: reply }] }],
});

export const embeddingsAnswerSchema = z.looseObject({}).meta({
  description: 'As the provider answers.',
  examples: [{ object: 'list', data: [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }] }],
});

/** The body of an error in the format of OpenAI's clients (contract §8). */
const openAiErrorSchema = (codes: ErrorCode[]) => {
  const ours = z.enum(codes);
  const theirs = z.string().describe("A word of the provider's, as `context_length_exceeded`.");
  const code = codes.includes('MODEL_REQUEST_REFUSED') ? z.union([ours, theirs]) : ours;
  return z.object({ error: z.object({ message: z.string(), type: z.string(), code, param: z.string().nullable() }) });
};

type OpenAiError = z.input<ReturnType<typeof openAiErrorSchema>>;

/** The fields of a provider's error that clients act on. */
interface RefusalWords {
  type?: string | undefined;
  code?: string | undefined;
  param?: string | undefined;
}

/** The provider rejects a request, which is the caller's fault: the caller gets the provider's words. */
export class ModelRefusal extends AppError {
  readonly words: RefusalWords;

  constructor({ message, ...words }: RefusalWords & { message?: string | undefined }) {
    super('MODEL_REQUEST_REFUSED', { message });
    this.words = words;
  }
}

/** An error in OpenAI's form; a refusal by the provider keeps its words. */
export function openAiError(error: AppError): OpenAiError {
  const { type, code, param } = error instanceof ModelRefusal ? error.words : {};
  const { message, status } = error;
  return { error: { message, type: type ?? typeOf(status), code: code ?? error.code, param: param ?? null } };
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'server_error';
}

const tag = 'Models';
/** The common part of the calls to models: their callers use tokens of their own. */
const proxied = {
  auth: 'none',
  headers: callerHeaders,
  errorForm: { base: '/api/ai/v1', schema: openAiErrorSchema, body: openAiError },
  errors: [
    'AUTH_TOKEN_MISSING',
    'ACCESS_TOKEN_INVALID',
    'SESSION_REVOKED',
    'ACCOUNT_SUSPENDED',
    'AGENT_STOPPED',
    'SECOND_FACTOR_SETUP_REQUIRED',
    'INVITE_REQUIRED',
    'FORBIDDEN',
    'INSUFFICIENT_PAT_SCOPE',
    'MODEL_NOT_FOUND',
    'MODEL_REQUEST_REFUSED',
    'RATE_LIMITED',
    'MODEL_PROXY_UPSTREAM_ERROR',
    'MODEL_PROXY_NOT_CONFIGURED',
    'MODEL_PROXY_TIMEOUT',
  ],
} as const;

export const modelProxyCalls = calls(tag, {
  listModels: {
    ...proxied,
    method: 'GET',
    path: '/api/ai/v1/models',
    summary: 'The models that you may ask.',
    answer: modelListSchema,
  },
  getModel: {
    ...proxied,
    method: 'GET',
    path: '/api/ai/v1/models/*model',
    summary: 'A model that you may ask.',
    params: { model: pathParam('MODEL_NOT_FOUND', 'Id of the model; it may have slashes.') },
    answer: modelItemSchema,
  },
  createChatCompletion: {
    ...proxied,
    method: 'POST',
    path: '/api/ai/v1/chat/completions',
    summary: 'Call a model; with `stream` the answer comes as server-sent events.',
    errors: [...proxied.errors, ...streamErrors, 'AGENT_NOT_FOUND', 'AGENT_STOPPED'],
    audit: { none: 'What it delivers is what bots do, and there for all to see.' },
    body: chatSchema,
    answer: chatAnswerSchema,
    produces: 'application/json',
    streams: true,
  },
  createEmbeddings: {
    ...proxied,
    method: 'POST',
    path: '/api/ai/v1/embeddings',
    summary: 'Vectors for texts.',
    body: embeddingsSchema,
    answer: embeddingsAnswerSchema,
    produces: 'application/json',
  },
});

export const modelTokenCalls = calls(tag, {
  createModelToken: {
    method: 'POST',
    path: '/api/ai/tokens',
    confirmed: true,
    summary: 'A token for a runtime, which can only call models. Needs the capability cloud:deploy.',
    body: mintTokenSchema,
    status: 201,
    answer: mintedTokenSchema,
    shownOnce: ['token'],
    errors: ['INVITE_REQUIRED', 'TOKEN_LIMIT', 'INSUFFICIENT_PAT_SCOPE'],
  },
  listModelTokens: {
    method: 'GET',
    path: '/api/ai/tokens',
    summary: 'Your tokens for runtimes, newest first.',
    answer: z.array(modelTokenSchema),
  },
  revokeModelToken: {
    method: 'DELETE',
    path: '/api/ai/tokens/:id',
    summary: "Revoke a runtime's token, at once.",
    limit: null,
    params: { id: uuidParam('TOKEN_NOT_FOUND', 'Id of the token.') },
    answer: doneSchema,
    errors: ['TOKEN_NOT_FOUND'],
  },
  getModelUsage: {
    method: 'GET',
    path: '/api/ai/usage',
    summary: 'Usage of the models by you and your tokens.',
    query: usageQuerySchema,
    answer: usageSchema,
  },
});
