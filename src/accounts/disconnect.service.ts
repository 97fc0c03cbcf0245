import { AppError } from '../errors.ts';
import type { Identity } from './identity.ts';

/** Told when a user says good-bye; what it means for who is online is for the feature that knows that. */
export interface PresenceHook {
  left(userId: string): Promise<void>;
}

/** A client says that it disconnects. It does not wait for the answer, so it is always a good one. */
export class DisconnectService {
  /** Set by the feature that keeps presence. */
  presence: PresenceHook | null = null;
  private readonly identity: Identity;

  constructor(identity: Identity) {
    this.identity = identity;
  }

  async left(token: string | null, ip: string): Promise<void> {
    if (token === null) return;
    try {
      const { userId } = await this.identity.authenticate(token, ip);
      await this.presence?.left(userId);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
}
