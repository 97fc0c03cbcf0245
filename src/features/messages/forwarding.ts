import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { saidIn } from '../../contract/quote.ts';
import { isoTime } from '../../contract/schema.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { StorageAllowance } from '../blobs/allowance.ts';
import type { AttachmentRow } from './attachment.table.ts';
import type { ForwardRow, NewForward } from './forward.table.ts';
import type { MessageAccess } from './message.access.ts';
import type { MessageRow } from './message.view.ts';

interface Deps {
  messageAccess: MessageAccess;
  allowance: StorageAllowance;
}

/** What a message is to forward: for the database, for its record, and the files that come along. */
export interface Forwarding {
  forward: NewForward;
  row: ForwardRow;
  files: AttachmentRow[];
}

/**
 * What becomes of a message that the actor may read when they forward it. A forwarded message passes on the original, as far
 * as it goes, and not what was said about it: nothing is ever nested. Metadata is not passed on, nor are mentions of channels,
 * whose present names may be for those in them.
 * @throws AppError MESSAGE_NOT_FOUND, NOT_A_MEMBER, QUOTA_EXCEEDED
 */
export async function forwardingOf({ messageAccess, allowance }: Deps, actor: Actor, id: string): Promise<Forwarding> {
  const { row } = await messageAccess.readable(actor, id);
  if (row.forwarded?.isWithdrawn) throw new AppError('MESSAGE_NOT_FOUND', { message: 'Nothing is left to forward.' });
  const passed = passedOn(row);
  const sent = passed.files.map((file) => ({ ...file, id: newId() }));
  await allowance.requireRoomFor(
    actor,
    sent.reduce((sum, { size }) => sum + size, 0),
  );
  const { sourceId, author, content, mentions, sentAt } = passed;
  const attachmentIds = sent.map((file) => file.id);
  const people = mentions.filter(({ kind }) => kind === 'user');
  const copies = sent.map(({ id: copyId, thumbnail_blob_id: thumbnail }, place) => {
    return { id: copyId, fromId: passed.files[place]?.id ?? '', place, hasThumbnail: thumbnail !== null };
  });
  const via = { id: row.id, channelId: row.channel_id, updatedAt: isoTime(row.updated_at) };
  const kept = { sourceId, content, mentions: people, attachmentIds, sentAt };
  return {
    forward: { ...kept, authorId: author.id, via, copies },
    row: { ...kept, author, isWithdrawn: false },
    files: sent,
  };
}

/** The original and its files. */
function passedOn(row: MessageRow) {
  const all = row.attachments ?? [];
  if (row.forwarded) {
    const { sourceId, author, content, mentions, attachmentIds, sentAt } = row.forwarded;
    const files = all.filter((file) => attachmentIds.includes(file.id));
    return { sourceId, author, content, mentions: mentions ?? [], files, sentAt: isoTime(sentAt) };
  }
  const { id, author_id: authorId, username, display_name: displayName, avatar_url: avatarUrl, is_bot: isBot } = row;
  const author = { id: authorId, username, displayName, avatarUrl, isBot };
  // A poll itself is voted on where it is: what it asks is passed on.
  const content = saidIn({ content: row.content, poll: row.poll });
  const { mentions } = row;
  return { sourceId: id, author, content, mentions: mentions ?? [], files: all, sentAt: isoTime(row.created_at) };
}

/** What was kept while a moderator decided, as it was then. Its files are claimed with the others. */
export function keptForwarding({ sourceId, author, content, mentions, attachmentIds, sentAt }: ForwardRow): Forwarding {
  const kept = { sourceId, content, mentions: mentions ?? [], attachmentIds, sentAt };
  return {
    forward: { ...kept, authorId: author.id, via: null, copies: [] },
    row: { ...kept, author, isWithdrawn: false },
    files: [],
  };
}
