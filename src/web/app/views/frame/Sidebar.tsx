import { useState } from 'preact/hooks';
import type { ChannelRecord } from '../../../../client/index.ts';
import { can, me } from '../../state/client.ts';
import { unreadNotifications } from '../../state/notifications.ts';
import { dms, requestCount } from '../../state/people.ts';
import { pathTo, place } from '../../state/router.ts';
import { channels, currentServer, servers } from '../../state/servers.ts';
import { unread } from '../../state/unread.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { CreateChannel, CreateServer, ServerMenu } from '../server/ServerDialogs.tsx';
import { ConnectionState } from './ConnectionState.tsx';

export function Sidebar() {
  return (
    <div class="side">
      <ServerRail />
      <div class="panel">
        {currentServer.value ? <ServerPanel /> : <HomePanel />}
        <ConnectionState />
        <Self />
      </div>
    </div>
  );
}

function ServerRail() {
  const [creating, setCreating] = useState(false);
  const here = currentServer.value?.id;
  const waiting = dms.value.reduce((sum, { id }) => sum + (unread.value.get(id) ?? 0), 0) + requestCount.value;
  return (
    <nav class="rail" aria-label="Servers">
      <a
        class="server home"
        href="/app/friends"
        aria-label="Friends and messages"
        aria-current={here ? undefined : 'page'}
      >
        <span aria-hidden="true">💬</span>
        <Badge count={waiting} />
      </a>
      {servers.value.map((server) => (
        <a
          key={server.id}
          class="server"
          href={pathTo.server(server.id)}
          title={server.name}
          aria-label={server.name}
          aria-current={here === server.id ? 'page' : undefined}
        >
          {server.iconUrl ? <img src={server.iconUrl} alt="" referrerpolicy="no-referrer" /> : initials(server.name)}
          <Badge count={unreadIn(channels.value.get(server.id))} />
        </a>
      ))}
      <a class="server add" href="/app/discover" aria-label="Discover servers" title="Discover servers">
        🧭
      </a>
      {can('server:create') && (
        <button type="button" class="server add" aria-label="Create a server" onClick={() => setCreating(true)}>
          +
        </button>
      )}
      {creating && <CreateServer onClose={() => setCreating(false)} />}
    </nav>
  );
}

/** Voice channels have no messages; a private one that one only may join shows when one is in it. */
function visible(list: ChannelRecord[] = []): ChannelRecord[] {
  return list.filter(({ isMember, type }) => isMember && type !== 'voice');
}

function unreadIn(list: ChannelRecord[] = []): number {
  return list.reduce((sum, { id }) => sum + (unread.value.get(id) ?? 0), 0);
}

function initials(name: string): string {
  const words = name.split(/\s+/).slice(0, 2);
  return words.map((word) => [...word][0] ?? '').join('');
}

export function Badge({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <span class="badge">
      {count > 99 ? '99+' : count}
      <span class="hidden"> unread</span>
    </span>
  );
}

function ServerPanel() {
  const server = currentServer.value;
  const [creating, setCreating] = useState(false);
  const [menu, setMenu] = useState(false);
  if (!server) return null;
  const mayManage = server.role === 'owner' || server.role === 'admin';
  return (
    <nav class="list" aria-label={`Channels of ${server.name}`}>
      <header class="bar">
        <button type="button" class="title" aria-haspopup="dialog" onClick={() => setMenu(true)}>
          <span class="name">{server.name}</span>
          <span aria-hidden="true">⌄</span>
        </button>
      </header>
      <div class="section">
        <h2>Channels</h2>
        {mayManage && (
          <button type="button" class="icon" aria-label="Create a channel" onClick={() => setCreating(true)}>
            +
          </button>
        )}
      </div>
      <ul>
        {visible(channels.value.get(server.id)).map((channel) => (
          <Entry
            key={channel.id}
            href={pathTo.channel(server.id, channel.id)}
            channelId={channel.id}
            icon={channel.isPrivate ? '🔒' : '#'}
            name={channel.name}
          />
        ))}
      </ul>
      <div class="section">
        <h2>Shared</h2>
      </div>
      <ul>
        <Shared href={pathTo.files(server.id, null)} icon="📁" name="Files" current={place.value.name === 'files'} />
        <Shared href={pathTo.apps(server.id)} icon="🧩" name="Apps" current={place.value.name === 'apps'} />
      </ul>
      {creating && <CreateChannel serverId={server.id} onClose={() => setCreating(false)} />}
      {menu && <ServerMenu server={server} onClose={() => setMenu(false)} />}
    </nav>
  );
}

function Entry({ href, channelId, icon, name }: { href: string; channelId: string; icon: string; name: string }) {
  const here = place.value;
  const count = unread.value.get(channelId) ?? 0;
  const current = 'channelId' in here && here.channelId === channelId;
  return (
    <li>
      <a class={count > 0 ? 'entry unread' : 'entry'} href={href} aria-current={current ? 'page' : undefined}>
        <span class="sign" aria-hidden="true">
          {icon}
        </span>
        <span class="name">{name}</span>
        <Badge count={count} />
      </a>
    </li>
  );
}

function Shared({ href, icon, name, current }: { href: string; icon: string; name: string; current: boolean }) {
  return (
    <li>
      <a class="entry" href={href} aria-current={current ? 'page' : undefined}>
        <span class="sign" aria-hidden="true">
          {icon}
        </span>
        <span class="name">{name}</span>
      </a>
    </li>
  );
}

function HomePanel() {
  const here = place.value;
  return (
    <nav class="list" aria-label="Messages">
      <header class="bar">
        <h1 class="title">Parley</h1>
      </header>
      <ul>
        <li>
          <a class="entry" href="/app/friends" aria-current={here.name === 'friends' ? 'page' : undefined}>
            <span class="sign" aria-hidden="true">
              👥
            </span>
            <span class="name">Friends</span>
            <Badge count={requestCount.value} />
          </a>
        </li>
        <li>
          <a class="entry" href="/app/notifications" aria-current={here.name === 'notifications' ? 'page' : undefined}>
            <span class="sign" aria-hidden="true">
              🔔
            </span>
            <span class="name">Notifications</span>
            <Badge count={unreadNotifications.value} />
          </a>
        </li>
      </ul>
      <div class="section">
        <h2>Direct messages</h2>
      </div>
      <ul>
        {dms.value.map(({ id, otherUser }) => {
          const count = unread.value.get(id) ?? 0;
          const current = 'channelId' in here && here.channelId === id;
          return (
            <li key={id}>
              <a
                class={count > 0 ? 'entry unread' : 'entry'}
                href={pathTo.channel(null, id)}
                aria-current={current ? 'page' : undefined}
              >
                <Avatar user={otherUser} size="small" present />
                <span class="name">{otherUser.displayName}</span>
                <Badge count={count} />
              </a>
            </li>
          );
        })}
      </ul>
      {dms.value.length === 0 && <p class="empty">Your conversations with people will be here.</p>}
    </nav>
  );
}

function Self() {
  const user = me.value;
  if (!user) return <footer class="self" />;
  return (
    <footer class="self">
      <Avatar user={user} size="small" />
      <span class="who">
        <span class="name">{user.displayName}</span>
        <span class="faint">@{user.username}</span>
      </span>
      <a class="icon" href="/app/settings" aria-label="Settings">
        ⚙
      </a>
    </footer>
  );
}
