import { z } from 'zod';
import { idSchema, limitSchema, nameSchema, omittable, record, timeSchema } from './schema.ts';

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

/** Other fields go to the provider unchanged. */
export const chatSchema = z.looseObject({
  model: modelName,
  messages: z.array(z.looseObject({ role: z.string() })).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
});

export const embeddingsSchema = z.looseObject({
  model: modelName,
  input: z.union([z.string(), z.array(z.unknown()).min(1)]),
});

const reply = { role: 'assistant', content: 'Because blue light is scattered most.' };

/** Responses are passed on as the provider gives them. */
export const chatAnswerSchema = z.looseObject({}).meta({
  description: "The provider's response; with `stream` server-sent events of `chat.completion.chunk`.",
  examples: [{ id: 'chatcmpl-1', object: 'chat.completion', choices: [{ index: 0, message: reply }] }],
});

export const embeddingsAnswerSchema = z.looseObject({}).meta({
  description: 'As the provider answers.',
  examples: [{ object: 'list', data: [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }] }],
});
