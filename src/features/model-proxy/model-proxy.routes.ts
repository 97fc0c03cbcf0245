import type { z } from 'zod';
import { type callerHeaders, modelProxyCalls, modelTokenCalls } from '../../contract/model-proxy.ts';
import { done } from '../../contract/schema.ts';
import { admitting, RawReply, type Route, serve } from '../../rest/route.ts';
import type { ModelCallers } from './model-callers.ts';
import type { ModelAnswer, ModelProxy } from './model-proxy.service.ts';
import type { ModelTokenService } from './model-token.service.ts';
import type { ModelUsageService } from './model-usage.service.ts';

const toReply = ({ headers, body }: ModelAnswer) => new RawReply(200, headers, body);

export function modelProxyRoutes(callers: ModelCallers, proxy: ModelProxy): Route[] {
  const admit = ({ headers, ip }: { headers: z.output<typeof callerHeaders>; ip: string }) =>
    callers.enter(headers, ip);
  return serve(modelProxyCalls, {
    listModels: admitting(admit, ({ caller, signal }) => proxy.models(caller, signal())),
    getModel: admitting(admit, ({ caller, params, signal }) => proxy.model(caller, params.model, signal())),
    createChatCompletion: admitting(admit, async ({ caller, body, signal }) =>
      toReply(await proxy.chat(caller, body, signal())),
    ),
    createEmbeddings: admitting(admit, async ({ caller, body, signal }) =>
      toReply(await proxy.embeddings(caller, body, signal())),
    ),
  });
}

export function modelTokenRoutes(tokens: ModelTokenService, usage: ModelUsageService): Route[] {
  return serve(modelTokenCalls, {
    createModelToken: ({ actor, body }) => tokens.mint(actor, body),
    listModelTokens: ({ actor }) => tokens.list(actor),
    async revokeModelToken({ actor, params }) {
      await tokens.revoke(actor, params.id);
      return done;
    },
    getModelUsage: ({ actor, query }) => usage.of(actor, query.days),
  });
}
