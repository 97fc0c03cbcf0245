import type { Actor } from '../../../contract/actor.ts';
import type { Database } from '../../../database/database.ts';
import { dateNow } from '../../../infrastructure/clock.ts';
import type { Log } from '../../../infrastructure/log.ts';
import { type Seen, writeSessionsSeen, writeTokensSeen } from '../identity.table.ts';

const flushMs = 10_000;
/** How many are buffered between two flushes; beyond that, some activity is written a little later. */
const maxPending = 20_000;

/**
 * When and from where sessions and personal access tokens were last used: written in the background in batches, since every
 * request would wait for it and nobody needs it to the second.
 */
export class SessionActivity {
  private readonly database: Database;
  private readonly log: Log;
  private readonly timer: NodeJS.Timeout;
  private sessions = new Map<string, Seen>();
  private tokens = new Map<string, Seen>();

  constructor(database: Database, log: Log) {
    this.database = database;
    this.log = log;
    this.timer = setInterval(() => void this.flush(), flushMs).unref();
  }

  seen(actor: Actor, ip: string): void {
    const { sessionId, personalTokenId } = actor;
    if (sessionId) remember(this.sessions, sessionId, ip);
    else if (personalTokenId) remember(this.tokens, personalTokenId, ip);
  }

  /** An event came from a socket of a session. One look-up, since it is so for every message. */
  used({ sessionId }: Actor): void {
    if (sessionId && !this.sessions.has(sessionId)) remember(this.sessions, sessionId, null);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  private async flush(): Promise<void> {
    const [sessions, tokens] = [sorted(this.sessions), sorted(this.tokens)];
    this.sessions = new Map();
    this.tokens = new Map();
    try {
      if (sessions.length > 0) await writeSessionsSeen(this.database.rows, sessions);
      if (tokens.length > 0) await writeTokensSeen(this.database.rows, tokens);
    } catch (error) {
      this.log.debug({ err: error }, 'The activity of sessions could not be written.');
    }
  }
}

function remember(map: Map<string, Seen>, id: string, ip: string | null): void {
  if (map.size < maxPending || map.has(id)) map.set(id, { id, at: dateNow(), ip });
}

const sorted = (map: Map<string, Seen>): Seen[] => [...map.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
