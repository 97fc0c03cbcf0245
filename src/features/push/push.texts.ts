import { typeOfKind } from '../../contract/notification.ts';
import type { PushPayload } from '../../contract/push.ts';
import { isoTime } from '../../contract/schema.ts';
import type { Due } from './push.table.ts';

const name = 'Parley';

/** With that of messages it stays far below the 4096 bytes that push services take. */
const maxTitle = 200;

/** What a device shows of a notification: who wrote what and where, or only that there is something new. */
export function payloadOf(due: Due, closed: string[]): PushPayload {
  const { id, kind, serverId, channelId, referenceType, referenceId, unreadCount, updatedAt } = due;
  const inviteCode = kind === 'server.invite' ? due.body : null;
  const shown = { title: due.title.slice(0, maxTitle), body: inviteCode === null ? due.body : '' };
  const texts = due.preview ? shown : bareTexts(due);
  const place = { serverId, channelId, referenceType, referenceId };
  return {
    type: 'notification',
    id,
    kind,
    ...texts,
    ...place,
    inviteCode,
    at: isoTime(updatedAt),
    unreadCount,
    closed,
  };
}

function bareTexts({ kind }: Due): { title: string; body: string } {
  const isMessage = typeOfKind[kind] !== 'system';
  return { title: name, body: isMessage ? 'New message' : 'There is something new for you' };
}

export const testPayload: PushPayload = { type: 'test', title: name, body: 'Pushes arrive on this device.' };
