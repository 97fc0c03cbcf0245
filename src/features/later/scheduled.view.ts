import { type ErrorCode, errorCodes } from '../../contract/error-codes.ts';
import type { ScheduledRecord } from '../../contract/scheduled.ts';
import { isoTime } from '../../contract/schema.ts';
import { attachmentRecord } from '../messages/message.view.ts';
import type { ScheduledRow } from './scheduled.table.ts';

export function scheduledRecord(row: ScheduledRow): ScheduledRecord {
  return {
    id: row.id,
    serverId: row.server_id,
    channelId: row.channel_id,
    threadId: row.thread_id,
    replyToId: row.reply_to_id,
    content: row.content,
    attachments: row.attachments?.map(attachmentRecord) ?? [],
    metadata: row.metadata,
    sendAt: isoTime(row.send_at),
    status: row.status,
    failure: row.failure === null ? null : { code: row.failure, message: sentenceOf(row.failure) },
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}

/** The sentence of an error code; another version may have written one that this one does not know. */
export function sentenceOf(code: string): string {
  return errorCodes[isKnown(code) ? code : 'INTERNAL_ERROR'][1];
}

function isKnown(code: string): code is ErrorCode {
  return code in errorCodes;
}
