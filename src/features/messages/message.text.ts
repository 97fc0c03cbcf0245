import { isDirect } from '../../contract/channel.ts';
import { isoTime } from '../../contract/schema.ts';
import { userOf } from '../accounts/account.view.ts';
import { componentsOf, type MessageRow, messageRecord, previewsOf, shownNonce } from './message.view.ts';

/**
 * The record of a message as JSON, as `viewerId` sees it. Most messages of a page have nothing but what all messages have:
 * their text is written without making the record first, which takes most of the time of a page.
 */
export function messageText(row: MessageRow, viewerId: string | null): string {
  return row.is_plain ? plainText(row, viewerId) : JSON.stringify(messageRecord(row, viewerId));
}

/** The same text as that of its record, field by field. */
function plainText(row: MessageRow, viewerId: string | null): string {
  const direct = isDirect(row.kind) ? `"dmChannelId":"${row.channel_id}",` : '';
  const thread = row.thread_id === null ? 'null' : `"${row.thread_id}"`;
  const components = row.components ? JSON.stringify(componentsOf(row)).slice(1, -1) : '';
  const nonce = row.author_id === viewerId ? shownNonce(row.nonce).nonce : undefined;
  return `{"id":"${row.id}","channelId":"${row.channel_id}",${direct}"seq":${row.seq},"content":${JSON.stringify(row.content)},\
"authorId":"${row.author_id}","author":${JSON.stringify(userOf(row.author_id, row))},"threadId":${thread},"replyToId":null,\
"replyTo":null,"thread":null,"attachments":[],"reactions":[],"mentions":${JSON.stringify(row.mentions ?? [])},\
"metadata":${JSON.stringify(row.metadata)},${nonce === undefined ? '' : `"nonce":${JSON.stringify(nonce)},`}\
"isEdited":${row.is_edited},"isPinned":${row.is_pinned},"createdAt":"${isoTime(row.created_at)}",\
"updatedAt":"${isoTime(row.updated_at)}","previews":${row.previews === null ? '[]' : JSON.stringify(previewsOf(row))}\
${components && `,${components}`}${row.answers_to === null ? '' : `,"answersTo":${row.answers_to}`}}`;
}
