import type { Actor, SmallUser } from '../../contract/actor.ts';
import type { Database } from '../../database/database.ts';
import { type KnownHook, readHook, readHookOf } from './hook.table.ts';
import { hashSecret } from './secrets.ts';

/** Who posts by an incoming webhook (contract §6). Tools do so now and then: each time it is read anew. */
export class HookIdentity {
  private readonly database: Pick<Database, 'committedRows'>;

  constructor(database: Pick<Database, 'committedRows'>) {
    this.database = database;
  }

  /** The incoming webhook with this token in its address. */
  find(token: string): Promise<KnownHook | undefined> {
    return readHook(this.database.committedRows, hashSecret(token));
  }

  /** Whether the incoming webhook of a bot user still has this token, by its hash. */
  async has(userId: string, tokenHash: string): Promise<boolean> {
    return (await readHookOf(this.database.committedRows, userId))?.tokenHash === tokenHash;
  }

  /** The bot user of an incoming webhook as an actor; undefined when that is gone. */
  async actor(userId: string): Promise<Actor | undefined> {
    const known = await readHookOf(this.database.committedRows, userId);
    return known && hookActor(known);
  }
}

/** An incoming webhook as the author of messages in its channel. */
export function hookActor({ user, tier, channelId }: { user: SmallUser; tier: string; channelId: string }): Actor {
  const came = { sessionId: null, secondFactor: false, personalTokenId: null, agent: null };
  // It has no token, and so no scope: it may do nothing but write in its channel.
  return { userId: user.id, user, tier, ...came, scopes: [], expiresAt: null, hookChannelId: channelId };
}
