import type { Actor } from '../../../contract/actor.ts';
import type { Database } from '../../../database/database.ts';
import { dateNow } from '../../../infrastructure/clock.ts';
import type { Log } from '../../../infrastructure/log.ts';

const flushMs = 10_000;
/** How many are buffered between two flushes; beyond that, some activity is written a little later. */
const maxPending = 20_000;

interface Seen {
  at: Date;
  ip: string;
}

const touchSessions = `UPDATE sessions s SET last_seen_at = greatest(s.last_seen_at, v.at), ip_address = v.ip
  FROM unnest($1::uuid[], $2::timestamptz[], $3::text[]) AS v (id, at, ip)
  WHERE s.id = v.id AND s.last_seen_at < v.at - interval '30 seconds'`;
const touchTokens = `UPDATE personal_tokens t SET last_used_at = greatest(t.last_used_at, v.at)
  FROM unnest($1::uuid[], $2::timestamptz[]) AS v (id, at)
  WHERE t.id = v.id AND (t.last_used_at IS NULL OR t.last_used_at < v.at - interval '30 seconds')`;

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

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  private async flush(): Promise<void> {
    const [sessions, tokens] = [columns(this.sessions), columns(this.tokens)];
    this.sessions = new Map();
    this.tokens = new Map();
    try {
      if (sessions.ids.length > 0)
        await this.database.rows(touchSessions, [sessions.ids, sessions.times, sessions.ips]);
      if (tokens.ids.length > 0) await this.database.rows(touchTokens, [tokens.ids, tokens.times]);
    } catch (error) {
      this.log.debug({ err: error }, 'The activity of sessions could not be written.');
    }
  }
}

function remember(map: Map<string, Seen>, id: string, ip: string): void {
  if (map.size < maxPending || map.has(id)) map.set(id, { at: dateNow(), ip });
}

/** Sorted, so that concurrent flushes of nodes lock the rows in the same order. */
function columns(map: Map<string, Seen>): { ids: string[]; times: Date[]; ips: string[] } {
  const entries = [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ids: entries.map(([id]) => id),
    times: entries.map(([, { at }]) => at),
    ips: entries.map(([, { ip }]) => ip),
  };
}
