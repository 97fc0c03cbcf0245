import { randomInt } from 'node:crypto';
import type { z } from 'zod';
import { lockUser } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { deviceConsentSchema } from '../../contract/oauth-app.ts';
import type { deviceAnswerSchema } from '../../contract/oauth-protocol.ts';
import { type OAuthApp, OAuthDevice } from '../../database/entities/oauth-app.entity.ts';
import { clock, dateNow } from '../../infrastructure/clock.ts';
import type { Confirmations } from '../accounts/confirmation/confirmation.service.ts';
import { keyedHash, newSecret } from '../accounts/secrets.ts';
import type { Device } from '../accounts/sessions/device.ts';
import { holdSession, ownSession } from '../accounts/sessions/session.service.ts';
import type { Context } from '../context.ts';
import type { Clients } from './clients.ts';
import type { ConsentNotices } from './consent-notices.ts';
import { shownApp } from './oauth-app.view.ts';
import { areGrave, requireTarget, scopesOf } from './scopes.ts';

const pauseSeconds = 5;
/** Without vowels, so that no code is a word (RFC 8628 §6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';

interface Deps extends Pick<Context, 'database' | 'changes' | 'publicUrl' | 'settings'> {
  clients: Pick<Clients, 'find'>;
  confirmations: Pick<Confirmations, 'require'>;
  consents: ConsentNotices;
}

/** Devices without a browser, whose users enter a code elsewhere (RFC 8628; contract §3, OAuth apps). */
export class DeviceService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** @throws OAuthRefusal invalid_scope, invalid_target */
  async start(
    app: OAuthApp,
    asked: { scope?: string | undefined; resource?: string | undefined },
  ): Promise<z.input<typeof deviceAnswerSchema>> {
    const site = this.deps.publicUrl();
    const { deviceSeconds } = this.deps.settings.accounts.apps;
    requireTarget(asked.resource, site);
    const scope = scopesOf(asked.scope).join(' ');
    const { secret, hash: deviceHash } = newSecret();
    const code = newUserCode();
    await this.deps.changes.run(async (change) => {
      const about = { deviceHash, userCodeHash: this.hashOf(code), appId: app.id, scope, pause: pauseSeconds };
      const expiresAt = new Date(clock.now() + deviceSeconds * 1000);
      change.em.create(OAuthDevice, { ...about, state: 'waiting', expiresAt });
      await change.em.flush();
    });
    return {
      device_code: secret,
      user_code: code,
      verification_uri: `${site}/app/device`,
      verification_uri_complete: `${site}/app/device?code=${code}`,
      expires_in: deviceSeconds,
      interval: pauseSeconds,
    };
  }

  /** What the device asks for that shows this code. @throws AppError OAUTH_CODE_NOT_FOUND, INSUFFICIENT_PAT_SCOPE */
  async look(actor: Actor, userCode: string): Promise<z.input<typeof deviceConsentSchema>> {
    ownSession(actor);
    const device = await this.deps.database.read((em) => em.findOne(OAuthDevice, this.waiting(userCode)));
    const app = device && (await this.deps.clients.find(device.appId));
    if (!app) throw new AppError('OAUTH_CODE_NOT_FOUND');
    const scopes = device.scope.split(' ');
    return { app: shownApp(app), scopes, isGrave: areGrave(scopes) };
  }

  /** @throws AppError OAUTH_CODE_NOT_FOUND, CONFIRMATION_REQUIRED, SESSION_REVOKED, INSUFFICIENT_PAT_SCOPE */
  async decide(actor: Actor, userCode: string, allow: boolean, device: Device): Promise<void> {
    const madeBy = ownSession(actor);
    const { app, isGrave } = await this.look(actor, userCode);
    if (allow && isGrave) await this.deps.confirmations.require(actor);
    const decided = await this.deps.changes.run(async (change) => {
      await lockUser(change.rows, actor.userId);
      await holdSession(change, madeBy);
      const state = allow ? 'allowed' : 'denied';
      const about = { state, userId: actor.userId, madeBy } as const;
      const decided = await change.em.nativeUpdate(OAuthDevice, this.waiting(userCode), about);
      if (decided > 0 && allow) await this.deps.consents.allowed(change, actor.userId, app, device);
      return decided;
    });
    if (decided === 0) throw new AppError('OAUTH_CODE_NOT_FOUND');
  }

  /** Of two who enter a code at once, one decides. */
  private waiting(userCode: string) {
    const typed = userCode.toUpperCase().replace(/[^A-Z]/g, '');
    return { userCodeHash: this.hashOf(typed), state: 'waiting' as const, expiresAt: { $gt: dateNow() } };
  }

  /** It is short, so a plain hash could be reversed. */
  private hashOf(code: string): string {
    const key = this.deps.settings.jwtSecrets[0]?.secret ?? '';
    return keyedHash(key, 'code of a device', code.replace('-', ''));
  }
}

/** 34 bits: with the limit on tries nobody finds one of those that wait. */
function newUserCode(): string {
  const part = () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('');
  return `${part()}-${part()}`;
}
