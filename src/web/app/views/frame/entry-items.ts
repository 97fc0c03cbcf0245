import type { ChannelRecord, ServerRecord } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import { moveCategory, moveChannel } from '../../state/arranging.ts';
import { type CategoryRecord, sectionsOf } from '../../state/categories.ts';
import type { DmChannel } from '../../state/groups.ts';
import type { Level } from '../../state/preferences.ts';
import { pathTo } from '../../state/router.ts';
import { isReadable } from '../../state/servers.ts';
import type { Texts } from '../../state/texts.ts';
import type { MenuItem } from '../parts/Menu.tsx';
import { dmItems } from '../people/dm-tasks.ts';
import { channelTasks } from '../server/channel-tasks.ts';
import { firstTask } from '../server/sections.ts';
import type { AppState } from '../useApp.ts';
import type { MenuGroup } from './ContextMenu.tsx';
import type { EntryTask } from './EntryMenus.tsx';

type OnTask = (task: EntryTask) => void;

const present = (items: (MenuItem | false)[]): MenuItem[] => items.filter((item) => item !== false);

export function channelGroups(
  texts: Texts,
  app: AppState,
  { server, channel }: { server: ServerRecord; channel: ChannelRecord },
  onTask: OnTask,
): MenuGroup[] {
  const { t } = texts;
  const begin = (task: Extract<EntryTask, { kind: 'channel' }>['task']) => onTask({ kind: 'channel', task });
  const { edit, permissions, hooks, keep, archive, remove } = channelTasks(texts, app, channel, begin);
  const members: MenuItem | false = channel.isPrivate &&
    channel.isMember && { label: t('Members'), icon: 'friends', run: () => begin({ what: 'members', channel }) };
  return [
    {
      items: [
        readItem(texts, app, [channel]),
        favoriteItem(texts, app, channel.id),
        linkItem(texts, app, pathTo.channel(server.id, channel.id)),
      ],
    },
    ...levelGroups(texts, app, { place: 'channel', id: channel.id, otherwise: 'Same as the server' }),
    { items: present(placeItems(texts, app, server, channel, onTask)) },
    { items: present([edit, members, permissions, hooks, keep, archive, remove]) },
  ];
}

export function dmGroups(texts: Texts, app: AppState, dm: DmChannel, onTask: OnTask): MenuGroup[] {
  return [
    { items: [readItem(texts, app, [dm]), favoriteItem(texts, app, dm.id)] },
    ...levelGroups(texts, app, { place: 'channel', id: dm.id, otherwise: 'Same as in your settings' }),
    { items: dmItems(texts, dm, (task) => onTask({ kind: 'dm', dm, task })) },
  ];
}

export function serverGroups(texts: Texts, app: AppState, server: ServerRecord, onTask: OnTask): MenuGroup[] {
  const { t } = texts;
  const read = async () => {
    await app.unread.markAllRead(app.servers.channels.peek().get(server.id)?.filter(isReadable) ?? []);
    await app.notifications.readServer(server.id);
  };
  const task = firstTask(app, server);
  const invites =
    server.inviteCode !== undefined ||
    app.rights.may(server, 'invite:create') ||
    app.rights.may(server, 'server:invite');
  return [
    {
      items: [
        { label: t('Mark all as read'), icon: 'check', run: () => void app.attempt(read) },
        linkItem(texts, app, pathTo.server(server.id)),
      ],
    },
    ...levelGroups(texts, app, { place: 'server', id: server.id, otherwise: 'Same as in your settings' }),
    {
      items: present([
        invites && { label: t('Invite people'), icon: 'add', run: () => onTask({ kind: 'invite', server }) },
        task !== undefined && {
          label: t('Server settings'),
          icon: 'settings',
          run: () => app.navigate(pathTo.manage(server.id, task)),
        },
      ]),
    },
  ];
}

/** Everything everywhere. */
export function homeGroups({ t }: Texts, app: AppState): MenuGroup[] {
  const read = async () => {
    const channels = [...app.servers.channels.peek().values()].flat().filter(isReadable);
    await app.unread.markAllRead([...channels, ...app.people.dms.peek()]);
    await app.follows.markAllRead();
    await app.notifications.readAll();
  };
  return [{ items: [{ label: t('Mark everything as read'), icon: 'check', run: () => void app.attempt(read) }] }];
}

