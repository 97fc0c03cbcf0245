import type { z } from 'zod';
import { lockUser } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { changeAppSchema, createAppSchema, newAppSchema, oauthAppSchema } from '../../contract/oauth-app.ts';
import type { registeredSchema, registrationSchema } from '../../contract/oauth-protocol.ts';
import { nameFrom } from '../../contract/schema.ts';
import { OAuthApp } from '../../database/entities/oauth-app.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import { newId } from '../../infrastructure/ids.ts';
import { newSecret } from '../accounts/secrets.ts';
import type { Revocation } from '../accounts/sessions/revocation.ts';
import { ownSession } from '../accounts/sessions/session.service.ts';
import type { Context } from '../context.ts';
import { forgetUnusedApps, someAllowed, unusedApps } from './oauth.table.ts';
import { appRecord } from './oauth-app.view.ts';

type AppRecord = z.input<typeof oauthAppSchema>;
type NewApp = z.input<typeof newAppSchema>;

/** How old an app that nobody has allowed has to be to make room for another: its user may be about to sign in. */
const unusedSeconds = 600;
/** How many permissions are ended at once, each on all nodes. */
const together = 200;
const secretPrefix = 'oas_';

interface Deps extends Pick<Context, 'database' | 'changes' | 'capabilities' | 'settings'> {
  revocation: Pick<Revocation, 'personalToken'>;
}

/** Programs of others, registered by people or by themselves (contract §3, OAuth apps). */
export class OAuthAppService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** @throws AppError INVITE_REQUIRED, OAUTH_APP_LIMIT, INSUFFICIENT_PAT_SCOPE */
  async create(actor: Actor, input: z.output<typeof createAppSchema>): Promise<NewApp> {
    ownSession(actor);
    this.deps.capabilities.require(actor, 'oauth_app:create');
    const { name, website = null, redirectUris, confidential = false } = input;
    const { secret, hash } = newSecret(secretPrefix);
    return this.deps.changes.run(async (change) => {
      await lockUser(change.rows, actor.userId);
      const held = await change.em.count(OAuthApp, { ownerId: actor.userId });
      if (held >= this.deps.settings.accounts.apps.ofOwner) throw new AppError('OAUTH_APP_LIMIT');
      const about = { id: newId(), ownerId: actor.userId, name, website, redirectUris };
      const app = change.em.create(OAuthApp, { ...about, secretHash: confidential ? hash : null });
      await change.em.flush();
      return { ...appRecord(app), clientSecret: confidential ? secret : null };
    });
  }

  /** @throws AppError INSUFFICIENT_PAT_SCOPE */
  async list(actor: Actor): Promise<AppRecord[]> {
    ownSession(actor);
    const orderBy = { id: 'desc' } as const;
    const apps = await this.deps.database.read((em) => em.find(OAuthApp, { ownerId: actor.userId }, { orderBy }));
    return apps.map(appRecord);
  }

  /** @throws AppError OAUTH_APP_NOT_FOUND, INSUFFICIENT_PAT_SCOPE */
  async change(actor: Actor, appId: string, input: z.output<typeof changeAppSchema>): Promise<AppRecord> {
    return this.deps.changes.run(async (change) => {
      const app = await own(change, actor, appId);
      const { name, website, redirectUris } = input;
      if (name !== undefined) app.name = name;
      if (website !== undefined) app.website = website;
      if (redirectUris !== undefined) app.redirectUris = redirectUris;
      await change.em.flush();
      return appRecord(app);
    });
  }

  /** Gives it another secret; the old one ends. @throws AppError OAUTH_APP_NOT_FOUND, INSUFFICIENT_PAT_SCOPE */
  async renewSecret(actor: Actor, appId: string): Promise<NewApp> {
    return this.deps.changes.run(async (change) => {
      const app = await own(change, actor, appId);
      const { secret, hash } = newSecret(secretPrefix);
      // An app without one would let in those who have none: it stays so.
      const isConfidential = app.secretHash != null;
      if (isConfidential) app.secretHash = hash;
      await change.em.flush();
      return { ...appRecord(app), clientSecret: isConfidential ? secret : null };
    });
  }

  /** Deletes it with its tokens, which end before the answer. @throws AppError OAUTH_APP_NOT_FOUND, INSUFFICIENT_PAT_SCOPE */
  async delete(actor: Actor, appId: string): Promise<void> {
    // First the app: from then on nobody gets tokens of it.
    await this.deps.changes.run(async (change) => {
      await own(change, actor, appId);
      await change.em.nativeDelete(OAuthApp, { id: appId });
    });
    while ((await this.endSome(appId)) === together);
  }

  /**
   * An app registers itself (RFC 7591).
   * @throws AppError ROUTE_NOT_FOUND where the operator does not want that, RATE_LIMITED while too many wait for someone to
   * allow them
   */
  async register(input: z.output<typeof registrationSchema>): Promise<z.input<typeof registeredSchema>> {
    const { client_name, client_uri, redirect_uris } = input;
    const { selfRegistration, unused } = this.deps.settings.accounts.apps;
    if (!selfRegistration) throw new AppError('ROUTE_NOT_FOUND');
    const app = await this.deps.changes.run(async (change) => {
      await requireRoom(change, unused);
      const name = nameFrom(client_name ?? '', 100) || 'An app without a name';
      const about = { id: newId(), ownerId: null, name, website: client_uri ?? null, redirectUris: redirect_uris };
      const made = change.em.create(OAuthApp, { ...about, secretHash: null });
      await change.em.flush();
      return made;
    });
    return {
      client_id: app.id,
      client_id_issued_at: Math.floor(app.createdAt.getTime() / 1000),
      client_name: app.name,
      ...(client_uri === undefined ? {} : { client_uri }),
      redirect_uris,
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  private endSome(appId: string): Promise<number> {
    return this.deps.changes.run(async (change) => {
      const some = await someAllowed(change.rows, appId, together);
      for (const { id, userId } of some) await this.deps.revocation.personalToken(change, userId, id);
      return some.length;
    });
  }
}

async function own(change: Change, actor: Actor, appId: string): Promise<OAuthApp> {
  ownSession(actor);
  const app = await change.em.findOne(OAuthApp, { id: appId, ownerId: actor.userId });
  if (!app) throw new AppError('OAUTH_APP_NOT_FOUND');
  return app;
}

/** The oldest make room: whoever fills it up keeps nobody else out for longer than some minutes. */
async function requireRoom(change: Change, most: number): Promise<void> {
  if ((await unusedApps(change.rows, most)) < most) return;
  if ((await forgetUnusedApps(change.rows, unusedSeconds)) > 0) return;
  throw new AppError('RATE_LIMITED', { retryAfter: 60 });
}
