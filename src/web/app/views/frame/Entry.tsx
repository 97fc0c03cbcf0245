import type { ComponentChildren } from 'preact';
import type { ChannelRecord } from '../../../../client/index.ts';
import { Icon, type IconName } from '../parts/Icon.tsx';
import type { AppState } from '../useApp.ts';
import { useTexts } from '../useApp.ts';

interface EntryProps {
  href: string;
  name: string;
  icon?: IconName;
  /** Shown instead of the icon. */
  picture?: ComponentChildren;
  /** Beside the name. */
  beside?: ComponentChildren;
  count?: number;
  /** Whether no message of these is meant for the user. */
  quiet?: boolean;
  /** Whether there are unread replies in threads. */
  replied?: boolean;
  /** Whether there is a draft. */
  drafted?: boolean;
  current: boolean;
  muted?: boolean;
}

/** An entry of the sidebar's lists. */
export function Entry(props: EntryProps) {
  const {
    href,
    name,
    icon,
    picture,
    beside,
    count = 0,
    quiet,
    replied = false,
    drafted = false,
    current,
    muted = false,
  } = props;
  const kind = `entry ${(count > 0 || replied) && !muted ? 'unread' : ''} ${muted ? 'muted' : ''}`;
  return (
    <li>
      <a class={kind} href={href} aria-current={current ? 'page' : undefined}>
        {picture || (icon && <Icon name={icon} />)}
        <span class="name">{name}</span>
        {beside}
        {drafted && !current && <Drafted />}
        {replied && !muted && <Replied />}
        {muted ? <Icon name="mute" /> : <Badge count={count} quiet={quiet} />}
      </a>
    </li>
  );
}

function Drafted() {
  const { t } = useTexts();
  return (
    <span title={t('Draft')}>
      <Icon name="edit" />
      <span class="hidden"> {t('draft')}</span>
    </span>
  );
}

function Replied() {
  const { t } = useTexts();
  return (
    <span class="replied" title={t('New replies in threads')}>
      <Icon name="thread" />
      <span class="hidden"> {t('new replies in threads')}</span>
    </span>
  );
}

export function Badge({ count, quiet = false }: { count: number; quiet?: boolean | undefined }) {
  const { t } = useTexts();
  if (count === 0) return null;
  return (
    <span class={quiet ? 'badge quiet' : 'badge'}>
      {count > 99 ? '99+' : count}
      <span class="hidden"> {quiet ? t('unread') : t('unread, some for you')}</span>
    </span>
  );
}

/** The number of unread messages in a server, without what is muted. */
export function unreadIn(app: AppState, serverId: string, list: ChannelRecord[] = []): number {
  if (app.preferences.isMuted('server', serverId)) return 0;
  const heard = list.filter(({ id }) => !app.preferences.isMuted('channel', id));
  return heard.reduce((sum, { id }) => sum + (app.unread.counts.value.get(id) ?? 0), 0);
}

/** Whether no unread message in channels is meant for the user. */
export const isQuiet = (app: AppState, list: ChannelRecord[] = []): boolean =>
  !list.some(({ id }) => app.notifications.channelsForMe.value.has(id));

export function isHere(app: AppState, channelId: string): boolean {
  const here = app.route.value;
  return 'channelId' in here && here.channelId === channelId;
}

/** The icon for the type of a channel. */
export function channelIcon({ isPrivate, type }: Pick<ChannelRecord, 'isPrivate' | 'type'>): IconName {
  if (type === 'announcement') return 'announcement';
  if (type === 'voice') return 'voice';
  return isPrivate ? 'lock' : 'hash';
}
