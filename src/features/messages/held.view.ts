import type { HeldRecord } from '../../contract/held.ts';
import { isoTime, isoTimeOrNull } from '../../contract/schema.ts';
import { userOf } from '../accounts/account.view.ts';
import type { HeldRow } from './held.table.ts';
import { forwardedRecord, ownFiles, shownNonce } from './message.view.ts';

/** The record as its author sees it; those who decide see the entry that it was held for and all they publish, and no nonce. */
export function heldRecord(row: HeldRow, viewer: 'author' | 'moderator'): HeldRecord {
  return {
    heldId: row.id,
    serverId: row.server_id,
    channelId: row.channel_id,
    threadId: row.thread_id,
    kind: row.kind,
    messageId: row.message_id,
    authorId: row.author_id,
    author: userOf(row.author_id, row),
    content: row.content,
    previousContent: row.previous_content,
    replyToId: row.reply_to_id,
    attachments: ownFiles(row),
    ...(row.poll ? { poll: row.poll } : {}),
    ...(row.components ? { components: row.components } : {}),
    reason: row.reason,
    ...(viewer === 'moderator' ? { pattern: row.pattern, metadata: row.metadata } : shownNonce(row.nonce)),
    status: row.status,
    createdAt: isoTime(row.created_at),
    decidedAt: isoTimeOrNull(row.decided_at),
    ...(row.forwarded ? { forwarded: forwardedRecord(row.forwarded, row.attachments) } : {}),
  };
}
