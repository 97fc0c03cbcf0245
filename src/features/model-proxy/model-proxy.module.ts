import type { AccountsServices } from '../accounts/accounts.module.ts';
import { ModelTokens } from '../accounts/model-tokens.ts';
import type { AgentsServices } from '../agents/agents.module.ts';
import type { Context } from '../context.ts';
import { ModelCallers } from './model-callers.ts';
import { ModelDeliveries } from './model-deliveries.ts';
import { modelProxyRoutes, modelTokenRoutes } from './model-proxy.routes.ts';
import { ModelProxy } from './model-proxy.service.ts';
import { ModelTokenService } from './model-token.service.ts';
import { ModelUsageService } from './model-usage.service.ts';
import { Upstream } from './upstream.ts';

/** Calls of language models on behalf of bots' runtimes (contract §8). */
export function modelProxyModule(context: Context & AccountsServices & AgentsServices) {
  const { settings, database, log } = context;
  const upstream = new Upstream(settings);
  const usage = new ModelUsageService(database, log);
  const tokens = new ModelTokenService({ ...context, modelTokens: new ModelTokens(settings) });
  const callers = new ModelCallers({ ...context, modelTokenService: tokens });
  const deliveries = new ModelDeliveries({ ...context, upstream, callers, usage });
  const proxy = new ModelProxy({ ...context, upstream, callers, usage, deliveries });
  return {
    routes: [...modelProxyRoutes(callers, proxy), ...modelTokenRoutes(tokens, usage)],
    async close() {
      await deliveries.close();
      await upstream.close();
    },
  };
}
