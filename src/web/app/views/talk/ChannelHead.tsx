import { useEffect, useState } from 'preact/hooks';
import type { ChannelRecord, ThreadRecord } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { opened, readUnlisted } from '../../state/opened.ts';
import { blockAndTell, dms } from '../../state/people.ts';
import { isMuted, setMuted } from '../../state/preferences.ts';
import { reading } from '../../state/reading.ts';
import { go, isWide, pathTo, place } from '../../state/router.ts';
import { channels, currentServer, isAtLeast } from '../../state/servers.ts';
import { entitle } from '../../state/title.ts';
import { attempt } from '../../state/toasts.ts';
import { channelIcon } from '../frame/Entry.tsx';
import { Avatar } from '../parts/Avatar.tsx';
import { IconButton, More } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Icon, type IconName } from '../parts/Icon.tsx';
import { usePages } from '../parts/loading.ts';
import { Menu, type MenuItem } from '../parts/Menu.tsx';
import { shortTime } from '../parts/time.ts';
import { ChannelDialogs, type ChannelTask } from '../server/ChannelDialogs.tsx';
import { ChannelMembers } from '../server/MemberList.tsx';
import { Pins, Search } from './Search.tsx';

type Shown = 'pins' | 'threads' | 'search' | 'members';

/** What a conversation is about, and what can be done with it. */
export function ChannelHead({ channelId }: { channelId: string }) {
  const [shown, setShown] = useState<Shown | null>(null);
  const [task, setTask] = useState<ChannelTask | null>(null);
  const about = useAbout(channelId);
  useEffect(() => entitle(about.name && about.label), [about.name, about.label]);
  const close = () => setShown(null);
  return (
    <header class="bar">
      <a class="icon back" href={about.back} aria-label="Back to the list">
        <Icon name="back" />
      </a>
      <h1 class="title">
        {about.other ? <Avatar user={about.other} size="small" present /> : <Icon name={about.icon} />}
        <span class="name">{about.name}</span>
      </h1>
      {about.topic && <p class="topic">{about.topic}</p>}
      <span class="space" />
      <IconButton icon="search" label="Search" onClick={() => setShown('search')} />
      {/* On a phone they would leave no room for the name, and are in the menu. */}
      <span class="roomy">
        <IconButton icon="thread" label="Threads" onClick={() => setShown('threads')} />
        <IconButton icon="pin" label="Pinned messages" onClick={() => setShown('pins')} />
      </span>
      {isInServer() && <IconButton icon="friends" label="Members" onClick={() => setShown('members')} />}
      <Menu label="More" items={[...lookingFor(setShown), ...itemsFor(channelId, about, setTask)]}>
        <Icon name="more" />
      </Menu>
      {shown === 'pins' && <Pins channelId={channelId} onClose={close} />}
      {shown === 'threads' && <Threads channelId={channelId} onClose={close} />}
      {shown === 'search' && <Search channelId={channelId} onClose={close} />}
      {shown === 'members' && about.channel && <ChannelMembers channel={about.channel} onClose={close} />}
      {task && <ChannelDialogs task={task} onClose={() => setTask(null)} />}
    </header>
  );
}

/** Known from the address, before anything has come: so nothing jumps when it comes. */
function isInServer(): boolean {
  return place.value.name === 'channel';
}

function lookingFor(onShow: (what: Shown) => void): MenuItem[] {
  if (isWide()) return [];
  return [
    { label: 'Threads', icon: 'thread', run: () => onShow('threads') },
    { label: 'Pinned messages', icon: 'pin', run: () => onShow('pins') },
  ];
}

