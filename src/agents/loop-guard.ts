import type { Actor } from '../access/actor.ts';
import type { Database } from '../database/database.ts';
import { AppError } from '../errors.ts';
import type { Settings } from '../settings.ts';

/** A message, as far as it matters to loops. */
export interface Said {
  authorId: string;
  isBot: boolean;
  threadId: string | null;
  /** In ms since 1970. */
  at: number;
  /** It replies to a bot other than its author, or mentions one. */
  answersBot: boolean;
}

export type LoopLimits = Pick<Settings['agents'], 'loopInRow' | 'loopPerMinute' | 'loopFollowSeconds'>;

const looked = 100;
const lastSaid = `SELECT m.author_id AS "authorId", u.is_bot AS "isBot", m.thread_id AS "threadId",
    (extract(epoch FROM m.created_at) * 1000)::float8 AS at,
    u.is_bot AND (coalesce(ru.is_bot AND ru.id <> m.author_id, false) OR EXISTS (
      SELECT 1 FROM json_array_elements(m.mentions) AS mention
        JOIN users mu ON mu.id = (mention ->> 'targetId')::uuid AND mu.is_bot AND mu.id <> m.author_id
      WHERE mention ->> 'kind' = 'user')) AS "answersBot"
  FROM messages m JOIN users u ON u.id = m.author_id
  LEFT JOIN messages r ON r.id = m.reply_to_id LEFT JOIN users ru ON ru.id = r.author_id
  WHERE m.channel_id = $1 ORDER BY m.seq DESC LIMIT $2`;

/**
 * Stops bots that only answer each other (contract §4, §13). What counts is read from the messages themselves: every
 * node sees the same, nothing has to be kept, and people's messages cost nothing.
 */
export class LoopGuard {
  private readonly database: Database;
  private readonly limits: LoopLimits;

  constructor(database: Database, limits: LoopLimits) {
    this.database = database;
    this.limits = limits;
  }

  /** @throws AppError BOT_LOOP for a bot where bots have answered each other for too long, until a person speaks */
  async check(actor: Actor, channelId: string, threadId: string | null): Promise<void> {
    if (!actor.user.isBot) return;
    const newestFirst = await this.database.rows<Said>(lastSaid, [channelId, looked]);
    if (isLooping(newestFirst.reverse(), threadId, this.limits)) throw new AppError('BOT_LOOP', { retryAfter: 60 });
  }
}

/**
 * Whether bots are in a loop in a conversation: so many answers to bots in a row without a person in it, or so many in
 * one minute in its channel. Both last until a person speaks.
 *
 * @param history what was said last in the channel, oldest first
 * @param threadId the conversation: a thread, or null for the channel itself
 */
export function isLooping(history: Said[], threadId: string | null, limits: LoopLimits): boolean {
  const last = new Map<string | null, Said>();
  let inRow = 0;
  let minute: number[] = [];
  let tooFast = false;
  for (const said of history) {
    const before = last.get(said.threadId);
    last.set(said.threadId, said);
    if (!said.isBot) {
      if (said.threadId === threadId) inRow = 0;
      if (tooFast) minute = [];
      tooFast = false;
    } else if (said.answersBot || followsBot(said, before, limits)) {
      if (said.threadId === threadId) inRow++;
      minute = [...minute.filter((at) => at > said.at - 60_000), said.at];
      tooFast ||= minute.length >= limits.loopPerMinute;
    }
  }
  return tooFast || inRow >= limits.loopInRow;
}

function followsBot(said: Said, before: Said | undefined, { loopFollowSeconds }: LoopLimits): boolean {
  if (!before?.isBot || before.authorId === said.authorId) return false;
  return said.at - before.at <= loopFollowSeconds * 1000;
}
