import { useEffect, useState } from 'preact/hooks';
import type { ServerRecord } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import { isUnconfirmed } from '../../state/email.ts';
import type { OwnStatus } from '../../state/presence.ts';
import { pathTo } from '../../state/router.ts';
import type { Texts } from '../../state/texts.ts';
import { Avatar, ServerPicture } from '../parts/Avatar.tsx';
import { IconButton } from '../parts/Button.tsx';
import { Icon, Sign } from '../parts/Icon.tsx';
import { lazyDialog } from '../parts/lazy.tsx';
import { Menu } from '../parts/Menu.tsx';
import { saidText } from '../people/Said.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { Badge, isQuiet, unreadIn } from './Entry.tsx';
import { useMenuPress } from './menu-press.ts';
import { MessagesPanel, ServerPanel } from './Panels.tsx';
import { SwitcherButton } from './Switcher.tsx';

const CreateServer = lazyDialog(() => import('../server/CreateServer.tsx').then((part) => part.CreateServer));
const EntryMenus = lazyDialog(() => import('./EntryMenus.tsx').then((part) => part.EntryMenus));
const StatusDialog = lazyDialog(() => import('../people/StatusDialog.tsx').then((part) => part.StatusDialog));

/** All lists. @param isPage whether they stand in the place of the page, as on a phone */
export function Sidebar({ isPage }: { isPage: boolean }) {
  const { t } = useTexts();
  const { servers, route, lists } = useApp();
  useNeighbours();
  const server = servers.current.value;
  const here = route.value;
  const isComing = !servers.loaded.value && 'serverId' in here && here.serverId !== null;
  const isRead = lists.loaded.value && (!server || servers.channels.value.has(server.id));
  return (
    <div class="side" aria-busy={!isRead}>
      <Rail />
      <div class="panel">
        <div class="lists" role={isPage ? 'main' : undefined}>
          {isPage && <h1 class="hidden">{server?.name ?? t('Friends and messages')}</h1>}
          {server ? <ServerPanel server={server} /> : isComing ? <div class="list" /> : <MessagesPanel />}
        </div>
        <NotSentLink />
        <ConfirmReminder />
        <ConnectionState />
        <OwnProfile />
      </div>
      <Menus />
    </div>
  );
}

/** The menus of entries, once one was opened: what they begin may go on in a dialog. */
function Menus() {
  const { entryMenu } = useApp();
  const [isUsed, setUsed] = useState(false);
  useEffect(() => {
    if (entryMenu.value) setUsed(true);
  }, [entryMenu.value]);
  const close = () => {
    entryMenu.value = null;
  };
  return isUsed && <EntryMenus onClose={close} />;
}

/** Leads to refused messages from everywhere. */
function NotSentLink() {
  const { t } = useTexts();
  const { refusals, route } = useApp();
  const count = refusals.list.value.length;
  if (count === 0) return null;
  return (
    <nav aria-label={t('Not sent')}>
      <a class="not-sent" href={pathTo.notSent} aria-current={route.value.name === 'not-sent' ? 'page' : undefined}>
        {t('{count, plural, one {# message was} other {# messages were}} not sent', { count })}
      </a>
    </nav>
  );
}

