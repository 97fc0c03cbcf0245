import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { ServerRecord } from '../../../../client/index.ts';
import { can, connection, me, parley } from '../../state/client.ts';
import { keptKeys } from '../../state/kept.ts';
import { listsRead } from '../../state/lists.ts';
import { dms, requestCount } from '../../state/people.ts';
import { type OwnStatus, presence, setOwnStatus } from '../../state/presence.ts';
import { refused } from '../../state/refused.ts';
import { go, pathTo, place } from '../../state/router.ts';
import { channels, currentServer, servers, serversLoaded } from '../../state/servers.ts';
import { attempt, tell } from '../../state/toasts.ts';
import { unread } from '../../state/unread.ts';
import { isUnproven } from '../gate/VerifyEmail.tsx';
import { Avatar, ServerPicture } from '../parts/Avatar.tsx';
import { IconButton } from '../parts/Button.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Menu } from '../parts/Menu.tsx';
import { CreateServer } from '../server/Overview.tsx';
import { Badge, isQuiet, unreadIn } from './Entry.tsx';
import { HomePanel, ServerPanel } from './Panels.tsx';
import { SwitcherButton } from './Switcher.tsx';

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

const dismissed = signal(localStorage.getItem(keptKeys.unproven) !== null);

/** Mails another link and code. */
export const sendAgain = () =>
  attempt(async () => {
    await parley.rest('POST /api/auth/email-verification/start');
    tell('Another mail is on its way to you.');
  });

/** Reminds, quietly and until it is dismissed, that the address is not proven. */
export function Unproven() {
  if (dismissed.value || !isUnproven()) return null;
  const dismiss = () => {
    localStorage.setItem(keptKeys.unproven, 'yes');
    dismissed.value = true;
  };
  return (
    <p class="unproven">
      <span>
        <a href={pathTo.settings('account')}>Confirm your e-mail</a> by the code that was mailed to you.{' '}
        <button type="button" class="link" onClick={() => void sendAgain()}>
          Send again
        </button>
      </span>
      <IconButton icon="close" label="Not now" onClick={dismiss} />
    </p>
  );
}

/** Says honestly what can be expected; its room is always there, so nothing jumps. */
export function ConnectionState() {
  const { status, via } = connection.value;
  return (
    <div class={`connection ${status === 'live' ? 'live' : 'not-live'}`} role="status">
      <span class="dot" aria-hidden="true" />
      {status === 'live' && (via === 'socket' ? 'Connected' : 'Connected, a little slower')}
      {status === 'catching up' && 'Catching up…'}
      {status === 'offline' && (
        <>
          Offline
          <button type="button" class="link" onClick={() => parley.retryNow()}>
            Try now
          </button>
        </>
      )}
    </div>
  );
}

const choices: { status: OwnStatus; label: string }[] = [
  { status: 'online', label: 'Online' },
  { status: 'idle', label: 'Away' },
  { status: 'dnd', label: 'Do not disturb' },
  { status: 'offline', label: 'Invisible' },
];

/** Who one is, and how one is seen. */
export function Self() {
  const user = me.value;
  if (!user) return <footer class="self" />;
  const now = presence.value.get(user.id) ?? 'offline';
  return (
    <footer class="self">
      <Menu
        label="Your status"
        class="me"
        align="start"
        items={choices.map(({ status, label }) => ({
          label,
          checked: status === now,
          run: () => void attempt(() => setOwnStatus(status)),
        }))}
      >
        <Avatar user={user} size="small" present />
        <span class="who">
          <span class="name">
            <span class="hidden">Your status, </span>
            {user.displayName}
          </span>
          <span class="faint">@{user.username}</span>
        </span>
      </Menu>
      <a class="icon" href="/app/settings/profile" aria-label="Settings" title="Settings">
        <Icon name="settings" />
      </a>
    </footer>
  );
}

/** Alt with an arrow key leads to the next place of the list at the side, with Shift to the next one that is unread. */
export function useNeighbours(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
      if (step === 0 || !event.altKey || event.ctrlKey || event.metaKey) return;
      // A dialog is to be answered first.
      if (document.querySelector('dialog[open]')) return;
      event.preventDefault();
      const next = neighbour(step, event.shiftKey);
      if (next) go(next.pathname);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

/** Past the end comes the beginning. */
function neighbour(step: number, isUnread: boolean): HTMLAnchorElement | undefined {
  const all = [...document.querySelectorAll<HTMLAnchorElement>('.list .entry')];
  const here = all.findIndex((entry) => entry.hasAttribute('aria-current'));
  const following = all.map((_, i) => all.at((Math.max(here, 0) + step * (i + 1)) % all.length));
  return following.find((entry) => !isUnread || entry?.classList.contains('unread'));
}
