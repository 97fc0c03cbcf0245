import { useState } from 'preact/hooks';
import type { ServerRecord } from '../../../../client/index.ts';
import { type DmChannel, nameOf } from '../../state/groups.ts';
import { pathTo } from '../../state/router.ts';
import { isReadable } from '../../state/servers.ts';
import type { Texts } from '../../state/texts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { IconButton } from '../parts/Button.tsx';
import { Confirm } from '../parts/Dialog.tsx';
import { Icon } from '../parts/Icon.tsx';
import { lazyDialog } from '../parts/lazy.tsx';
import { Menu, type MenuItem } from '../parts/Menu.tsx';
import { SaidEmoji } from '../people/Said.tsx';
import { RaidBanner } from '../server/RaidBanner.tsx';
import { firstTask } from '../server/sections.ts';
import { WaitingBanner } from '../server/WaitingBanner.tsx';
import { LevelDialog } from '../talk/LevelDialog.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { ChannelList } from './ChannelList.tsx';
import { Entry, Fold, isDrafted, isHere } from './Entry.tsx';

const NewMessage = lazyDialog(() => import('../people/NewMessage.tsx').then((part) => part.NewMessage));
const InvitePeople = lazyDialog(() => import('../server/InvitePeople.tsx').then((part) => part.InvitePeople));

/** By which it is remembered that the favourites among the conversations are folded. */
const favoriteKey = 'favorites:';

export function MessagesPanel() {
  const { t } = useTexts();
  const { route, people, notifications, lists, favorites, categories } = useApp();
  const { name } = route.value;
  const first = favorites.ids.value.flatMap((id) => people.dms.value.find((dm) => dm.id === id) ?? []);
  const isFolded = categories.folded.value.has(favoriteKey);
  const [writing, setWriting] = useState(false);
  return (
    <nav class="list" aria-label={t('Messages')}>
      <header class="bar">
        <h2 class="title">{t('Parley')}</h2>
      </header>
      <ul>
        <Entry
          href="/app/friends"
          icon="friends"
          name={t('Friends')}
          count={people.requestCount.value}
          current={name === 'friends'}
        />
        <Entry
          href="/app/notifications"
          icon="bell"
          name={t('Notifications')}
          count={notifications.unreadCount.value}
          current={name === 'notifications'}
        />
        <ThreadsEntry />
        <Entry href={pathTo.later('saved')} icon="bookmark" name={t('Later')} current={name === 'later'} />
        <Entry href="/app/discover" icon="compass" name={t('Discover')} current={name === 'discover'} />
      </ul>
      {first.length > 0 && (
        <>
          <div class="section">
            <Fold title={t('Favourites')} isFolded={isFolded} onFold={() => categories.fold(favoriteKey, !isFolded)} />
          </div>
          <ul>{!isFolded && first.map((dm) => <DmEntry key={dm.id} dm={dm} />)}</ul>
        </>
      )}
      <div class="section">
        <h2>{t('Direct messages')}</h2>
        <IconButton icon="add" label={t('New message')} onClick={() => setWriting(true)} />
      </div>
      <ul>
        {people.dms.value
          .filter((dm) => !first.includes(dm))
          .map((dm) => (
            <DmEntry key={dm.id} dm={dm} />
          ))}
      </ul>
      {lists.loaded.value && people.dms.value.length === 0 && (
        <p class="empty">{t('Your conversations with people will be here.')}</p>
      )}
      {writing && <NewMessage onClose={() => setWriting(false)} />}
    </nav>
  );
}

/** Leads to the threads that the user follows. */
function ThreadsEntry() {
  const { t } = useTexts();
  const { route, follows } = useApp();
  return (
    <Entry
      href={pathTo.threads}
      icon="thread"
      name={t('Threads')}
      count={follows.unreadCount.value}
      current={route.value.name === 'threads'}
    />
  );
}

function DmEntry({ dm }: { dm: DmChannel }) {
  const texts = useTexts();
  const app = useApp();
  const { unread, preferences, follows, me } = app;
  const { id } = dm;
  return (
    <Entry
      href={pathTo.channel(null, id)}
      icon="friends"
      picture={dm.kind === 'dm' && <Avatar user={dm.otherUser} size="small" present />}
      name={nameOf(texts, dm, me.value?.id)}
      beside={dm.kind === 'dm' && <SaidEmoji userId={dm.otherUser.id} />}
      count={unread.counts.value.get(id)}
      replied={follows.isUnread(id)}
      drafted={isDrafted(app, id)}
      current={isHere(app, id)}
      muted={preferences.isMuted('channel', id)}
      menu={{ kind: 'dm', channelId: id }}
    />
  );
}

