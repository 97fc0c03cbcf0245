import { AppError } from '../errors.ts';
import type { Identity } from './identity.ts';

/** Told when a user says good-bye; what it means for who is online is for the feature that knows that. */
export interface Goodbyes {
  goodbye(userId: string): Promise<void>;
}

/** A client says that it disconnects. It does not wait for the answer, so it is always a good one. */
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