function itemsFor(channelId: string, about: About, onTask: (task: ChannelTask) => void): MenuItem[] {
  const muted = isMuted('channel', channelId);
  const { channel, other } = about;
  const isAdmin = isAtLeast(currentServer.value?.role, 'admin');
  const mute: MenuItem = {
    label: muted ? 'Unmute' : 'Mute',
    icon: muted ? 'bell' : 'mute',
    run: () => void attempt(() => setMuted('channel', channelId, !muted)),
  };
  if (other) return [mute, { label: 'Block', icon: 'block', danger: true, run: () => void blockAndTell(other) }];
  if (!channel || !isAdmin) return [mute];
  const ask = (what: ChannelTask['what']) => () => onTask({ what, channel });
  const all: MenuItem = {
    label: 'All channels',
    icon: 'settings',
    run: () => go(pathTo.manage(channel.serverId ?? '', 'channels')),
  };
  // There they are brought back.
  if (channel.isArchived) return [mute, all];
  return [
    mute,
    { label: 'Edit the channel', icon: 'edit', run: ask('edit') },
    { label: 'Archive the channel', icon: 'archive', run: ask('archive') },
    { label: 'Delete the channel', icon: 'trash', danger: true, run: ask('delete') },
    all,
  ];
}

type Other = { id: string; displayName: string; avatarUrl: string | null };

interface About {
  name: string;
  /** As it is called in a sentence: `#general`, `@Bob`. */
  label: string;
  icon: IconName;
  topic: string | null;
  /** Where the arrow leads that phones have. */
  back: string;
  channel: ChannelRecord | null;
  /** Whom a conversation between two is with. */
  other: Other | null;
}

/** An archived channel is in no list, and can be read all the same. */
export function useUnlisted(channelId: string): void {
  const list = channels.value.get(currentServer.value?.id ?? '');
  const isMissing = list !== undefined && !list.some(({ id }) => id === channelId);
  useEffect(() => {
    if (isMissing) return reading(() => readUnlisted(channelId));
  }, [channelId, isMissing]);
}

export function useAbout(channelId: string): About {
  const here = place.value;
  if (here.name === 'channel') {
    const listed = channels.value.get(here.serverId)?.find(({ id }) => id === channelId);
    const channel = listed ?? opened.value.get(channelId) ?? null;
    const name = channel?.name ?? '';
    const icon = channel ? channelIcon(channel) : 'hash';
    const back = pathTo.server(here.serverId);
    return { name, label: `#${name}`, icon, topic: channel?.topic ?? null, back, channel, other: null };
  }
  const other = dms.value.find(({ id }) => id === channelId)?.otherUser ?? null;
  const name = other?.displayName ?? '';
  return { name, label: `@${name}`, icon: 'chat', topic: null, back: '/app/messages', channel: null, other };
}

/** So many are fetched at a time. */
const pageSize = 50;

/** The threads of a channel, the newest first. */
export function Threads({ channelId, onClose }: { channelId: string; onClose(): void }) {
  const { list, onMore } = usePages<ThreadRecord>(
    pageSize,
    (known) => {
      const query = { limit: pageSize, cursor: known.at(-1)?.id };
      return parley.rest('GET /api/channels/:channelId/threads', { channelId, query });
    },
    [channelId],
  );
  return (
    <Dialog title="Threads" onClose={onClose}>
      {list === null && <p class="faint">One moment…</p>}
      {list?.length === 0 && <p class="faint">There are none yet. One starts from a message, by its menu.</p>}
      <ul class="found">
        {list?.map((thread) => (
          <li key={thread.id}>
            <a href={pathTo.thread(currentServer.value?.id ?? null, channelId, thread.id)} onClick={onClose}>
              <Icon name="thread" />
              <span class="who">
                <span class="title">{thread.name}</span>
                <span class="faint">{aboutThread(thread)}</span>
              </span>
            </a>
          </li>
        ))}
        {onMore && (
          <li>
            <More onMore={onMore} />
          </li>
        )}
      </ul>
    </Dialog>
  );
}

function aboutThread({ messageCount, lastMessageAt, isArchived }: ThreadRecord): string {
  const count = messageCount === 1 ? '1 reply' : `${messageCount} replies`;
  const last = lastMessageAt ? ` · ${shortTime(lastMessageAt)}` : '';
  return `${count}${last}${isArchived ? ' · archived' : ''}`;
}
