import { pathTo } from '../../state/router.ts';
import { isReadable } from '../../state/servers.ts';
import type { Texts } from '../../state/texts.ts';
import type { Task } from '../frame/Switcher.tsx';
import type { IconName } from '../parts/Icon.tsx';
import { sectionsFor } from '../server/sections.ts';
import type { AppState } from '../useApp.ts';

/** An action that the switcher begins. */
export interface ActionGoal {
  key: string;
  name: string;
  about: string;
  icon: IconName;
  count: number;
  run(): void;
}

type Short = [name: string, icon: IconName, run: () => void, about?: string];

/** All that can be begun from everywhere. */
export function actionGoals(texts: Texts, app: AppState, onTask: (task: Task) => void): ActionGoal[] {
  const { t } = texts;
  const showKeys = () => {
    app.keysOpen.value = true;
  };
  const all: Short[] = [
    [t('New message'), 'chat', () => onTask('message')],
    [t('Search messages'), 'search', () => app.panel.search(null)],
    ...inConversation(texts, app),
    ...inServer(texts, app, onTask),
    ...pages(texts, app),
    ...statuses(texts, app),
    [t('Set a status…'), 'smile', () => onTask('status')],
    ...(app.can('server:create') ? [[t('Create a server'), 'add', () => onTask('server')] satisfies Short] : []),
    [t('Keyboard shortcuts'), 'settings', showKeys],
    [t('Sign out'), 'leave', () => void app.account.signOut()],
  ];
  return all.map(([name, icon, run, about = '']) => ({ key: `${name} ${about}`, name, about, icon, count: 0, run }));
}

function inConversation({ t }: Texts, { route, panel, preferences, attempt }: AppState): Short[] {
  const here = route.value;
  if (here.name !== 'channel' && here.name !== 'dm') return [];
  const { channelId } = here;
  const isMuted = preferences.isMuted('channel', channelId);
  const mute = () => void attempt(() => preferences.setMuted('channel', channelId, !isMuted));
  const isShown = panel.kind.value === 'members';
  return [
    ...(here.name === 'channel'
      ? [
          [
            isShown ? t('Hide the members') : t('Show the members'),
            'friends',
            () => panel.toggleMembers(),
          ] satisfies Short,
        ]
      : []),
    [isMuted ? t('Unmute this conversation') : t('Mute this conversation'), isMuted ? 'bell' : 'mute', mute],
  ];
}

function inServer({ t }: Texts, app: AppState, onTask: (task: Task) => void): Short[] {
  const { servers, unread, notifications, rights, attempt, navigate } = app;
  const server = servers.current.value;
  if (!server) return [];
  const about = server.name;
  const { id } = server;
  const read = async () => {
    await unread.markAllRead(servers.channels.peek().get(id)?.filter(isReadable) ?? []);
    await notifications.readServer(id);
  };
  const mayInvite =
    server.inviteCode !== undefined || rights.may(server, 'invite:create') || rights.may(server, 'server:invite');
  return [
    [t('Mark all as read'), 'check', () => void attempt(read), about],
    ...(mayInvite ? [[t('Invite people'), 'add', () => onTask('invite'), about] satisfies Short] : []),
    ...(rights.may(server, 'channel:create')
      ? [[t('Create a channel'), 'hash', () => onTask('channel'), about] satisfies Short]
      : []),
    [t('Files'), 'folder', () => navigate(pathTo.files(id, null)), about],
    [t('Apps'), 'app', () => navigate(pathTo.apps(id)), about],
    ...sectionsFor(app, server).map(({ section, label, icon }): Short => {
      return [
        t('Server settings: {section}', { section: t(label) }),
        icon,
        () => navigate(pathTo.manage(id, section)),
        about,
      ];
    }),
  ];
}

function pages({ t }: Texts, { navigate, can }: AppState): Short[] {
  const to = (path: string) => () => navigate(path);
  return [
    [t('Friends'), 'friends', to('/app/friends')],
    [t('Notifications'), 'bell', to('/app/notifications')],
    [t('Threads'), 'thread', to(pathTo.threads)],
    [t('Later'), 'bookmark', to(pathTo.later('saved'))],
    [t('Drafts'), 'edit', to(pathTo.later('drafts'))],
    [t('Discover servers'), 'compass', to('/app/discover')],
    [t('Settings'), 'settings', to(pathTo.settings('profile'))],
    [t('Settings: {section}', { section: t('Notifications') }), 'bell', to(pathTo.settings('notifications'))],
    [t('Settings: {section}', { section: t('Signing in') }), 'key', to(pathTo.settings('account'))],
    [t('Settings: {section}', { section: t('Devices') }), 'device', to(pathTo.settings('devices'))],
    [t('Settings: {section}', { section: t('Bots') }), 'agent', to(pathTo.settings('agents'))],
    ...(can('instance:admin') ? [[t('Operators'), 'shield', to(pathTo.admin('overview'))] satisfies Short] : []),
  ];
}

function statuses({ t }: Texts, { presence, attempt }: AppState): Short[] {
  const all = [
    ['online', t('Online')],
    ['idle', t('Away')],
    ['dnd', t('Do not disturb')],
    ['offline', t('Invisible')],
  ] as const;
  return all.map(([status, name]): Short => {
    return [t('Set status: {status}', { status: name }), 'user', () => void attempt(() => presence.setOwn(status))];
  });
}
