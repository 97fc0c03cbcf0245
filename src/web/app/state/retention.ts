import type { ChannelRecord, ServerRecord } from '../../../client/index.ts';
import { keptDays } from '../../../contract/kept-days.ts';
import type { Texts } from './texts.ts';
import { Failure } from './toasts.ts';

type Kept = Pick<ChannelRecord, 'keepMessagesDays'>;

/** `30 days`, `1 day`. */
export const daysText = ({ t }: Texts, days: number): string =>
  t('{count, plural, one {# day} other {# days}}', { count: days });

/** What everyone in a channel should know of how long it keeps what they write; null: nothing unusual. */
export function keepingText(texts: Texts, server: ServerRecord | null, channel: Kept | null): string | null {
  if (!server || !channel) return null;
  const days = keptDays(channel.keepMessagesDays, server.keepMessagesDays);
  const parts = [
    days === null ? '' : texts.t('Messages here are deleted after {days}.', { days: daysText(texts, days) }),
    server.keepEditHistory ? texts.t('Moderators here can see earlier versions of edited messages.') : '',
  ];
  return parts.filter(Boolean).join(' ') || null;
}

/** Whether messages that are kept now would go. Null: they are kept for ever. */
export const isShorter = (days: number | null, before: number | null): boolean =>
  days !== null && (before === null || days < before);

/** How many days someone typed; null: none, so for ever. @throws Error for what is no such number */
export function typedDays(text: string): number | null {
  if (text === '') return null;
  const days = Number(text);
  if (!/^\d{1,4}$/.test(text) || days < 1 || days > 3650) throw new Failure('Enter a number of days from 1 to 3650.');
  return days;
}
