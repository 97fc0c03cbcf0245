import type { Capabilities } from '../../access/capabilities.ts';
import type { Caches } from '../../cluster/caches.ts';
import type { Database } from '../../database/database.ts';
import type { Changes } from '../../delivery/changes.ts';
import type { Log } from '../../infrastructure/log.ts';
import type { RateLimits } from '../../infrastructure/rate-limits.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Identity } from '../accounts/identity.ts';
import { ModelTokens } from '../accounts/model-tokens.ts';
import { ModelCallers } from './model-callers.ts';
import { ModelProxy } from './model-proxy.service.ts';
import { ModelTokenService } from './model-token.service.ts';
import { ModelUsageService } from './model-usage.service.ts';
import { Upstream } from './upstream.ts';

export type ModelServices = ReturnType<typeof createModels>;

/** Builds the services of this feature. */
export function createModels(foundation: {
  settings: Settings;
  log: Log;
  database: Database;
  changes: Changes;
  caches: Caches;
  capabilities: Capabilities;
  limits: RateLimits;
  identity: Identity;
}) {
  const { settings, log, database } = foundation;
  const upstream = new Upstream(settings);
  const usage = new ModelUsageService(database, log);
  const tokens = new ModelTokenService({ ...foundation, modelTokens: new ModelTokens(settings) });
  const callers = new ModelCallers({ ...foundation, modelTokenService: tokens });
  return { upstream, usage, tokens, callers, proxy: new ModelProxy({ upstream, callers, usage, settings, log }) };
}