export function categoryGroups(
  texts: Texts,
  app: AppState,
  { server, category }: { server: ServerRecord; category: CategoryRecord },
  onTask: OnTask,
): MenuGroup[] {
  const { t } = texts;
  const { rights, categories, preferences, attempt } = app;
  const channels = (app.servers.channels.value.get(server.id) ?? []).filter(
    (channel) => channel.categoryId === category.id && isReadable(channel),
  );
  const ids = channels.map(({ id }) => id);
  const isFolded = categories.folded.value.has(category.id);
  const isMuted = ids.length > 0 && ids.every((id) => preferences.isMuted('channel', id));
  const all = categories.of(server.id);
  const at = all.findIndex(({ id }) => id === category.id);
  const move = (before: string | null) => void attempt(() => moveCategory(app, server.id, category.id, before));
  const begin = (what: 'rename' | 'delete') =>
    onTask({ kind: 'category', task: { what, serverId: server.id, category } });
  const orders = rights.may(server, 'channel:order');
  return [
    {
      items: present([
        readItem(texts, app, channels),
        {
          label: isFolded ? t('Expand') : t('Collapse'),
          icon: isFolded ? 'down' : 'forward',
          run: () => categories.fold(category.id, !isFolded),
        },
        ids.length > 0 && {
          label: isMuted ? t('Unmute the category') : t('Mute the category'),
          icon: isMuted ? 'bell' : 'mute',
          run: () => void attempt(() => preferences.setAllMuted('channel', ids, !isMuted)),
        },
      ]),
    },
    {
      items: present([
        rights.may(server, 'channel:create') && {
          label: t('New channel'),
          icon: 'add',
          run: () => onTask({ kind: 'create', serverId: server.id, categoryId: category.id }),
        },
        orders && at > 0 && { label: t('Move up'), icon: 'up', run: () => move(all[at - 1]?.id ?? null) },
        orders &&
          at < all.length - 1 && { label: t('Move down'), icon: 'down', run: () => move(all[at + 2]?.id ?? null) },
        orders && { label: t('Rename'), icon: 'edit', run: () => begin('rename') },
        orders && { label: t('Delete the category'), icon: 'trash', danger: true, run: () => begin('delete') },
      ]),
    },
  ];
}

function readItem({ t }: Texts, app: AppState, channels: readonly { id: string; lastSeq: number }[]): MenuItem {
  return {
    label: t('Mark as read'),
    icon: 'check',
    run: () => void app.attempt(() => app.unread.markAllRead(channels)),
  };
}

function favoriteItem({ t }: Texts, { favorites, attempt }: AppState, id: string): MenuItem {
  const isFavorite = favorites.has(id);
  return {
    label: isFavorite ? t('Remove from favourites') : t('Add to favourites'),
    icon: 'star',
    run: () => void attempt(() => favorites.set(id, !isFavorite)),
  };
}

function linkItem({ t }: Texts, app: AppState, path: string): MenuItem {
  return { label: t('Copy link'), icon: 'link', run: () => void app.copy(app.surroundings.origin + path) };
}

const levels: { level: Level; label: Message }[] = [
  { level: 'all', label: 'Every message' },
  { level: 'mentions', label: 'Mentions' },
  { level: 'nothing', label: 'Nothing' },
];

/** In hours. */
const pauses: { hours: number; label: Message }[] = [
  { hours: 1, label: 'For 1 hour' },
  { hours: 8, label: 'For 8 hours' },
  { hours: 24, label: 'For 24 hours' },
];

interface Leveled {
  place: 'channel' | 'server';
  id: string;
  /** What it says where nothing is chosen there. */
  otherwise: Message;
}

/** What the user is notified of there, down to nothing at all: then it is muted, until they say otherwise or for a time. */
function levelGroups(
  { t, shortTime }: Texts,
  { preferences, attempt }: AppState,
  { place, id, otherwise }: Leveled,
): MenuGroup[] {
  const chosen = preferences.levelOf(place, id);
  const end = preferences.current.value.mutedUntil[id];
  const all: typeof levels = [{ level: null, label: otherwise }, ...levels];
  return [
    {
      label: t('Notify me about'),
      items: all.map(({ level, label }) => ({
        label: level === 'nothing' && end ? t('Nothing until {time}', { time: shortTime(end) }) : t(label),
        checked: level === chosen,
        run: () => void attempt(() => preferences.setLevel(place, id, level)),
      })),
    },
    {
      label: t('Mute'),
      items: pauses.map(({ hours, label }) => ({
        label: t(label),
        icon: 'mute',
        run: () => {
          const until = new Date(Date.now() + hours * 3_600_000).toISOString();
          void attempt(() => preferences.setLevel(place, id, 'nothing', until));
        },
      })),
    },
  ];
}

/** Where it stands for everyone, for those who order channels. */
function placeItems(
  { t }: Texts,
  app: AppState,
  server: ServerRecord,
  channel: ChannelRecord,
  onTask: OnTask,
): (MenuItem | false)[] {
  const { rights, servers, categories, attempt } = app;
  if (!rights.may(server, 'channel:order')) return [];
  const list = categories.of(server.id);
  const channels = (servers.channels.value.get(server.id) ?? []).filter(isReadable);
  const sections = sectionsOf({ serverId: server.id, channels, categories: list, favorites: [] });
  const section = sections.find((one) => one.channels.some(({ id }) => id === channel.id));
  const around = section?.channels ?? [];
  const at = around.findIndex(({ id }) => id === channel.id);
  const categoryId = section?.category?.id ?? null;
  const move = (before: string | null) =>
    void attempt(() => moveChannel(app, server.id, channel.id, { categoryId, before }));
  const task = { what: 'place', serverId: server.id, channel } as const;
  return [
    at > 0 && { label: t('Move up'), icon: 'up', run: () => move(around[at - 1]?.id ?? null) },
    at >= 0 &&
      at < around.length - 1 && { label: t('Move down'), icon: 'down', run: () => move(around[at + 2]?.id ?? null) },
    list.length > 0 && {
      label: t('Move to a category'),
      icon: 'folder',
      run: () => onTask({ kind: 'category', task }),
    },
    {
      label: t('New category'),
      icon: 'add',
      run: () => onTask({ kind: 'category', task: { what: 'create', serverId: server.id } }),
    },
  ];
}