export function ServerPanel({ server }: { server: ServerRecord }) {
  const { t } = useTexts();
  const { servers } = useApp();
  return (
    <nav class="list" aria-label={t('Channels of {name}', { name: server.name })}>
      <ServerHead server={server} />
      <RaidBanner server={server} />
      <WaitingBanner key={server.id} server={server} />
      <ul>
        <ThreadsEntry />
      </ul>
      <ChannelList server={server} />
      {servers.channels.value.has(server.id) && <SharedEntries server={server} />}
    </nav>
  );
}

function SharedEntries({ server }: { server: ServerRecord }) {
  const { t } = useTexts();
  const { route } = useApp();
  const here = route.value;
  return (
    <>
      <div class="section">
        <h2>{t('Shared')}</h2>
      </div>
      <ul>
        {server.homepageHtml && (
          <Entry href={pathTo.homePage(server.id)} icon="home" name={t('Home')} current={here.name === 'home-page'} />
        )}
        <Entry href={pathTo.files(server.id, null)} icon="folder" name={t('Files')} current={here.name === 'files'} />
        <Entry href={pathTo.apps(server.id)} icon="app" name={t('Apps')} current={here.name === 'apps'} />
        <Entry
          href={pathTo.manage(server.id, 'members')}
          icon="friends"
          name={t('Members')}
          current={here.name === 'manage' && here.section === 'members'}
        />
      </ul>
    </>
  );
}

type ServerDialog = 'invite' | 'level' | 'leave';

function ServerHead({ server }: { server: ServerRecord }) {
  const texts = useTexts();
  const { t } = texts;
  const app = useApp();
  const { attempt, servers, navigate } = app;
  const [dialog, setDialog] = useState<ServerDialog | null>(null);
  const close = () => setDialog(null);
  const leave = () =>
    attempt(async () => {
      await servers.leave(server.id);
      navigate('/app/friends');
    });
  return (
    <header class="bar">
      <Menu label={server.name} class="title" align="start" items={itemsFor(texts, app, server, setDialog)}>
        <span class="name">{server.name}</span>
        <Icon name="down" />
      </Menu>
      {dialog === 'invite' && <InvitePeople server={server} onClose={close} />}
      {dialog === 'level' && <LevelDialog place="server" id={server.id} onClose={close} />}
      {dialog === 'leave' && (
        <Confirm
          title={t('Leave {name}?', { name: server.name })}
          text={t('You need an invitation to come back, unless the server is public.')}
          action={t('Leave')}
          onClose={close}
          onConfirm={() => void leave()}
        />
      )}
    </header>
  );
}

function itemsFor({ t }: Texts, app: AppState, server: ServerRecord, open: (dialog: ServerDialog) => void): MenuItem[] {
  const muted = app.preferences.isMuted('server', server.id);
  const read = async () => {
    await app.unread.markAllRead(app.servers.channels.peek().get(server.id)?.filter(isReadable) ?? []);
    await app.notifications.readServer(server.id);
  };
  const task = firstTask(app, server);
  const mayInvite =
    server.inviteCode !== undefined ||
    app.rights.may(server, 'invite:create') ||
    app.rights.may(server, 'server:invite');
  return [
    ...(mayInvite ? [{ label: t('Invite people'), icon: 'add' as const, run: () => open('invite') }] : []),
    ...(task
      ? [
          {
            label: t('Server settings'),
            icon: 'settings' as const,
            run: () => app.navigate(pathTo.manage(server.id, task)),
          },
        ]
      : []),
    { label: t('Mark all as read'), icon: 'check', run: () => void app.attempt(read) },
    { label: t('Notifications'), icon: 'bell', run: () => open('level') },
    {
      label: muted ? t('Unmute the server') : t('Mute the server'),
      icon: muted ? 'bell' : 'mute',
      run: () => void app.attempt(() => app.preferences.setMuted('server', server.id, !muted)),
    },
    ...(server.role === 'owner'
      ? []
      : [
          {
            label: t('Report'),
            icon: 'shield' as const,
            run: () => app.reporting.open({ what: { kind: 'server', serverId: server.id }, name: server.name }),
          },
          { label: t('Leave'), icon: 'leave' as const, danger: true, run: () => open('leave') },
        ]),
  ];
}
