import type { ComponentChildren } from 'preact';
import type { ChannelRecord } from '../../../../client/index.ts';
import { channelsForMe } from '../../state/notifications.ts';
import { isMuted } from '../../state/preferences.ts';
import { place } from '../../state/router.ts';
import { unread } from '../../state/unread.ts';
import { Icon, type IconName } from '../parts/Icon.tsx';

interface EntryProps {
  href: string;
  name: string;
  icon?: IconName;
  /** Instead of an icon. */
  picture?: ComponentChildren;
  count?: number;
  /** Whether none of that is meant for the user. */
  quiet?: boolean;
  /** Whether something was typed there and not sent. */
  drafted?: boolean;
  current: boolean;
  muted?: boolean;
}

/** A line of the lists at the side. */
export function Entry(props: EntryProps) {
  const { href, name, icon, picture, count = 0, quiet, drafted = false, current, muted = false } = props;
  const kind = `entry ${count > 0 && !muted ? 'unread' : ''} ${muted ? 'muted' : ''}`;
  return (
    <li>
      <a class={kind} href={href} aria-current={current ? 'page' : undefined}>
        {picture ?? (icon && <Icon name={icon} />)}
        <span class="name">{name}</span>
        {drafted && !current && <Drafted />}
        {muted ? <Icon name="mute" /> : <Badge count={count} quiet={quiet} />}
      </a>
    </li>
  );
}

function Drafted() {
  return (
    <span title="Draft">
      <Icon name="edit" />
      <span class="hidden"> draft</span>
    </span>
  );
}

export function Badge({ count, quiet = false }: { count: number; quiet?: boolean | undefined }) {
  if (count === 0) return null;
  return (
    <span class={quiet ? 'badge quiet' : 'badge'}>
      {count > 99 ? '99+' : count}
      <span class="hidden"> unread{quiet ? '' : ', some for you'}</span>
    </span>
  );
}

/** What counts at a server: nothing that was muted. */
export function unreadIn(serverId: string, list: ChannelRecord[] = []): number {
  if (isMuted('server', serverId)) return 0;
  const heard = list.filter(({ id }) => !isMuted('channel', id));
  return heard.reduce((sum, { id }) => sum + (unread.value.get(id) ?? 0), 0);
}

/** Whether nothing that counts at a server is meant for the user. */
export const isQuiet = (list: ChannelRecord[] = []): boolean => !list.some(({ id }) => channelsForMe.value.has(id));

export function isHere(channelId: string): boolean {
  const here = place.value;
  return 'channelId' in here && here.channelId === channelId;
}

/** How a channel shows what it is. */
export function channelIcon({ isPrivate, type }: Pick<ChannelRecord, 'isPrivate' | 'type'>): IconName {
  if (type === 'announcement') return 'announcement';
  if (type === 'voice') return 'voice';
  return isPrivate ? 'lock' : 'hash';
}
