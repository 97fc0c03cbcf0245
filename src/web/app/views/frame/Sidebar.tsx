import { useState } from 'preact/hooks';
import type { ServerRecord } from '../../../../client/index.ts';
import { can } from '../../state/client.ts';
import { listsRead } from '../../state/lists.ts';
import { dms, requestCount } from '../../state/people.ts';
import { refused } from '../../state/refused.ts';
import { pathTo, place } from '../../state/router.ts';
import { channels, currentServer, servers, serversLoaded } from '../../state/servers.ts';
import { unread } from '../../state/unread.ts';
import { Icon } from '../parts/Icon.tsx';
import { ServerPicture } from '../parts/ServerPicture.tsx';
import { CreateServer } from '../server/CreateServer.tsx';
import { ConnectionState } from './ConnectionState.tsx';
import { Badge, isQuiet, unreadIn } from './Entry.tsx';
import { HomePanel } from './HomePanel.tsx';
import { Self } from './Self.tsx';
import { ServerPanel } from './ServerPanel.tsx';
import { SwitcherButton } from './Switcher.tsx';
import { Unproven } from './Unproven.tsx';
import { useNeighbours } from './useNeighbours.ts';

export function Sidebar() {
  useNeighbours();
  const server = currentServer.value;
  const here = place.value;
  const isComing = !serversLoaded.value && 'serverId' in here && here.serverId !== null;
  const isRead = listsRead.value && (!server || channels.value.has(server.id));
  return (
    <div class="side" aria-busy={!isRead}>
      <Rail />
      <div class="panel">
        {server ? <ServerPanel server={server} /> : isComing ? <div class="list" /> : <HomePanel />}
        <NotSentLink />
        <Unproven />
        <ConnectionState />
        <Self />
      </div>
    </div>
  );
}

/** Those who are not where a message was refused learn of it here. */
function NotSentLink() {
  const count = refused.value.length;
  if (count === 0) return null;
  return (
    <a class="not-sent" href={pathTo.notSent} aria-current={place.value.name === 'not-sent' ? 'page' : undefined}>
      {count === 1 ? '1 message was not sent' : `${count} messages were not sent`}
    </a>
  );
}

function Rail() {
  const [creating, setCreating] = useState(false);
  const here = currentServer.value?.id;
  const waiting = dms.value.reduce((sum, { id }) => sum + (unread.value.get(id) ?? 0), 0) + requestCount.value;
  return (
    <nav class="rail" aria-label="Servers">
      <a class="server home" href="/app/messages" title="Friends and messages" aria-current={here ? undefined : 'page'}>
        <Icon name="chat" />
        <span class="hidden">Friends and messages</span>
        <Badge count={waiting} />
      </a>
      <SwitcherButton />
      {servers.value.map((server) => (
        <ServerLink key={server.id} server={server} current={here === server.id} />
      ))}
      <a class="server add" href="/app/discover" aria-label="Discover servers" title="Discover servers">
        <Icon name="compass" />
      </a>
      {can('server:create') && (
        <button
          type="button"
          class="server add"
          aria-label="Create a server"
          title="Create a server"
          onClick={() => setCreating(true)}
        >
          <Icon name="add" />
        </button>
      )}
      {creating && <CreateServer onClose={() => setCreating(false)} />}
    </nav>
  );
}

function ServerLink({ server, current }: { server: ServerRecord; current: boolean }) {
  const { id, name } = server;
  const list = channels.value.get(id);
  return (
    <a class="server" href={pathTo.server(id)} title={name} aria-current={current ? 'page' : undefined}>
      <ServerPicture server={server} />
      <span class="hidden">{name}</span>
      <Badge count={unreadIn(id, list)} quiet={isQuiet(list)} />
    </a>
  );
}
