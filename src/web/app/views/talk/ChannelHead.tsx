import { useEffect, useState } from 'preact/hooks';
import type { ChannelRecord } from '../../../../client/index.ts';
import { isWide } from '../../browser.ts';
import { type DmChannel, nameOf } from '../../state/groups.ts';
import { pathTo } from '../../state/router.ts';
import type { Texts } from '../../state/texts.ts';
import { channelIcon } from '../frame/Entry.tsx';
import { Avatar } from '../parts/Avatar.tsx';
import { IconButton } from '../parts/Button.tsx';
import { Icon, type IconName } from '../parts/Icon.tsx';
import { lazyDialog } from '../parts/lazy.tsx';
import { Menu, type MenuItem } from '../parts/Menu.tsx';
import { PersonButton } from '../parts/PersonButton.tsx';
import { type DmTask, dmItems } from '../people/dm-tasks.ts';
import { SaidTopic } from '../people/Said.tsx';
import type { ChannelTask } from '../server/ChannelDialogs.tsx';
import { channelTasks } from '../server/channel-tasks.ts';
import { sectionsFor } from '../server/sections.ts';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { LevelDialog } from './LevelDialog.tsx';
import { channelAt } from './permissions.ts';

const ChannelDialogs = lazyDialog(() => import('../server/ChannelDialogs.tsx').then((part) => part.ChannelDialogs));
const DmDialogs = lazyDialog(() => import('../people/GroupDialogs.tsx').then((part) => part.DmDialogs));
const Pins = lazyDialog(() => import('./Found.tsx').then((part) => part.Pins));
const Threads = lazyDialog(() => import('./ThreadList.tsx').then((part) => part.Threads));

type Shown = 'pins' | 'threads' | 'level';

/** The head of a conversation: its name, topic and actions. */
export function ChannelHead({ channelId }: { channelId: string }) {
  const texts = useTexts();
  const { t } = texts;
  const app = useApp();
  const { setTitle, panel } = app;
  const [shown, setShown] = useState<Shown | null>(null);
  const [task, setTask] = useState<ChannelTask | null>(null);
  const [dmTask, setDmTask] = useState<DmTask | null>(null);
  const about = useConversationInfo(channelId);
  useEffect(() => setTitle(about.name && about.label), [about.name, about.label]);
  const close = () => setShown(null);
  const replied = app.follows.isUnread(channelId);
  const items = [
    ...phoneItems(texts, setShown),
    levelItem(texts, setShown),
    ...itemsFor(texts, app, channelId, about, setTask),
    ...(about.dm ? dmItems(texts, about.dm, setDmTask) : []),
  ];
  return (
    <header class="bar">
      <a class="icon back" href={about.back} aria-label={t('Back to the list')}>
        <Icon name="back" />
      </a>
      <h1 class="title">
        {about.other ? <Avatar user={about.other} size="small" present /> : <Icon name={about.icon} />}
        {about.other ? (
          <PersonButton person={about.other} class="person name">
            {about.name}
          </PersonButton>
        ) : (
          <span class="name">{about.name || <span class="hidden">{t('Loading…')}</span>}</span>
        )}
      </h1>
      {about.topic && <p class="topic">{about.topic}</p>}
      {about.other && <SaidTopic userId={about.other.id} />}
      <span class="space" />
      <IconButton icon="search" label={t('Search')} onClick={() => panel.search()} />
      {/* On a phone there is no room for these; they are in the menu. */}
      <span class="roomy">
        <span class={replied ? 'marked' : ''}>
          <IconButton icon="thread" label={t('Threads')} onClick={() => setShown('threads')} />
          {replied && <span class="hidden">{t('There are new replies.')}</span>}
        </span>
        <IconButton icon="pin" label={t('Pinned messages')} onClick={() => setShown('pins')} />
      </span>
      {isInServer(app) && <MembersButton />}
      {about.dm?.kind === 'group' && (
        <IconButton icon="friends" label={t('People')} onClick={() => setDmTask('people')} />
      )}
      <Menu label={t('More')} items={items}>
        <Icon name="more" />
      </Menu>
      {shown === 'pins' && <Pins channelId={channelId} onClose={close} />}
      {shown === 'threads' && <Threads channelId={channelId} onClose={close} />}
      {shown === 'level' && <LevelDialog place={about.dm ? 'dm' : 'channel'} id={channelId} onClose={close} />}
      {about.dm && dmTask && <DmDialogs dm={about.dm} task={dmTask} onClose={() => setDmTask(null)} />}
      {task && <ChannelDialogs task={task} onClose={() => setTask(null)} />}
    </header>
  );
}

