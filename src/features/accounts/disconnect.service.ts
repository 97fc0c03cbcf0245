import { AppError } from '../../contract/errors.ts';
import type { Identity } from './identity.ts';

/** Called when a client announces that it disconnects; the presence feature decides what that means. */
export interface Goodbyes {
  goodbye(userId: string): Promise<void>;
}

/** A client announces that it disconnects. It does not wait for the response, so this always succeeds. */
export class DisconnectService {
  private readonly identity: Identity;
  private readonly presence: Goodbyes;

  constructor(identity: Identity, presence: Goodbyes) {
    this.identity = identity;
    this.presence = presence;
  }

  async left(token: string | null, ip: string): Promise<void> {
    if (token === null) return;
    try {
      const { userId } = await this.identity.authenticate(token, ip);
      await this.presence.goodbye(userId);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
}
