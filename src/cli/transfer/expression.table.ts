import { z } from 'zod';
import { picturePath } from '../../contract/picture.ts';
import { optionsSchema, pollOptions, questionSchema } from '../../contract/poll.ts';
import { emojiNameSchema } from '../../contract/server-emoji.ts';
import { endTime, id, part, smallCount, time } from './part.ts';
import { liveMessages } from './selections.table.ts';

/** Emoji of the server's own; their pictures come as those of everyone. */
export const serverEmoji = part({
  table: 'server_emoji',
  shape: z.object({
    id,
    serverId: id,
    name: emojiNameSchema,
    url: z.string().regex(picturePath, 'must be the address of a picture'),
    isAnimated: z.boolean(),
    createdBy: id.nullable(),
    createdAt: time,
  }),
  from: 'server_emoji t WHERE t.server_id = $1 ORDER BY t.id',
  refers: { serverId: 'servers', createdBy: 'users' },
});

/**
 * Nobody who voted in an anonymous poll is in the file, so nobody could change their vote there, and all could vote once
 * more: such a poll is closed in it.
 */
export const polls = part({
  table: 'polls',
  shape: z
    .object({
      messageId: id,
      channelId: id,
      question: questionSchema,
      options: optionsSchema,
      counts: z.array(smallCount).min(pollOptions.least).max(pollOptions.most),
      voterCount: smallCount,
      multiple: z.boolean(),
      anonymous: z.boolean(),
      closesAt: endTime.nullable(),
      closedAt: time.nullable(),
      createdAt: time,
    })
    .refine(({ options, counts }) => options.length === counts.length, 'must have a count for each option')
    .refine(({ anonymous, closedAt }) => !anonymous || closedAt !== null, 'must be closed where it is anonymous'),
  from: `polls t JOIN (${liveMessages}) m ON m.channel_id = t.channel_id AND m.id = t.message_id ORDER BY m.channel_id, m.seq`,
  select: { closedAt: 'CASE WHEN t.anonymous THEN coalesce(t.closed_at, now()) ELSE t.closed_at END' },
  refers: { messageId: 'messages', channelId: 'channels' },
});

export const pollVotes = part({
  table: 'poll_votes',
  shape: z.object({ messageId: id, optionId: z.int().min(1).max(pollOptions.most), userId: id }),
  from: `poll_votes t JOIN polls p ON p.message_id = t.message_id AND NOT p.anonymous
    JOIN (${liveMessages}) m ON m.channel_id = p.channel_id AND m.id = p.message_id
    ORDER BY m.channel_id, m.seq, t.option_id, t.user_id`,
  refers: { messageId: 'messages', userId: 'users' },
});
