import { z } from 'zod';
import type { ErrorCode } from '../../contract/errors.ts';
import {
  callerHeaders,
  chatAnswerSchema,
  chatSchema,
  embeddingsAnswerSchema,
  embeddingsSchema,
  mintedTokenSchema,
  mintTokenSchema,
  modelItemSchema,
  modelListSchema,
  modelTokenSchema,
  usageQuerySchema,
  usageSchema,
} from '../../contract/model-proxy.ts';
import { done, doneSchema } from '../../contract/schema.ts';
import { pathParam, RawReply, type Route, route, uuidParam } from '../../rest/route.ts';
import type { ModelCallers } from './model-callers.ts';
import type { ModelAnswer, ModelProxy } from './model-proxy.service.ts';
import type { ModelTokenService } from './model-token.service.ts';
import type { ModelUsageService } from './model-usage.service.ts';
import { openAiForm } from './openai-error.ts';

const tag = 'Models';
const errors: ErrorCode[] = [
  'AUTH_TOKEN_MISSING',
  'ACCESS_TOKEN_INVALID',
  'SESSION_REVOKED',
  'ACCOUNT_SUSPENDED',
  'AGENT_STOPPED',
  'INVITE_REQUIRED',
  'FORBIDDEN',
  'MODEL_NOT_FOUND',
  'MODEL_REQUEST_REFUSED',
  'RATE_LIMITED',
  'MODEL_PROXY_UPSTREAM_ERROR',
  'MODEL_PROXY_NOT_CONFIGURED',
  'MODEL_PROXY_TIMEOUT',
];
const toReply = ({ headers, body }: ModelAnswer) => new RawReply(200, headers, body);

export function modelProxyRoutes(callers: ModelCallers, proxy: ModelProxy): Route[] {
  /** What these routes have in common: their callers use tokens of their own. */
  const proxied = {
    tag,
    headers: callerHeaders,
    admit: ({ headers, ip }: { headers: z.output<typeof callerHeaders>; ip: string }) => callers.enter(headers, ip),
    errorForm: openAiForm,
    errors,
  };
  return [
    route({
      ...proxied,
      auth: 'none',
      method: 'GET',
      path: '/api/ai/v1/models',
      summary: 'The models that you may ask.',
      answer: modelListSchema,
      handle: ({ caller, signal }) => proxy.models(caller, signal()),
    }),
    route({
      ...proxied,
      auth: 'none',
      method: 'GET',
      path: '/api/ai/v1/models/*model',
      summary: 'A model that you may ask.',
      params: { model: pathParam('MODEL_NOT_FOUND', 'Id of the model; it may have slashes.') },
      answer: modelItemSchema,
      handle: ({ caller, params, signal }) => proxy.model(caller, params.model, signal()),
    }),
    route({
      ...proxied,
      auth: 'none',
      method: 'POST',
      path: '/api/ai/v1/chat/completions',
      summary: 'Call a model; with `stream` the answer comes as server-sent events.',
      body: chatSchema,
      answer: chatAnswerSchema,
      produces: 'application/json',
      streams: true,
      handle: async ({ caller, body, signal }) => toReply(await proxy.chat(caller, body, signal())),
    }),
    route({
      ...proxied,
      auth: 'none',
      method: 'POST',
      path: '/api/ai/v1/embeddings',
      summary: 'Vectors for texts.',
      body: embeddingsSchema,
      answer: embeddingsAnswerSchema,
      produces: 'application/json',
      handle: async ({ caller, body, signal }) => toReply(await proxy.embeddings(caller, body, signal())),
    }),
  ];
}

export function modelTokenRoutes(tokens: ModelTokenService, usage: ModelUsageService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/ai/tokens',
      summary: 'A token for a runtime, which can only call models. Needs the capability cloud:deploy.',
      tag,
      auth: 'required',
      body: mintTokenSchema,
      status: 201,
      answer: mintedTokenSchema,
      shownOnce: ['token'],
      errors: ['INVITE_REQUIRED', 'TOKEN_LIMIT', 'INSUFFICIENT_PAT_SCOPE'],
      handle: ({ actor, body }) => tokens.mint(actor, body),
    }),
    route({
      method: 'GET',
      path: '/api/ai/tokens',
      summary: 'Your tokens for runtimes, newest first.',
      tag,
      auth: 'required',
      answer: z.array(modelTokenSchema),
      handle: ({ actor }) => tokens.list(actor),
    }),
    route({
      method: 'DELETE',
      path: '/api/ai/tokens/:id',
      summary: "Revoke a runtime's token, at once.",
      tag,
      auth: 'required',
      limit: null,
      params: { id: uuidParam('TOKEN_NOT_FOUND', 'Id of the token.') },
      answer: doneSchema,
      errors: ['TOKEN_NOT_FOUND'],
      async handle({ actor, params }) {
        await tokens.revoke(actor, params.id);
        return done;
      },
    }),
    route({
      method: 'GET',
      path: '/api/ai/usage',
      summary: 'Usage of the models by you and your tokens.',
      tag,
      auth: 'required',
      query: usageQuerySchema,
      answer: usageSchema,
      handle: ({ actor, query }) => usage.of(actor, query.days),
    }),
  ];
}
