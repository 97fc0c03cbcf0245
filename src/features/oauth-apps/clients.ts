import { timingSafeEqual } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import { OAuthRefusal } from '../../contract/oauth-protocol.ts';
import { isUuid } from '../../contract/schema.ts';
import { OAuthApp } from '../../database/entities/oauth-app.entity.ts';
import { networksOf } from '../../infrastructure/client-address.ts';
import { refusal } from '../../infrastructure/rate-limits.ts';
import type { Identity } from '../accounts/identity.ts';
import { hashSecret } from '../accounts/secrets.ts';
import type { Context } from '../context.ts';

/** How an app says who it is. */
interface Named {
  client_id?: string | undefined;
  client_secret?: string | undefined;
}

interface Deps extends Pick<Context, 'database' | 'limits'> {
  identity: Pick<Identity, 'answersForApps'>;
}

/** The apps behind `client_id`s. */
export class Clients {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** An app; null also while whoever registered it is suspended or about to leave, and nobody answers for it. */
  async find(clientId: string): Promise<OAuthApp | null> {
    if (!isUuid(clientId)) return null;
    const app = await this.deps.database.read((em) => em.findOne(OAuthApp, clientId.toLowerCase()));
    if (app?.ownerId == null) return app;
    return (await this.deps.identity.answersForApps(app.ownerId)) ? app : null;
  }

  /**
   * The app that calls, by its secret if it has one; a public app is known by what it brings (a verifier, a token) alone.
   * @throws AppError OAUTH_CLIENT_INVALID, RATE_LIMITED
   */
  async authenticate(named: Named, authorization: string | undefined, ip: string): Promise<OAuthApp> {
    const basic = basicOf(authorization);
    if (basic && named.client_secret !== undefined) {
      throw new OAuthRefusal('invalid_request', 'An app says who it is in one way, not in two.');
    }
    const { client_id: id, client_secret: secret } = basic ?? named;
    if (basic && named.client_id !== undefined && named.client_id !== id) throw unknownClient(true);
    const app = id === undefined ? null : await this.find(id);
    const isIt = app !== null && isItsSecret(app, secret);
    await this.count(isIt ? app : null, ip);
    if (!isIt) throw unknownClient(basic !== undefined);
    return app;
  }

  /** An app that has proven who it is counts by itself, wherever it runs; all others share what their address may do. */
  private async count(app: OAuthApp | null, ip: string): Promise<void> {
    const { limits } = this.deps;
    const quota = await (app?.secretHash == null
      ? limits.takeOfAddress('oauthClients', networksOf(ip))
      : limits.take('oauthSecrets', app.id));
    if (quota?.exceeded) throw refusal(quota);
  }
}

function isItsSecret(app: OAuthApp, secret: string | undefined): boolean {
  if (app.secretHash == null) return true;
  return secret !== undefined && timingSafeEqual(Buffer.from(hashSecret(secret)), Buffer.from(app.secretHash));
}

function unknownClient(byHeader: boolean): AppError {
  return new AppError('OAUTH_CLIENT_INVALID', {
    headers: byHeader ? { 'WWW-Authenticate': 'Basic realm="oauth"' } : {},
  });
}

/** Both halves are encoded as in a form (RFC 6749 §2.3.1). @throws AppError OAUTH_CLIENT_INVALID */
function basicOf(authorization: string | undefined): Named | undefined {
  const [, encoded] = /^basic +([\w+/=-]+)$/i.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const [id = '', ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  try {
    const plain = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));
    return { client_id: plain(id), client_secret: plain(rest.join(':')) };
  } catch {
    throw unknownClient(true);
  }
}
