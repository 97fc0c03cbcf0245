import { useState } from 'preact/hooks';
import type { ServerRecord } from '../../../../client/index.ts';
import { drafted } from '../../state/drafts.ts';
import { listsRead } from '../../state/lists.ts';
import { readServer, unreadNotifications } from '../../state/notifications.ts';
import { type DmChannel, dms, requestCount } from '../../state/people.ts';
import { isMuted, setMuted } from '../../state/preferences.ts';
import { go, pathTo, place } from '../../state/router.ts';
import { channels, isAtLeast, isReadable, leaveServer } from '../../state/servers.ts';
import { attempt } from '../../state/toasts.ts';
import { markAllRead, unread } from '../../state/unread.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { IconButton } from '../parts/Button.tsx';
import { Confirm } from '../parts/Dialog.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Menu, type MenuItem } from '../parts/Menu.tsx';
import { CreateChannel } from '../server/ChannelDialogs.tsx';
import { InvitePeople } from '../server/Invites.tsx';
import { channelIcon, Entry, isHere, isQuiet } from './Entry.tsx';

export function HomePanel() {
  const { name } = place.value;
  return (
    <nav class="list" aria-label="Messages">
      <header class="bar">
        <h2 class="title">Parley</h2>
      </header>
      <ul>
        <Entry
          href="/app/friends"
          icon="friends"
          name="Friends"
          count={requestCount.value}
          current={name === 'friends'}
        />
        <Entry
          href="/app/notifications"
          icon="bell"
          name="Notifications"
          count={unreadNotifications.value}
          current={name === 'notifications'}
        />
        <Entry href="/app/discover" icon="compass" name="Discover" current={name === 'discover'} />
      </ul>
      <div class="section">
        <h2>Direct messages</h2>
      </div>
      <ul>
        {dms.value.map((dm) => (
          <DmEntry key={dm.id} dm={dm} />
        ))}
      </ul>
      {listsRead.value && dms.value.length === 0 && <p class="empty">Your conversations with people will be here.</p>}
    </nav>
  );
}

function DmEntry({ dm: { id, otherUser } }: { dm: DmChannel }) {
  return (
    <Entry
      href={pathTo.channel(null, id)}
      picture={<Avatar user={otherUser} size="small" present />}
      name={otherUser.displayName}
      count={unread.value.get(id)}
      drafted={drafted.value.has(id)}
      current={isHere(id)}
      muted={isMuted('channel', id)}
    />
  );
}

export function ServerPanel({ server }: { server: ServerRecord }) {
  const [creating, setCreating] = useState(false);
  const list = channels.value.get(server.id);
  return (
    <nav class="list" aria-label={`Channels of ${server.name}`}>
      <ServerHead server={server} />
      <div class="section">
        <h2>Channels</h2>
        {isAtLeast(server.role, 'admin') && (
          <IconButton icon="add" label="Create a channel" onClick={() => setCreating(true)} />
        )}
      </div>
      <ul>
        {list?.filter(isReadable).map((channel) => (
          <Entry
            key={channel.id}
            href={pathTo.channel(server.id, channel.id)}
            icon={channelIcon(channel)}
            name={channel.name}
            count={unread.value.get(channel.id)}
            quiet={isQuiet([channel])}
            drafted={drafted.value.has(channel.id)}
            current={isHere(channel.id)}
            muted={isMuted('channel', channel.id)}
          />
        ))}
      </ul>
      {list && <SharedThings server={server} />}
      {creating && <CreateChannel serverId={server.id} onClose={() => setCreating(false)} />}
    </nav>
  );
}

function SharedThings({ server }: { server: ServerRecord }) {
  const here = place.value;
  return (
    <>
      <div class="section">
        <h2>Shared</h2>
      </div>
      <ul>
        {server.homepageHtml && (
          <Entry href={pathTo.homePage(server.id)} icon="home" name="Home" current={here.name === 'home-page'} />
        )}
        <Entry href={pathTo.files(server.id, null)} icon="folder" name="Files" current={here.name === 'files'} />
        <Entry href={pathTo.apps(server.id)} icon="app" name="Apps" current={here.name === 'apps'} />
        <Entry
          href={pathTo.manage(server.id, 'members')}
          icon="friends"
          name="Members"
          current={here.name === 'manage' && here.section === 'members'}
        />
      </ul>
    </>
  );
}

function ServerHead({ server }: { server: ServerRecord }) {
  const [dialog, setDialog] = useState<'invite' | 'leave' | null>(null);
  const close = () => setDialog(null);
  const leave = () =>
    attempt(async () => {
      await leaveServer(server.id);
      go('/app/friends');
    });
  return (
    <header class="bar">
      <Menu label={server.name} class="title" align="start" items={itemsFor(server, setDialog)}>
        <span class="name">{server.name}</span>
        <Icon name="down" />
      </Menu>
      {dialog === 'invite' && <InvitePeople server={server} onClose={close} />}
      {dialog === 'leave' && (
        <Confirm
          title={`Leave ${server.name}?`}
          text="You come back only with an invitation, unless the server is public."
          action="Leave"
          onClose={close}
          onConfirm={() => void leave()}
        />
      )}
    </header>
  );
}

function itemsFor(server: ServerRecord, open: (dialog: 'invite' | 'leave') => void): MenuItem[] {
  const muted = isMuted('server', server.id);
  const read = async () => {
    await markAllRead(channels.peek().get(server.id)?.filter(isReadable) ?? []);
    await readServer(server.id);
  };
  return [
    { label: 'Invite people', icon: 'add', run: () => open('invite') },
    ...(isAtLeast(server.role, 'admin')
      ? [{ label: 'Server settings', icon: 'settings' as const, run: () => go(pathTo.manage(server.id, 'overview')) }]
      : []),
    { label: 'Mark all as read', icon: 'check', run: () => void attempt(read) },
    {
      label: muted ? 'Unmute the server' : 'Mute the server',
      icon: muted ? 'bell' : 'mute',
      run: () => void attempt(() => setMuted('server', server.id, !muted)),
    },
    ...(server.role === 'owner'
      ? []
      : [{ label: 'Leave', icon: 'leave' as const, danger: true, run: () => open('leave') }]),
  ];
}
