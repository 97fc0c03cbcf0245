import type { z } from 'zod';
import { lockUser } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { authorizeSchema, consentSchema } from '../../contract/oauth-app.ts';
import { OAuthRefusal } from '../../contract/oauth-protocol.ts';
import { type OAuthApp, OAuthCode } from '../../database/entities/oauth-app.entity.ts';
import { clock } from '../../infrastructure/clock.ts';
import type { Confirmations } from '../accounts/confirmation/confirmation.service.ts';
import { newSecret } from '../accounts/secrets.ts';
import type { Device } from '../accounts/sessions/device.ts';
import { holdSession, ownSession } from '../accounts/sessions/session.service.ts';
import type { Context } from '../context.ts';
import type { Clients } from './clients.ts';
import type { ConsentNotices } from './consent-notices.ts';
import { shownApp } from './oauth-app.view.ts';
import { isOwnRedirect, placeOf, withParameters } from './redirects.ts';
import { areGrave, requireTarget, scopesOf } from './scopes.ts';

type Asked = z.output<typeof authorizeSchema>;

/** How long someone has who has just confirmed that it is them to go on. */
const leastSeconds = 30;

interface Deps extends Pick<Context, 'changes' | 'publicUrl' | 'settings'> {
  clients: Pick<Clients, 'find'>;
  confirmations: Pick<Confirmations, 'require'>;
  consents: ConsentNotices;
}

/** A person allows an app, or does not, on the page that its browser came to (contract §3, OAuth apps). */
export class AuthorizationService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * What the app asks for. What is wrong with it is told to the app, once its address is known to be its own; else to the
   * person alone, since the browser would be sent to whoever made the link.
   * @param actor null: nobody is signed in, which an app learns that wants nobody to be asked
   * @throws OAuthRefusal, AppError AUTH_TOKEN_MISSING, INSUFFICIENT_PAT_SCOPE
   */
  async look(actor: Actor | null, asked: Asked): Promise<z.input<typeof consentSchema>> {
    if (actor) ownSession(actor);
    else if (!isSilent(asked)) throw new AppError('AUTH_TOKEN_MISSING');
    const app = await this.appOf(asked);
    const found = this.checked(asked, actor);
    const scopes = found instanceof OAuthRefusal ? [] : found;
    const refusedTo = found instanceof OAuthRefusal ? this.refused(asked, found) : null;
    const problem = found instanceof OAuthRefusal ? found.message : null;
    const redirectHost = placeOf(asked.redirect_uri);
    return { app: shownApp(app), scopes, isGrave: areGrave(scopes), redirectHost, refusedTo, problem };
  }

  /**
   * @returns where the browser goes, with a code or with what the person decided
   * @throws OAuthRefusal, AppError CONFIRMATION_REQUIRED, SESSION_REVOKED, INSUFFICIENT_PAT_SCOPE
   */
  async decide(actor: Actor, { allow, ...asked }: Asked & { allow: boolean }, device: Device): Promise<string> {
    const madeBy = ownSession(actor);
    const app = await this.appOf(asked);
    const scopes = this.checked(asked, actor);
    if (scopes instanceof OAuthRefusal) return this.refused(asked, scopes);
    if (!allow) return this.refused(asked, new OAuthRefusal('access_denied', 'The user did not allow it.'));
    if (areGrave(scopes)) await this.deps.confirmations.require(actor);
    const seconds = sinceSignIn(asked);
    if (seconds !== undefined) await this.deps.confirmations.require(actor, Math.max(seconds, leastSeconds) * 1000);
    const { secret: code, hash: codeHash } = newSecret();
    await this.deps.changes.run(async (change) => {
      await lockUser(change.rows, actor.userId);
      await holdSession(change, madeBy);
      change.em.create(OAuthCode, {
        ...{ codeHash, appId: app.id, userId: actor.userId, madeBy },
        ...{ scope: scopes.join(' '), redirectUri: asked.redirect_uri, nonce: asked.nonce ?? null },
        challenge: asked.code_challenge ?? '',
        expiresAt: new Date(clock.now() + this.deps.settings.accounts.apps.codeSeconds * 1000),
      });
      await change.em.flush();
      await this.deps.consents.allowed(change, actor.userId, app, device);
    });
    return this.answer(asked, { code });
  }

  /** The app, whose address this is. @throws OAuthRefusal invalid_request */
  private async appOf({ client_id, redirect_uri }: Asked): Promise<OAuthApp> {
    const app = await this.deps.clients.find(client_id);
    if (!app) throw new OAuthRefusal('invalid_request', 'There is no such app here.');
    if (isOwnRedirect(app.redirectUris, redirect_uri)) return app;
    throw new OAuthRefusal('invalid_request', 'The address to go back to is not one that this app has registered.');
  }

  /** The scopes that are asked for, or what is wrong with the request. */
  private checked(asked: Asked, actor: Actor | null): string[] | OAuthRefusal {
    const { response_type, response_mode = 'query', code_challenge = '', code_challenge_method, max_age = '0' } = asked;
    if (response_type !== 'code') {
      return new OAuthRefusal('unsupported_response_type', 'The response_type must be code.');
    }
    if (response_mode !== 'query') return new OAuthRefusal('invalid_request', 'The response_mode must be query.');
    // Never plain, and never without: a stolen code alone must be of no use, also for apps with a secret (RFC 9700 §2.1.1).
    if (code_challenge_method !== 'S256' || !/^[\w-]{43}$/.test(code_challenge)) {
      return new OAuthRefusal('invalid_request', 'PKCE with the code_challenge_method S256 is needed.');
    }
    if (!/^\d{1,9}$/.test(max_age))
      return new OAuthRefusal('invalid_request', 'The max_age must be a number of seconds.');
    if (isSilent(asked)) {
      return actor
        ? new OAuthRefusal('interaction_required', 'The user is asked every time.')
        : new OAuthRefusal('login_required', 'Nobody is signed in here.');
    }
    try {
      requireTarget(asked.resource, this.deps.publicUrl());
      return scopesOf(asked.scope);
    } catch (error) {
      if (error instanceof OAuthRefusal) return error;
      throw error;
    }
  }

  private refused(asked: Asked, { word, message }: OAuthRefusal): string {
    return this.answer(asked, { error: word, error_description: message });
  }

  /** With the issuer, so that an app of several servers knows whose answer it is (RFC 9207). */
  private answer({ redirect_uri, state }: Asked, parameters: Record<string, string>): string {
    return withParameters(redirect_uri, { ...parameters, state, iss: this.deps.publicUrl() });
  }
}

/** Whether nobody is to be asked anything (OpenID Connect Core §3.1.2.1). */
const isSilent = ({ prompt }: Asked): boolean => prompts(prompt).includes('none');

/** How long ago the person may have signed in or confirmed that it is them; undefined: as long ago as it was. */
function sinceSignIn({ prompt, max_age }: Asked): number | undefined {
  if (prompts(prompt).includes('login')) return 0;
  return max_age === undefined ? undefined : Number(max_age);
}

const prompts = (prompt: string | undefined): string[] => prompt?.split(' ') ?? [];
