import { useEffect } from 'preact/hooks';
import { parley, signedIn } from '../state/client.ts';
import { loadNotifications } from '../state/notifications.ts';
import { loadPeople } from '../state/people.ts';
import { go, place, rememberedPlace } from '../state/router.ts';
import { loadChannels, loadServers, servers } from '../state/servers.ts';
import { attempt } from '../state/toasts.ts';
import { Apps } from './apps/Apps.tsx';
import { Sidebar } from './frame/Sidebar.tsx';
import { Invite } from './gate/Invite.tsx';
import { OAuthCallback, SignIn } from './gate/SignIn.tsx';
import { Toasts } from './parts/Toasts.tsx';
import { Discover } from './people/Discover.tsx';
import { Friends } from './people/Friends.tsx';
import { Notifications } from './people/Notifications.tsx';
import { ServerHome } from './server/ServerHome.tsx';
import { Settings } from './settings/Settings.tsx';
import { Conversation } from './talk/Conversation.tsx';
import { Files } from './workspace/Files.tsx';

export function App() {
  return (
    <>
      {place.value.name === 'oauth-callback' ? <OAuthCallback /> : signedIn.value ? <Home /> : <SignIn />}
      <Toasts />
    </>
  );
}

function Home() {
  const here = place.value;
  useEffect(() => {
    const load = () =>
      attempt(async () => void (await Promise.all([loadServers(), loadPeople(), loadNotifications()])));
    void load();
    const offReload = parley.on('reload', () => void load());
    return offReload;
  }, []);
  const serverId = 'serverId' in here ? here.serverId : null;
  useEffect(() => {
    if (serverId) void attempt(() => loadChannels(serverId));
  }, [serverId]);
  const talking = here.name === 'channel' || here.name === 'dm';
  const inside = talking || ['settings', 'invite', 'discover', 'notifications', 'files', 'apps'].includes(here.name);
  return (
    <div class={`frame ${inside ? 'inside' : 'outside'}`}>
      <Sidebar />
      <main class="main">
        <Main />
      </main>
    </div>
  );
}

function Main() {
  const here = place.value;
  switch (here.name) {
    case 'channel':
    case 'dm':
      return (
        <Conversation
          key={here.channelId}
          channelId={here.channelId}
          messageId={here.messageId}
          threadId={here.threadId}
        />
      );
    case 'server':
      return <ServerHome serverId={here.serverId} />;
    case 'files':
      return <Files key={here.folderId} serverId={here.serverId} folderId={here.folderId} />;
    case 'apps':
      return <Apps serverId={here.serverId} />;
    case 'invite':
      return <Invite code={here.code} />;
    case 'discover':
      return <Discover />;
    case 'notifications':
      return <Notifications />;
    case 'settings':
      return <Settings />;
    case 'friends':
      return <Friends />;
    default:
      return <Start />;
  }
}

/** Leads on to where one was last. */
function Start() {
  useEffect(() => {
    const [first] = servers.peek();
    go(rememberedPlace() ?? (first ? `/app/s/${first.id}` : '/app/friends'), { replace: true });
  }, []);
  return null;
}
