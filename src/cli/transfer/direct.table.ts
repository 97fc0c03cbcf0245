import { z } from 'zod';
import { channelKeepDaysSchema } from '../../contract/keep-days.ts';
import { count, id, part, text, time, times } from './part.ts';
import { contacts, directChannels } from './selections.table.ts';

/** How far a conversation's log is, taken over as that of channels; its kind is known once the row beside it is there. */
const openLogs = `INSERT INTO streams (id, kind, last_seq, floor_seq) SELECT (c ->> 'channel_id')::uuid, 'channel',
    (c ->> 'last_seq')::bigint, (c ->> 'last_seq')::bigint FROM json_array_elements($1::json) AS c`;
const lastSeq = '(SELECT s.last_seq FROM streams s WHERE s.id = t.channel_id)';

/** Conversations of those who move, with each other. All else of a channel is the same for all of them. */
export const directs = part({
  table: 'channels',
  file: 'direct_channels',
  shape: z.object({
    id,
    kind: z.enum(['dm', 'group']),
    name: text(100),
    createdBy: id.nullable(),
    ...times,
    keepMessagesDays: channelKeepDaysSchema,
  }),
  from: `channels t WHERE t.id IN (${directChannels}) ORDER BY t.id`,
  kinds: ['channels', 'direct_channels'],
  refers: { createdBy: 'users' },
  derive: () => ({ type: 'text', is_private: true, position: 0 }),
});

export const dms = part({
  table: 'dm_channels',
  shape: z.object({ channelId: id, lowId: id, highId: id, lastSeq: count, lastActiveAt: time }),
  from: `dm_channels t WHERE t.channel_id IN (${directChannels}) ORDER BY t.channel_id`,
  select: { lastSeq },
  elsewhere: ['lastSeq'],
  refers: { channelId: 'direct_channels', lowId: 'users', highId: 'users' },
  also: openLogs,
});

/** For which set of people a group stands follows from its members. */
export const groups = part({
  table: 'group_channels',
  shape: z.object({ channelId: id, lastSeq: count }),
  from: `group_channels t WHERE t.channel_id IN (${directChannels}) ORDER BY t.channel_id`,
  select: { lastSeq },
  elsewhere: ['lastSeq'],
  refers: { channelId: 'direct_channels' },
  also: openLogs,
});

export const groupMembers = part({
  table: 'group_members',
  shape: z.object({ channelId: id, userId: id, lastActiveAt: time }),
  from: `group_members t WHERE t.channel_id IN (${directChannels}) ORDER BY t.channel_id, t.user_id`,
  refers: { channelId: 'direct_channels', userId: 'users' },
});

/** Who has blocked whom: without these, conversations would go on that someone has ended. */
export const blocks = part({
  table: 'blocks',
  shape: z
    .object({ userId: id, blockedId: id, createdAt: time })
    .refine(({ userId, blockedId }) => userId !== blockedId, 'must be someone else'),
  from: `blocks t WHERE $2::boolean AND t.user_id IN (${contacts}) AND t.blocked_id IN (${contacts})
    ORDER BY t.user_id, t.blocked_id`,
  refers: { userId: 'users', blockedId: 'users' },
});
