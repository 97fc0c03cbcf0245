import type { Database } from '../database/database.ts';
import type { Log } from '../infrastructure/log.ts';
import type { Settings } from '../settings.ts';

const everyMs = 60 * 60 * 1000;
const batch = 1000;
const pauseMs = 50;

/** Ended sessions are remembered while a token of theirs may come, so that it is told why it is refused. */
const endedSessions = `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions
  WHERE refresh_expires_at < now() - make_interval(secs => $1) OR revoked_at < now() - make_interval(secs => $1)
  LIMIT ${batch}) RETURNING id`;
const endedTokens = `DELETE FROM personal_tokens WHERE id IN (SELECT id FROM personal_tokens
  WHERE revoked_at < now() - make_interval(secs => $1) LIMIT ${batch}) RETURNING id`;
const oldCodes = `DELETE FROM email_codes WHERE email IN (SELECT email FROM email_codes
  WHERE expires_at < now() - make_interval(secs => $1) LIMIT ${batch}) RETURNING email AS id`;
const oldLinks = `DELETE FROM password_resets WHERE token_hash IN (SELECT token_hash FROM password_resets
  WHERE expires_at < now() - make_interval(secs => $1) LIMIT ${batch}) RETURNING token_hash AS id`;
const oldStates = `DELETE FROM oauth_states WHERE state_hash IN (SELECT state_hash FROM oauth_states
  WHERE expires_at < now() - make_interval(secs => $1) LIMIT ${batch}) RETURNING state_hash AS id`;

/** Takes away what ended long ago: sessions, tokens, codes, links and unfinished sign-ins, in small batches. */
export class AccountsHousekeeping {
  private readonly database: Database;
  private readonly settings: Settings['accounts'];
  private readonly log: Log;
  private readonly timer: NodeJS.Timeout;
  private closed = false;

  constructor(database: Database, settings: Settings['accounts'], log: Log) {
    this.database = database;
    this.settings = settings;
    this.log = log;
    // Nodes that start together do not all do it at the same moment.
    this.timer = setInterval(() => void this.run(), everyMs * (0.75 + Math.random() / 2)).unref();
  }

  close(): void {
    this.closed = true;
    clearInterval(this.timer);
  }

  /** @returns how many rows were taken away */
  async run(): Promise<number> {
    const keepSeconds = this.settings.accessTokenSeconds + 24 * 60 * 60;
    let removed = 0;
    try {
      for (const text of [endedSessions, endedTokens, oldCodes, oldLinks, oldStates]) {
        removed += await this.clear(text, keepSeconds);
      }
    } catch (error) {
      if (!this.closed) this.log.warn({ err: error }, 'Old sessions could not be taken away; it is tried again.');
    }
    return removed;
  }

  private async clear(text: string, keepSeconds: number): Promise<number> {
    for (let removed = 0; ; await new Promise((resolve) => setTimeout(resolve, pauseMs))) {
      const gone = await this.database.rows<{ id: string }>(text, [keepSeconds]);
      removed += gone.length;
      if (gone.length < batch || this.closed) return removed;
    }
  }
}
