import { NIL } from 'uuid';
import type { z } from 'zod';
import { requireInChannel } from '../../access/channel.access.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { type pollCalls, pollClose, pollVoted } from '../../contract/poll.ts';
import { channelRoom, userRoom } from '../../contract/rooms.ts';
import { type ListPage, listPage } from '../../contract/schema/list-page.ts';
import { idCursor, invalid } from '../../contract/schema/validation.ts';
import type { Change } from '../../delivery/changes.ts';
import { pollCountKind } from '../../jobs/poll.jobs.ts';
import { userOf } from '../accounts/account.view.ts';
import type { Context } from '../context.ts';
import type { FoundMessage, MessageAccess } from '../messages/message.access.ts';
import { pollRecord } from '../messages/poll.view.ts';
import { publishStand } from './telling.ts';
import { type OwnVote, type StoredPoll, voteTable } from './vote.table.ts';

type PollAnswer = z.output<typeof pollCalls.getPoll.answer>;
type Voter = z.output<typeof pollCalls.listVoters.answer>[number];

interface Deps extends Pick<Context, 'database' | 'changes' | 'jobs' | 'channelAccess'> {
  messageAccess: MessageAccess;
}

/** Votes in polls (contract §6, Polls). A poll is created with its message. */
export class PollService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** @throws AppError MESSAGE_NOT_FOUND, NOT_A_MEMBER, POLL_NOT_FOUND */
  async get(actor: Actor, messageId: string): Promise<PollAnswer> {
    const { row } = await this.deps.messageAccess.readable(actor, messageId);
    const { rows } = this.deps.database;
    const poll = existing(await voteTable.find(rows, messageId));
    return answer(row, poll, await voteTable.own(rows, actor.userId, messageId));
  }

  /**
   * Replaces what the actor chose; nothing takes the vote back. The same again changes nothing. Votes of one poll are
   * counted one after the other, on whichever nodes.
   * @throws AppError like `MessageAccess.open`, ROLE_REQUIRED, POLL_NOT_FOUND, POLL_CLOSED, VALIDATION_FAILED
   */
  async vote(actor: Actor, messageId: string, optionIds: number[]): Promise<PollAnswer> {
    const found = await this.deps.messageAccess.open(actor, messageId);
    requireInChannel(found.channel, 'message:react');
    const chosen = [...optionIds].sort((a, b) => a - b);
    return this.deps.changes.run(async (change) => {
      // Before the poll: whoever deletes its message holds a log, and waits for the poll.
      await change.lock(userRoom(actor.userId));
      const poll = existing(await voteTable.hold(change.rows, messageId));
      requireToFit(poll, chosen);
      const before = await voteTable.own(change.rows, actor.userId, messageId);
      if (String(before) === String(chosen)) return answer(found.row, poll, chosen);
      if (!poll.isOpen) throw new AppError('POLL_CLOSED');
      Object.assign(poll, recounted(poll, before, chosen));
      await voteTable.replace(change.rows, messageId, actor.userId, chosen);
      await voteTable.count(change.rows, messageId, poll, poll.isBeingTold);
      if (!poll.isBeingTold) await this.planToTell(change, found, new Date(poll.tellAt));
      const own = { messageId, channelId: found.row.channel_id, optionIds: chosen };
      change.publish(pollVoted.in(userRoom(actor.userId), own));
      return answer(found.row, poll, chosen);
    });
  }

  /**
   * Closes a poll for good; closed already, it stays so.
   * @throws AppError like `MessageAccess.deletable`, POLL_NOT_FOUND
   */
  async close(actor: Actor, messageId: string): Promise<PollAnswer> {
    const { row, channel } = await this.deps.messageAccess.deletable(actor, messageId);
    existing(await voteTable.find(this.deps.database.rows, messageId));
    const { author_id: authorId, channel_id: channelId } = row;
    await this.deps.changes.run(async (change) => {
      await change.lock(channelRoom(channelId));
      const closed = await voteTable.close(change.rows, messageId, false);
      if (!closed) return;
      await publishStand(change, { messageId, channelId }, closed);
      const { serverId } = channel;
      if (authorId === actor.userId || serverId === null) return;
      const target = { kind: 'message', id: messageId } as const;
      change.audit(pollClose, { actor, serverId, channelId, target, before: { authorId } });
    });
    return this.get(actor, messageId);
  }

  /** @throws AppError like `get`, POLL_ANONYMOUS, INVALID_CURSOR */
  async voters(
    actor: Actor,
    messageId: string,
    optionId: number,
    query: z.output<typeof pollCalls.listVoters.query>,
  ): Promise<ListPage<Voter>> {
    await this.deps.messageAccess.readable(actor, messageId);
    const { rows } = this.deps.database;
    const poll = existing(await voteTable.find(rows, messageId));
    if (optionId > poll.options.length) throw new AppError('POLL_NOT_FOUND');
    if (poll.anonymous) throw new AppError('POLL_ANONYMOUS');
    const page = { after: idCursor(query.cursor) ?? NIL, limit: query.limit + 1 };
    const found = await voteTable.voters(rows, messageId, optionId, page);
    return listPage(found, query.limit, (row) => userOf(row.id, row));
  }

  /** The actor's own votes in polls of a channel. @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER */
  async ownVotes(actor: Actor, channelId: string, messageIds: string[]): Promise<OwnVote[]> {
    await this.deps.channelAccess.readable(actor, channelId);
    return voteTable.ownIn(this.deps.database.rows, actor.userId, channelId, messageIds);
  }

  private async planToTell(change: Change, { row }: FoundMessage, runAt: Date): Promise<void> {
    const place = { messageId: row.id, channelId: row.channel_id };
    await this.deps.jobs.add(change, pollCountKind, place, { runAt });
    change.afterCommit(() => this.deps.jobs.wake(pollCountKind.name));
  }
}

/** @throws AppError POLL_NOT_FOUND */
function existing<P extends StoredPoll>(poll: P | undefined): P {
  if (!poll) throw new AppError('POLL_NOT_FOUND');
  return poll;
}

/** @throws AppError VALIDATION_FAILED for options that the poll does not have, or too many */
function requireToFit({ options, multiple }: StoredPoll, chosen: number[]): void {
  const isTooMuch = !multiple && chosen.length > 1;
  if (!isTooMuch && (chosen.at(-1) ?? 0) <= options.length) return;
  const message = isTooMuch ? 'must be one option at most in this poll' : 'must be options of this poll';
  throw invalid([{ path: 'optionIds', message, code: 'custom' }]);
}

/** What a poll comes to once someone's vote was replaced. */
function recounted(poll: StoredPoll, before: number[], chosen: number[]): Pick<StoredPoll, 'counts' | 'voterCount'> {
  const counts = poll.options.map((_, at) => {
    const step = Number(chosen.includes(at + 1)) - Number(before.includes(at + 1));
    return (poll.counts[at] ?? 0) + step;
  });
  const step = Number(chosen.length > 0) - Number(before.length > 0);
  return { counts, voterCount: poll.voterCount + step };
}

function answer(row: FoundMessage['row'], poll: StoredPoll, optionIds: number[]): PollAnswer {
  return { messageId: row.id, channelId: row.channel_id, optionIds, poll: pollRecord(poll) };
}
