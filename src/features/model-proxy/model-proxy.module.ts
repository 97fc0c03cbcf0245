import type { AccountsServices } from '../accounts/accounts.module.ts';
import { ModelTokens } from '../accounts/model-tokens.ts';
import type { Context } from '../context.ts';
import { ModelCallers } from './model-callers.ts';
import { modelProxyRoutes, modelTokenRoutes } from './model-proxy.routes.ts';
import { ModelProxy } from './model-proxy.service.ts';
import { ModelTokenService } from './model-token.service.ts';
import { ModelUsageService } from './model-usage.service.ts';
import { Upstream } from './upstream.ts';

/** Calls of language models on behalf of bots' runtimes (contract §8). */
export function modelProxyModule(context: Context & AccountsServices) {
  const { settings, database, log } = context;
  const upstream = new Upstream(settings);
  const usage = new ModelUsageService(database, log);
  const tokens = new ModelTokenService({ ...context, modelTokens: new ModelTokens(settings) });
  const callers = new ModelCallers({ ...context, modelTokenService: tokens });
  const proxy = new ModelProxy({ ...context, upstream, callers, usage });
  return {
    routes: [...modelProxyRoutes(callers, proxy), ...modelTokenRoutes(tokens, usage)],
    close: () => upstream.close(),
  };
}
