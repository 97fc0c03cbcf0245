import { pollUpdated } from '../../contract/poll.ts';
import { channelRoom } from '../../contract/rooms.ts';
import type { Change } from '../../delivery/changes.ts';
import { type InsideWork, insideWork } from '../../jobs/job.kind.ts';
import { type PollPlace, pollClosingKind, pollCountKind } from '../../jobs/poll.jobs.ts';
import { pollRecord } from '../messages/poll.view.ts';
import { type StoredPoll, voteTable } from './vote.table.ts';

/** Tells a channel what a poll comes to, without who voted. The channel's log must be locked. */
export async function publishStand(change: Change, { messageId, channelId }: PollPlace, poll: StoredPoll) {
  const place = await voteTable.placeOf(change.rows, channelId, messageId);
  if (!place) return;
  const { options, voterCount, closesAt, closedAt } = pollRecord(poll);
  const tallies = options.map(({ id, count }) => ({ id, count }));
  const stand = { messageId, channelId, seq: place.seq, options: tallies, voterCount, closesAt, closedAt };
  change.publish(pollUpdated.in(channelRoom(channelId), stand, place.threadId));
}

/** How polls are closed at their time, and how channels are told of votes: many votes at once as one event. */
export function pollWork(): InsideWork[] {
  const stand = (read: (change: Change, messageId: string) => Promise<StoredPoll | undefined>) =>
    async function run(change: Change, [job]: { data: PollPlace }[]): Promise<void> {
      if (!job) return;
      // Locked before the votes are read, so that no older count follows a newer one.
      await change.lock(channelRoom(job.data.channelId));
      const poll = await read(change, job.data.messageId);
      if (poll) await publishStand(change, job.data, poll);
    };
  return [
    insideWork(
      pollCountKind,
      stand(({ rows }, id) => voteTable.tell(rows, id)),
    ),
    insideWork(
      pollClosingKind,
      stand(({ rows }, id) => voteTable.close(rows, id, true)),
    ),
  ];
}
