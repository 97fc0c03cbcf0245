import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { type allowedAppSchema, appScopes, type serverAppSchema } from '../../contract/oauth-app.ts';
import type { UserInfo } from '../../contract/oauth-protocol.ts';
import { requirePermission } from '../../contract/roles.ts';
import { OAuthApp } from '../../database/entities/oauth-app.entity.ts';
import { PersonalToken, User } from '../../database/entities/user.entity.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import type { Revocation } from '../accounts/sessions/revocation.ts';
import { ownSession } from '../accounts/sessions/session.service.ts';
import type { Context } from '../context.ts';
import { appsOfServer } from './oauth.table.ts';
import { allowedRecord, claimsOf, shownApp } from './oauth-app.view.ts';

const mostListed = 500;

interface Deps extends Pick<Context, 'database' | 'changes' | 'serverAccess' | 'publicUrl'> {
  revocation: Pick<Revocation, 'personalToken'>;
}

/** What people have allowed apps (contract §3, OAuth apps). */
export class AllowedAppService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** @throws AppError INSUFFICIENT_PAT_SCOPE */
  async list(actor: Actor): Promise<z.input<typeof allowedAppSchema>[]> {
    ownSession(actor);
    const valid = { userId: actor.userId, revokedAt: null, appId: { $ne: null }, expiresAt: { $gt: dateNow() } };
    const [tokens, apps] = await this.deps.database.read(async (em) => {
      const found = await em.find(PersonalToken, valid, { orderBy: { id: 'desc' }, limit: mostListed });
      return [
        found,
        await em.find(
          OAuthApp,
          found.flatMap(({ appId }) => appId ?? []),
        ),
      ];
    });
    const byId = new Map(apps.map((app) => [app.id, app]));
    return tokens.flatMap((token) => {
      const app = byId.get(token.appId ?? '');
      return app ? [allowedRecord(token, app)] : [];
    });
  }

  /** Takes it back; its sockets are closed. @throws AppError TOKEN_NOT_FOUND, INSUFFICIENT_PAT_SCOPE */
  async end(actor: Actor, id: string): Promise<void> {
    ownSession(actor);
    const found = await this.deps.changes.run(async (change) => {
      const isOne = await change.em.count(PersonalToken, { id, userId: actor.userId, appId: { $ne: null } });
      return isOne > 0 && this.deps.revocation.personalToken(change, actor.userId, id);
    });
    if (!found) throw new AppError('TOKEN_NOT_FOUND');
  }

  /** The apps that members of a server have allowed. @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED */
  async ofServer(actor: Actor, serverId: string): Promise<z.input<typeof serverAppSchema>[]> {
    const { membership } = await this.deps.serverAccess.joined(actor, serverId);
    requirePermission(membership.rights, 'audit:read');
    const found = await appsOfServer(this.deps.database.rows, serverId);
    const ids = found.map(({ appId }) => appId);
    const apps = await this.deps.database.read((em) => em.find(OAuthApp, ids));
    const byId = new Map(apps.map((app) => [app.id, app]));
    return found.flatMap(({ appId, members, scope }) => {
      const app = byId.get(appId);
      const all = scope.split(' ');
      return app ? [{ app: shownApp(app), scopes: appScopes.filter((one) => all.includes(one)), members }] : [];
    });
  }

  /** Who the user of a token is, as far as its scopes say. @throws AppError INSUFFICIENT_PAT_SCOPE */
  async user({ userId, scopes }: Actor): Promise<UserInfo> {
    if (!scopes?.includes('openid')) {
      throw new AppError('INSUFFICIENT_PAT_SCOPE', {
        message: 'This needs the token of an app with the scope openid.',
      });
    }
    const user = await this.deps.database.read((em) => em.findOneOrFail(User, userId));
    return claimsOf(user, scopes, this.deps.publicUrl());
  }
}
