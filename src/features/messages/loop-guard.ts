import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { Database } from '../../database/database.ts';
import type { Settings } from '../../settings/settings.ts';
import { lastSaid } from './bots.table.ts';

/** The facts about a message that matter for loops. */
export interface Said {
  seq: number;
  authorId: string;
  isBot: boolean;
  threadId: string | null;
  /** In ms since 1970. */
  at: number;
  /** It replies to a bot other than its author, or mentions one. */
  answersBot: boolean;
  /** It answers what a person used or invoked. */
  answersUse: boolean;
}

export type LoopLimits = Pick<Settings['agents'], 'loopInRow' | 'loopPerMinute' | 'loopFollowSeconds'>;

/** How many times a limit's count is read, since people, and bots that reply to nobody, write in between. */
const lookedTimes = 5;
/** A bot whose messages wait this long gets SERVER_BUSY: they wait that long only when something is wrong. */
const maxWaitMs = 10_000;

/**
 * Stops bots that only reply to each other (contract §4, §13). It judges from the messages themselves: every node sees
 * the same, no state is kept, and people's messages cost nothing.
 */
export class LoopGuard {
  private readonly database: Pick<Database, 'rows'>;
  private readonly limits: LoopLimits;
  private readonly looked: number;
  /** The ends of the queues, by channel. */
  private readonly turns = new Map<string, Promise<unknown>>();

  constructor(database: Pick<Database, 'rows'>, limits: LoopLimits) {
    this.database = database;
    this.limits = limits;
    this.looked = lookedTimes * Math.max(limits.loopInRow, limits.loopPerMinute);
  }

  /**
   * Lets bots post one at a time in a channel, so that each is judged by the messages of those before it.
   * @throws AppError SERVER_BUSY for a bot whose turn comes too late, or what `speak` throws
   */
  async inTurn<T>(channelId: string, speak: () => Promise<T>): Promise<T> {
    const cameAt = performance.now();
    const turn = (this.turns.get(channelId) ?? Promise.resolve()).then(() => {
      if (performance.now() - cameAt > maxWaitMs) throw new AppError('SERVER_BUSY');
      return speak();
    });
    const end = turn.catch(() => {});
    this.turns.set(channelId, end);
    try {
      return await turn;
    } finally {
      if (this.turns.get(channelId) === end) this.turns.delete(channelId);
    }
  }

  /**
   * What answers a person's use or command is not checked: each has a few answers, and comes of a person.
   * @returns the number of the message after which no other bot (on another node) may have spoken when this one is written;
   * null if that does not matter yet
   * @throws AppError BOT_LOOP for a bot where bots have replied to each other for too long, until a person speaks
   */
  async check(actor: Actor, channelId: string, threadId: string | null): Promise<number | null> {
    // Incoming webhooks hear nothing: they answer nobody.
    if (!actor.user.isBot || actor.hookChannelId) return null;
    const history = (await lastSaid(this.database.rows, channelId, this.looked)).reverse();
    const { isLoop, answers } = judge(history, threadId, this.limits);
    if (isLoop) throw new AppError('BOT_LOOP', { retryAfter: 60 });
    return answers > 0 ? (history.findLast(({ isBot }) => isBot)?.seq ?? null) : null;
  }
}

/**
 * Whether bots are in a loop in a conversation: too many replies to bots in a row without a person in it, or too many in
 * one minute in its channel. Both last until a person speaks, or uses what a bot answers.
 *
 * @param history the last messages of the channel, oldest first
 * @param threadId the conversation: a thread, or null for the channel itself
 * @returns also how many replies count by now
 */
export function judge(
  history: Said[],
  threadId: string | null,
  limits: LoopLimits,
): { isLoop: boolean; answers: number } {
  const last = new Map<string | null, Said>();
  let inRow = 0;
  let minute: number[] = [];
  let tooFast = false;
  for (const said of history) {
    const before = said.answersUse ? undefined : last.get(said.threadId);
    last.set(said.threadId, said);
    minute = minute.filter((at) => at > said.at - 60_000);
    if (!said.isBot || said.answersUse) {
      if (said.threadId === threadId) inRow = 0;
      if (tooFast) minute = [];
      tooFast = false;
    }
    if (said.isBot && (said.answersBot || followsBot(said, before, limits))) {
      if (said.threadId === threadId) inRow++;
      minute.push(said.at);
      tooFast ||= minute.length >= limits.loopPerMinute;
    }
  }
  return { isLoop: tooFast || inRow >= limits.loopInRow, answers: inRow + minute.length };
}

function followsBot(said: Said, before: Said | undefined, { loopFollowSeconds }: LoopLimits): boolean {
  if (!before?.isBot || before.authorId === said.authorId) return false;
  return said.at - before.at <= loopFollowSeconds * 1000;
}
