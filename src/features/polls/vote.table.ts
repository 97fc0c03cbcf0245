import type { Rows } from '../../database/database.ts';
import type { UserColumns } from '../accounts/account.view.ts';
import type { PollRow } from '../messages/poll.table.ts';

/** A poll with what its rules need. */
export interface StoredPoll extends PollRow {
  /** By PostgreSQL's clock, at the moment in which its row was read: the transaction may have begun before. */
  isOpen: boolean;
}

/** A poll whose row is locked. */
interface HeldPoll extends StoredPoll {
  /** A job tells its channel of votes already. */
  isBeingTold: boolean;
  /** When it may be told next. */
  tellAt: Date | string;
}

/** A channel is told of the votes of a poll this often at most. */
const tellSeconds = 1;
/** After so long a job that was to tell is given up, and another one is added. */
const lostSeconds = 60;

const columns = `question, options, counts, voter_count AS "voterCount", multiple, anonymous, closes_at AS "closesAt",
  closed_at AS "closedAt", closed_at IS NULL AND (closes_at IS NULL OR closes_at > clock_timestamp()) AS "isOpen"`;
const find = `SELECT ${columns} FROM polls WHERE message_id = $1`;
const hold = `SELECT ${columns}, coalesce(untold_since > now() - make_interval(secs => ${lostSeconds}), false) AS "isBeingTold",
    coalesce(told_at + make_interval(secs => ${tellSeconds}), now()) AS "tellAt"
  FROM polls WHERE message_id = $1 FOR UPDATE`;
const ownOf = `SELECT message_id AS "messageId", array_agg(option_id::int ORDER BY option_id) AS "optionIds"
  FROM poll_votes WHERE user_id = $1 AND message_id = ANY($2::uuid[]) GROUP BY message_id`;
const ownInChannel = `SELECT v.message_id AS "messageId", array_agg(v.option_id::int ORDER BY v.option_id) AS "optionIds"
  FROM poll_votes v JOIN polls p ON p.message_id = v.message_id AND p.channel_id = $3
  WHERE v.user_id = $1 AND v.message_id = ANY($2::uuid[]) GROUP BY v.message_id`;
const take = 'DELETE FROM poll_votes WHERE message_id = $1 AND user_id = $2';
const give = `INSERT INTO poll_votes (message_id, option_id, user_id) SELECT $1, option_id, $2
  FROM unnest($3::smallint[]) AS option_id`;
const count = `UPDATE polls SET counts = $2::int[], voter_count = $3,
    untold_since = CASE WHEN $4 THEN untold_since ELSE now() END
  WHERE message_id = $1`;
const tell = `UPDATE polls SET told_at = now(), untold_since = NULL WHERE message_id = $1 AND closed_at IS NULL
  RETURNING ${columns}`;
const close = `UPDATE polls SET closed_at = now(), told_at = now(), untold_since = NULL
  WHERE message_id = $1 AND closed_at IS NULL AND (NOT $2 OR closes_at <= now()) RETURNING ${columns}`;
const voters = `SELECT u.id, u.username, u.display_name, u.avatar_url, u.is_bot
  FROM poll_votes v JOIN polls p ON p.message_id = v.message_id AND NOT p.anonymous JOIN users u ON u.id = v.user_id
  WHERE v.message_id = $1 AND v.option_id = $2 AND v.user_id > $3 ORDER BY v.user_id LIMIT $4`;
const placeOf = `SELECT m.seq, m.thread_id AS "threadId" FROM messages m WHERE m.channel_id = $1 AND m.id = $2 AND m.deleted_at IS NULL`;

/** Whose votes these are is known to the caller alone. */
export interface OwnVote {
  messageId: string;
  optionIds: number[];
}

/** The statements of polls and votes. */
export const voteTable = {
  find: async (rows: Rows, messageId: string): Promise<StoredPoll | undefined> =>
    (await rows<StoredPoll>(find, [messageId]))[0],

  /** Locks a poll until the commit: votes are counted one after the other. */
  hold: async (rows: Rows, messageId: string): Promise<HeldPoll | undefined> =>
    (await rows<HeldPoll>(hold, [messageId]))[0],

  /** What someone chose in a poll, in order. */
  own: async (rows: Rows, userId: string, messageId: string): Promise<number[]> =>
    (await rows<OwnVote>(ownOf, [userId, [messageId]]))[0]?.optionIds ?? [],

  /** The same in several polls of a channel; those without a vote are missing. */
  ownIn: (rows: Rows, userId: string, channelId: string, messageIds: string[]) =>
    rows<OwnVote>(ownInChannel, [userId, messageIds, channelId]),

  /** Replaces what someone chose. The poll must be held. */
  async replace(rows: Rows, messageId: string, userId: string, optionIds: number[]): Promise<void> {
    await rows(take, [messageId, userId]);
    if (optionIds.length > 0) await rows(give, [messageId, userId, optionIds]);
  },

  /** @param isBeingTold a job tells the channel of it already */
  async count(
    rows: Rows,
    messageId: string,
    { counts, voterCount }: Pick<PollRow, 'counts' | 'voterCount'>,
    isBeingTold: boolean,
  ): Promise<void> {
    await rows(count, [messageId, counts, voterCount, isBeingTold]);
  },

  /** A poll as its channel is told of it now; undefined: it is closed or gone, which was told. */
  tell: async (rows: Rows, messageId: string): Promise<StoredPoll | undefined> =>
    (await rows<StoredPoll>(tell, [messageId]))[0],

  /** Closes a poll. @param isDue only if its time has come @returns undefined: it is closed already, or gone */
  close: async (rows: Rows, messageId: string, isDue: boolean): Promise<StoredPoll | undefined> =>
    (await rows<StoredPoll>(close, [messageId, isDue]))[0],

  /** Who chose an option, by their ids; of an anonymous poll nobody. */
  voters: (rows: Rows, messageId: string, optionId: number, page: { after: string; limit: number }) =>
    rows<UserColumns & { id: string }>(voters, [messageId, optionId, page.after, page.limit]),

  /** Where a message is, unless it was deleted. */
  placeOf: async (rows: Rows, channelId: string, messageId: string) =>
    (await rows<{ seq: number; threadId: string | null }>(placeOf, [channelId, messageId]))[0],
};
