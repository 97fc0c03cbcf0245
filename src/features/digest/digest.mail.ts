import type { HourCycle } from '../../contract/appearance.ts';
import { knownZone } from '../../contract/local-time.ts';
import { notificationPath } from '../../contract/notification-path.ts';
import { cut } from '../../contract/schema.ts';
import { withoutDirections } from '../../contract/unicode/visible.ts';
import type { Mail } from '../../infrastructure/mail.ts';
import { escapeHtml, type MailTemplates } from '../../infrastructure/mail-templates.ts';
import { type ServerTexts, serverTexts } from '../../languages/server-texts.ts';
import { bodyIn, titleIn } from '../../languages/titles.ts';
import { failureIn } from '../notifications/notification.view.ts';
import type { Missed, Recipient } from './digest.table.ts';

/** So many are shown; of the others there is the number. */
export const mostShown = 20;
/** And so many are counted. */
export const mostCounted = 200;
const longestExcerpt = 200;

/** What the mail of what someone missed is made of. */
export interface DigestParts {
  to: Recipient;
  /** The newest first, up to one more than are counted. */
  missed: Missed[];
  site: string;
  unsubscribe: string;
  /** Whether what was said is quoted. */
  excerpts: boolean;
}

/** The mail of what someone missed (contract §7). Whatever people wrote is escaped, and nothing in it is loaded from elsewhere. */
export function digestMail(templates: MailTemplates, parts: DigestParts): Mail {
  const { to, missed, site, unsubscribe } = parts;
  const shown = missed.slice(0, mostShown);
  const said = serverTexts(to.language);
  const byPlace = Map.groupBy(shown, (one) => placeOf(said, one));
  const places = [...byPlace].map(([place, entries]) => ({ place, entries: entries.toReversed() }));
  const timeZone = knownZone(to.timeZone);
  const time = timesIn(said.language, timeZone, to.hourCycle);
  const entries = places.map(({ place, entries }) => ({
    place,
    entries: entries.map((one) => entryOf(said, one, { site, time, excerpts: parts.excerpts })),
  }));
  const values = {
    username: to.username,
    host: new URL(site).host,
    count: numberOf(said, missed.length),
    items: { text: entries.map(textOf).join('\n\n'), html: entries.map((one) => htmlOf(said, one)).join('') },
    more:
      missed.length > mostShown ? said.t('And {what} more.', { what: numberOf(said, missed.length - mostShown) }) : '',
    zone: timeZone,
    link: `${site}/app/notifications`,
    settings: `${site}/app/settings/notifications`,
    ...{ unsubscribe, site },
  };
  return {
    to: to.email,
    ...templates.render('digest', values, to.language),
    replyTo: `no-reply@${new URL(site).hostname}`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      'List-Unsubscribe': `<${unsubscribe}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  };
}

const numberOf = ({ t }: ServerTexts, count: number): string =>
  count > mostCounted
    ? t('more than {count} notifications', { count: mostCounted })
    : t('{count, plural, one {# notification} other {# notifications}}', { count });

/** Nobody may write what turns the text around it. */
const plain = (text: string): string => withoutDirections(text).replace(/\s+/g, ' ').trim();

function placeOf({ t }: ServerTexts, { serverName, channelName, channelId }: Missed): string {
  if (serverName !== null && channelName !== null)
    return t('#{channel} in {server}', { channel: plain(channelName), server: plain(serverName) });
  if (serverName !== null) return plain(serverName);
  return channelId === null ? t('News for you') : t('Direct messages');
}

function timesIn(language: string, timeZone: string, hourCycle: HourCycle | null): (at: Date | string) => string {
  const format = new Intl.DateTimeFormat(language, {
    ...{ weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
    ...{ timeZone, hourCycle: hourCycle ?? undefined },
  });
  return (at) => format.format(new Date(at));
}

interface Entry {
  title: string;
  excerpt: string;
  time: string;
  link: string;
}

function entryOf(
  { t, errorOf }: ServerTexts,
  missed: Missed,
  { site, time, excerpts }: { site: string; time: (at: Date | string) => string; excerpts: boolean },
): Entry {
  const { kind, title, count, at } = missed;
  const body = bodyIn(errorOf, { body: missed.body, ...failureIn(missed) });
  const isQuoted = excerpts && kind !== 'server.invite';
  const repeats = count > 1 ? ` (${t('{count, plural, one {# time} other {# times}}', { count })})` : '';
  return {
    title: `${plain(titleIn(t, kind, title))}${repeats}`,
    excerpt: isQuoted ? cut(plain(body), longestExcerpt) : '',
    time: time(at),
    // Whoever has the code of an invitation may join with it.
    link: `${site}${notificationPath({ ...missed, body: '' })}`,
  };
}

interface Place {
  place: string;
  entries: Entry[];
}

function textOf({ place, entries }: Place): string {
  const lines = entries.flatMap(({ title, excerpt, time, link }) => [
    `* ${title} - ${time}`,
    ...(excerpt === '' ? [] : [`  > ${excerpt}`]),
    `  ${link}`,
  ]);
  return [place, ...lines].join('\n');
}

function htmlOf({ direction }: ServerTexts, { place, entries }: Place): string {
  // Mail programs know the sides of the screen alone.
  const side = direction === 'rtl' ? 'right' : 'left';
  const items = entries.map(({ title, excerpt, time, link }) => {
    const quote = `<div dir="auto" style="margin:4px 0 0;padding-${side}:12px;border-${side}:3px solid #d4d8e0;color:#1f2430">${escapeHtml(excerpt)}</div>`;
    return `<div style="margin:0 0 12px"><a dir="auto" href="${escapeHtml(link)}" style="color:#00736f;text-decoration:none">${escapeHtml(title)}</a>
<span style="font-size:13px;color:#6b7280">${escapeHtml(time)}</span>${excerpt === '' ? '' : quote}</div>`;
  });
  return `<h2 dir="auto" style="margin:16px 0 8px;font-size:16px">${escapeHtml(place)}</h2>${items.join('\n')}`;
}
