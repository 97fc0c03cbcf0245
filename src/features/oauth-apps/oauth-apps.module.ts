import type { Chore } from '../../cluster/chores.ts';
import type { AccountsServices } from '../accounts/accounts.module.ts';
import type { Context } from '../context.ts';
import type { Module } from '../module.ts';
import { AllowedAppService } from './allowed-app.service.ts';
import { AppTokenService } from './app-token.service.ts';
import { AuthorizationService } from './authorization.service.ts';
import { Clients } from './clients.ts';
import { ConsentNotices } from './consent-notices.ts';
import { DeviceService } from './device.service.ts';
import { IdTokens } from './id-tokens.ts';
import { forgetLeftApps, forgetUnusedApps } from './oauth.table.ts';
import { OAuthAppService } from './oauth-app.service.ts';
import { consentRoutes, oauthAppRoutes, oauthProtocolRoutes } from './oauth-apps.routes.ts';

const daySeconds = 24 * 60 * 60;

/** Apps that registered themselves, which nobody uses. */
const forgetApps: Chore[] = [
  { name: 'forget apps that nobody allowed', step: (rows) => forgetUnusedApps(rows, daySeconds) },
  { name: 'forget apps that nobody allows any more', step: forgetLeftApps },
];

/** Programs of others that act for people, and tools that sign them in (contract §3, OAuth apps). */
export function oauthAppsModule(context: Context & AccountsServices) {
  const clients = new Clients(context);
  const idTokens = new IdTokens(context.settings);
  const tokens = new AppTokenService({ ...context, idTokens });
  const consents = new ConsentNotices(context.notices);
  const devices = new DeviceService({ ...context, clients, consents });
  const apps = new OAuthAppService(context);
  const allowed = new AllowedAppService(context);
  const authorizations = new AuthorizationService({ ...context, clients, consents });
  const { publicUrl, settings } = context;
  const { selfRegistration } = settings.accounts.apps;
  return {
    routes: [
      ...oauthAppRoutes(apps),
      ...consentRoutes(authorizations, devices, allowed),
      ...oauthProtocolRoutes({ clients, tokens, devices, apps, allowed, idTokens, publicUrl, selfRegistration }),
    ],
    chores: forgetApps,
  } satisfies Module;
}
