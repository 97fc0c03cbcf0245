import type { ComponentChildren, HTMLAttributes } from 'preact';
import type { ChannelRecord } from '../../../../client/index.ts';
import type { MenuOf } from '../../state/entry-menu.ts';
import { Icon, type IconName } from '../parts/Icon.tsx';
import type { AppState } from '../useApp.ts';
import { useApp, useTexts } from '../useApp.ts';
import { useMenuPress } from './menu-press.ts';

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
  /** The menu that a right click or a long press opens. */
  menu?: MenuOf;
  /** What makes it one that can be dragged. */
  dragging?: HTMLAttributes<HTMLLIElement>;
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
    menu,
    dragging = {},
  } = props;
  const { surroundings } = useApp();
  const press = useMenuPress(menu);
  const kind = `entry ${(count > 0 || replied) && !muted ? 'unread' : ''} ${muted ? 'muted' : ''}`;
  return (
    <li {...dragging}>
      <a
        class={kind}
        href={href}
        aria-current={current ? 'page' : undefined}
        aria-keyshortcuts={menu && 'Shift+F10'}
        // There a long press opens the menu.
        draggable={surroundings.isTouched() ? false : undefined}
        {...press}
      >
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

interface FoldProps {
  title: string;
  isFolded: boolean;
  menu?: MenuOf | undefined;
  onFold(): void;
}

/** The heading of a part of a list, which folds it. */
export function Fold({ title, isFolded, menu, onFold }: FoldProps) {
  const press = useMenuPress(menu);
  return (
    <h2>
      <button
        type="button"
        class="folder"
        aria-expanded={!isFolded}
        aria-keyshortcuts={menu && 'Shift+F10'}
        onClick={onFold}
        {...press}
      >
        <Icon name={isFolded ? 'forward' : 'down'} />
        <span class="name">{title}</span>
      </button>
    </h2>
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

/** Whether there is a draft in a channel, or in a thread of it that is known. */
export function isDrafted({ drafts, follows }: AppState, channelId: string): boolean {
  return [...drafts.ids.value].some((id) => id === channelId || follows.of(id)?.channelId === channelId);
}

/** The icon for the type of a channel. */
export function channelIcon({ isPrivate, type }: Pick<ChannelRecord, 'isPrivate' | 'type'>): IconName {
  if (type === 'announcement') return 'announcement';
  if (type === 'voice') return 'voice';
  return isPrivate ? 'lock' : 'hash';
}
