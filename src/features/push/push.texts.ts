import type { Language } from '../../contract/languages.ts';
import { typeOfKind } from '../../contract/notification.ts';
import type { PushPayload } from '../../contract/push.ts';
import { cut } from '../../contract/quote.ts';
import { isoTime } from '../../contract/schema.ts';
import { type ServerTexts, serverTexts } from '../../languages/server-texts.ts';
import { bodyIn, titleIn } from '../../languages/titles.ts';
import { failureIn } from '../notifications/notification.view.ts';
import type { Due } from './push.table.ts';

const name = 'Parley';

const longest = { title: 200, body: 500 };
/** Push services take 4096 bytes, of which encryption needs about a hundred. */
const maxBytes = 3900;
/** An id in quotes, with a comma. */
const idBytes = 39;

/**
 * What a device shows of a notification: who wrote what and where, or only that there is something new.
 * @param closed what it takes back: as many as there is room for, from the first on
 */
export function payloadOf(due: Due, closed: string[]): PushPayload {
  const { id, kind, serverId, channelId, referenceType, referenceId, unreadCount, updatedAt } = due;
  const inviteCode = kind === 'server.invite' ? due.body : null;
  const said = serverTexts(due.language);
  const title = cut(titleIn(said.t, kind, due.title), longest.title);
  const shown = { title, body: inviteCode === null ? cut(bodyOf(said, due), longest.body) : '' };
  const texts = due.preview ? shown : bareTexts(said, due);
  const place = { serverId, channelId, referenceType, referenceId };
  const at = isoTime(updatedAt);
  const payload = { type: 'notification', id, kind, ...texts, ...place, inviteCode, at, unreadCount } as const;
  const room = maxBytes - Buffer.byteLength(JSON.stringify(payload));
  return { ...payload, closed: closed.slice(0, Math.max(0, Math.floor(room / idBytes))) };
}

const bodyOf = ({ errorOf }: ServerTexts, { kind, body }: Due): string =>
  bodyIn(errorOf, { body, ...failureIn({ kind, body }) });

function bareTexts({ t }: ServerTexts, { kind }: Due): { title: string; body: string } {
  const isMessage = typeOfKind[kind] !== 'system';
  return { title: name, body: isMessage ? t('New message') : t('New notification') };
}

export function testPayload(language: Language | null): PushPayload {
  return { type: 'test', title: name, body: serverTexts(language).t('Push notifications arrive on this device.') };
}