/** Shows the members beside the conversation, or not. */
function MembersButton() {
  const { t } = useTexts();
  const { panel } = useApp();
  return (
    <button
      type="button"
      class="icon"
      aria-label={t('Members')}
      title={t('Members')}
      aria-pressed={panel.kind.value === 'members'}
      onClick={() => panel.toggleMembers()}
    >
      <Icon name="friends" />
    </button>
  );
}

/** Known from the address before anything is loaded, so nothing moves. */
function isInServer(app: AppState): boolean {
  return app.route.value.name === 'channel';
}

function phoneItems({ t }: Texts, onShow: (what: Shown) => void): MenuItem[] {
  if (isWide()) return [];
  return [
    { label: t('Threads'), icon: 'thread', run: () => onShow('threads') },
    { label: t('Pinned messages'), icon: 'pin', run: () => onShow('pins') },
  ];
}

const levelItem = ({ t }: Texts, onShow: (what: Shown) => void): MenuItem => ({
  label: t('Notifications'),
  icon: 'bell',
  run: () => onShow('level'),
});

function itemsFor(
  texts: Texts,
  app: AppState,
  channelId: string,
  about: About,
  onTask: (task: ChannelTask) => void,
): MenuItem[] {
  const { t } = texts;
  const muted = app.preferences.isMuted('channel', channelId);
  const { channel, other } = about;
  const mute: MenuItem = {
    label: muted ? t('Unmute') : t('Mute'),
    icon: muted ? 'bell' : 'mute',
    run: () => void app.attempt(() => app.preferences.setMuted('channel', channelId, !muted)),
  };
  if (other)
    return [mute, { label: t('Block'), icon: 'block', danger: true, run: () => void app.people.blockWithToast(other) }];
  if (!channel) return [mute];
  const server = app.servers.current.value;
  const seesAll = server !== null && sectionsFor(app, server).some(({ section }) => section === 'channels');
  const all: MenuItem | false = seesAll && {
    label: t('All channels'),
    icon: 'settings',
    run: () => app.navigate(pathTo.manage(server.id, 'channels')),
  };
  const { edit, permissions, hooks, keep, archive, remove } = channelTasks(texts, app, channel, onTask);
  // Channels are unarchived there.
  const items = channel.isArchived ? [mute, all] : [mute, all, edit, permissions, hooks, keep, archive, remove];
  return items.filter((item) => item !== false);
}

type Other = { id: string; displayName: string; avatarUrl: string | null };

interface About {
  name: string;
  /** The name in a sentence: `#general`, `@Bob`. */
  label: string;
  icon: IconName;
  topic: string | null;
  /** Target of the back button that phones show. */
  back: string;
  channel: ChannelRecord | null;
  /** The other user of a direct conversation. */
  other: Other | null;
  dm: DmChannel | null;
}

/** Loads a channel that is in no list, such as an archived one. */
export function useUnlisted(channelId: string): void {
  const { servers, connection, timelines } = useApp();
  const list = servers.channels.value.get(servers.current.value?.id ?? '');
  const isMissing = list !== undefined && !list.some(({ id }) => id === channelId);
  useEffect(() => {
    if (isMissing) return connection.load(() => timelines.visitUnlisted(channelId));
  }, [channelId, isMissing]);
}

export function useConversationInfo(channelId: string): About {
  const texts = useTexts();
  const app = useApp();
  const here = app.route.value;
  if (here.name === 'channel') {
    const channel = channelAt(app, channelId);
    const name = channel?.name ?? '';
    const icon = channel ? channelIcon(channel) : 'hash';
    const back = pathTo.server(here.serverId);
    return { name, label: `#${name}`, icon, topic: channel?.topic ?? null, back, channel, other: null, dm: null };
  }
  const dm = app.people.dms.value.find(({ id }) => id === channelId) ?? null;
  const name = dm ? nameOf(texts, dm, app.me.value?.id) : '';
  const other = dm?.kind === 'dm' ? dm.otherUser : null;
  const icon = dm?.kind === 'group' ? 'friends' : 'chat';
  return { name, label: other ? `@${name}` : name, icon, topic: null, back: '/app/messages', channel: null, other, dm };
}