function Rail() {
  const { t } = useTexts();
  const { servers, people, unread, can } = useApp();
  const [creating, setCreating] = useState(false);
  const here = servers.current.value?.id;
  const press = useMenuPress({ kind: 'home' });
  const waiting =
    people.dms.value.reduce((sum, { id }) => sum + (unread.counts.value.get(id) ?? 0), 0) + people.requestCount.value;
  return (
    <nav class="rail" aria-label={t('Servers')}>
      <a
        class="server home"
        href="/app/messages"
        title={t('Friends and messages')}
        aria-current={here ? undefined : 'page'}
        aria-keyshortcuts="Shift+F10"
        {...press}
      >
        <Sign />
        <span class="hidden">{t('Friends and messages')}</span>
        <Badge count={waiting} />
      </a>
      <SwitcherButton />
      {servers.list.value.map((server) => (
        <ServerLink key={server.id} server={server} current={here === server.id} />
      ))}
      <a class="server add" href="/app/discover" aria-label={t('Discover servers')} title={t('Discover servers')}>
        <Icon name="compass" />
      </a>
      {can('server:create') && (
        <button
          type="button"
          class="server add"
          aria-label={t('Create a server')}
          title={t('Create a server')}
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
  const app = useApp();
  const { servers } = app;
  const { id, name } = server;
  const list = servers.channels.value.get(id);
  const press = useMenuPress({ kind: 'server', serverId: id });
  return (
    <a
      class="server"
      href={pathTo.server(id)}
      title={name}
      aria-current={current ? 'page' : undefined}
      aria-keyshortcuts="Shift+F10"
      {...press}
    >
      <ServerPicture server={server} />
      <span class="hidden">{name}</span>
      <Badge count={unreadIn(app, id, list)} quiet={isQuiet(app, list)} />
    </a>
  );
}

/** Has another link and code mailed. */
export const sendAgain = ({ t }: Texts, app: AppState) =>
  app.attempt(async () => {
    const { outbox } = await app.client.rest('POST /api/auth/email-verification/start');
    app.showToast(
      outbox
        ? t('This server sends no mail yet: the mail is a file in the folder “outbox” of its data directory.')
        : t('Another mail is on its way to you.'),
    );
  });

/** Reminds the user to confirm their e-mail address, until it is dismissed. */
export function ConfirmReminder() {
  const texts = useTexts();
  const { rich, t } = texts;
  const app = useApp();
  if (app.reminderDismissed.value || !isUnconfirmed(app.me.value)) return null;
  return (
    <aside class="unproven" aria-label={t('Confirm your e-mail address')}>
      <span>
        {rich('{link} by the code that was mailed to you.', {
          link: <a href={pathTo.settings('account')}>{t('Confirm your e-mail')}</a>,
        })}{' '}
        <button type="button" class="link" onClick={() => void sendAgain(texts, app)}>
          {t('Send again')}
        </button>
      </span>
      <IconButton icon="close" label={t('Not now')} onClick={app.dismissReminder} />
    </aside>
  );
}

/** The state of the connection. It is always there, so nothing moves. */
export function ConnectionState() {
  const { t } = useTexts();
  const { connection, client } = useApp();
  const { status, via } = connection.state.value;
  return (
    <div class={`connection ${status === 'live' ? 'live' : 'not-live'}`} role="status">
      <span class="dot" aria-hidden="true" />
      {status === 'live' && (via === 'socket' ? t('Connected') : t('Connected, a little slower'))}
      {status === 'catching up' && t('Catching up…')}
      {status === 'offline' && (
        <>
          {t('Offline')}
          <button type="button" class="link" onClick={() => client.retryNow()}>
            {t('Try now')}
          </button>
        </>
      )}
    </div>
  );
}

const choices: { status: OwnStatus; label: Message }[] = [
  { status: 'online', label: 'Online' },
  { status: 'idle', label: 'Away' },
  { status: 'dnd', label: 'Do not disturb' },
  { status: 'offline', label: 'Invisible' },
];

/** The user's own name and status. */
export function OwnProfile() {
  const { t } = useTexts();
  const app = useApp();
  const { me, presence, attempt } = app;
  const [saying, setSaying] = useState(false);
  const user = me.value;
  if (!user) return <footer class="self" />;
  const now = presence.statuses.value.get(user.id) ?? 'offline';
  return (
    <footer class="self">
      <Menu
        label={t('Your status')}
        class="me"
        align="start"
        items={[
          ...choices.map(({ status, label }) => ({
            label: t(label),
            checked: status === now,
            run: () => void attempt(() => presence.setOwn(status)),
          })),
          { label: t('Set a status…'), icon: 'smile', run: () => setSaying(true) },
        ]}
      >
        <Avatar user={user} size="small" present />
        <span class="who">
          <span class="name">
            <span class="hidden">{t('Your status,')} </span>
            {user.displayName}
          </span>
          <span class="faint">{saidText(presence.said.value.get(user.id)) || `@${user.username}`}</span>
        </span>
      </Menu>
      {saying && <StatusDialog onClose={() => setSaying(false)} />}
      {app.can('instance:admin') && (
        <a class="icon" href={pathTo.admin('overview')} aria-label={t('Operators')} title={t('Operators')}>
          <Icon name="shield" />
        </a>
      )}
      <a class="icon" href="/app/settings/profile" aria-label={t('Settings')} title={t('Settings')}>
        <Icon name="settings" />
      </a>
    </footer>
  );
}

/** Alt with an arrow key opens the next entry of the sidebar, with Shift the next unread one. */
export function useNeighbours(): void {
  const { navigate } = useApp();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
      if (step === 0 || !event.altKey || event.ctrlKey || event.metaKey) return;
      // An open dialog comes first.
      if (document.querySelector('dialog[open]')) return;
      event.preventDefault();
      const next = neighbour(step, event.shiftKey);
      if (next) navigate(next.pathname);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

/** The next entry in a direction; after the last comes the first. */
function neighbour(step: number, isUnread: boolean): HTMLAnchorElement | undefined {
  const all = [...document.querySelectorAll<HTMLAnchorElement>('.list .entry')];
  const here = all.findIndex((entry) => entry.hasAttribute('aria-current'));
  const following = all.map((_, i) => all.at((Math.max(here, 0) + step * (i + 1)) % all.length));
  return following.find((entry) => !isUnread || entry?.classList.contains('unread'));
}
