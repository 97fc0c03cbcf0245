import type { Language } from '../../contract/languages.ts';
import { typeOfKind } from '../../contract/notification.ts';
import type { PushPayload } from '../../contract/push.ts';
import { isoTime } from '../../contract/schema.ts';
import { type ServerTexts, serverTexts } from '../../languages/server-texts.ts';
import { titleIn } from '../../languages/titles.ts';
import type { Due } from './push.table.ts';

const name = 'Parley';

/** With that of messages it stays far below the 4096 bytes that push services take. */
const maxTitle = 200;

/** What a device shows of a notification: who wrote what and where, or only that there is something new. */
export function payloadOf(due: Due, closed: string[]): PushPayload {
  const { id, kind, serverId, channelId, referenceType, referenceId, unreadCount, updatedAt } = due;
  const inviteCode = kind === 'server.invite' ? due.body : null;
  const said = serverTexts(due.language);
  const title = titleIn(said.t, kind, due.title).slice(0, maxTitle);
  const shown = { title, body: inviteCode === null ? due.body : '' };
  const texts = due.preview ? shown : bareTexts(said, due);
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

function bareTexts({ t }: ServerTexts, { kind }: Due): { title: string; body: string } {
  const isMessage = typeOfKind[kind] !== 'system';
  return { title: name, body: isMessage ? t('New message') : t('There is something new for you') };
}

export function testPayload(language: Language | null): PushPayload {
  return { type: 'test', title: name, body: serverTexts(language).t('Pushes arrive on this device.') };
}
