import { AppError } from '../../contract/errors.ts';
import { hasScopes, scopesOfCall } from '../../contract/scopes.ts';
import { appTokenPrefix } from './app-tokens.ts';
import type { Identity } from './identity.ts';

/** Called when a client announces that it disconnects; the presence feature decides what that means. */
export interface Goodbyes {
  goodbye(userId: string): Promise<void>;
}

/** What a personal access token needs to change someone's presence. */
const needed = scopesOfCall({ tag: 'Presence', method: 'POST' });

/** A client announces that it disconnects. It does not wait for the response, so this always succeeds. */
export class DisconnectService {
  private readonly identity: Identity;
  private readonly presence: Goodbyes;

  constructor(identity: Identity, presence: Goodbyes) {
    this.identity = identity;
    this.presence = presence;
  }

  /** Ignores those who speak for someone else: apps, rehearsals of a bot, and tokens that may not change presence. */
  async left(token: string | null, ip: string): Promise<void> {
    if (token === null || token.startsWith(appTokenPrefix)) return;
    try {
      const { userId, agent, scopes } = await this.identity.authenticate(token, ip);
      if (!agent?.rehearsalId && hasScopes(scopes, needed)) await this.presence.goodbye(userId);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
}
