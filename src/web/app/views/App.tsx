import '../state/alerts.ts';
import { useEffect } from 'preact/hooks';
import { announced } from '../state/announcer.ts';
import { signedIn } from '../state/client.ts';
import { conversationShown, keepLists } from '../state/lists.ts';
import { reading } from '../state/reading.ts';
import { go, isWide, pathTo, place, rememberedPlace } from '../state/router.ts';
import { currentServer, loadChannels, servers, serversLoaded } from '../state/servers.ts';
import { dismiss, toasts } from '../state/toasts.ts';
import { Apps } from './apps/Apps.tsx';
import { Sidebar } from './frame/Sidebar.tsx';
import { Switcher } from './frame/Switcher.tsx';
import { Invite } from './gate/Invite.tsx';
import { OAuthCallback } from './gate/OAuthCallback.tsx';
import { SignIn } from './gate/SignIn.tsx';
import { VerifyEmail } from './gate/VerifyEmail.tsx';
import { Icon } from './parts/Icon.tsx';
import { Discover } from './people/Discover.tsx';
import { Friends } from './people/Friends.tsx';
import { Notifications } from './people/Notifications.tsx';
import { Manage } from './server/Manage.tsx';
import { HomePage, ServerHome } from './server/ServerHome.tsx';
import { Settings } from './settings/Settings.tsx';
import { Conversation } from './talk/Conversation.tsx';
import { NotSent } from './talk/Unsent.tsx';
import { Files } from './workspace/Files.tsx';

export function App() {
  return (
    <>
      <Whole />
      <Toasts />
      <p class="hidden" aria-live="polite">
        {announced.value}
      </p>
    </>
  );
}

/** What fills the window. */
function Whole() {
  if (place.value.name === 'oauth-callback') return <OAuthCallback />;
  if (place.value.name === 'verify-email') return <VerifyEmail />;
  return signedIn.value ? <Home /> : <SignIn />;
}

/** On a phone these are seen instead of the lists, the others beside them. */
const listed = new Set(['home', 'server', 'messages']);

function Home() {
  const here = place.value;
  useEffect(keepLists, []);
  const serverId = 'serverId' in here ? here.serverId : null;
  useEffect(() => {
    if (serverId) return reading(() => conversationShown().then(() => loadChannels(serverId)));
  }, [serverId]);
  useShortName(serverId);
  return (
    <div class={`frame ${listed.has(here.name) ? 'outside' : 'inside'}`}>
      <Skip />
      <Sidebar />
      <main id="main" class="main" tabIndex={-1}>
        <Main />
      </main>
      <Switcher />
    </div>
  );
}

/** Leads from an address with the short name of a server to the same place with its id, by which everything here is known. */
function useShortName(name: string | null): void {
  const server = name === null ? undefined : servers.value.find(({ slug }) => slug === name);
  const id = server?.id;
  useEffect(() => {
    if (name && id) go(location.pathname.replace(`/app/s/${name}`, pathTo.server(id)), { replace: true });
  }, [name, id]);
}

/** For those who would pass all servers and channels by Tab. */
function Skip() {
  return (
    <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
      Skip to the content
    </button>
  );
}

function Main() {
  const here = place.value;
  switch (here.name) {
    case 'channel':
    case 'dm':
      if (here.serverId && !currentServer.value && serversLoaded.value) return <ServerHome serverId={here.serverId} />;
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
    case 'home-page':
      return currentServer.value ? <HomePage server={currentServer.value} /> : <ServerHome serverId={here.serverId} />;
    case 'manage':
      return <Manage serverId={here.serverId} section={here.section} />;
    case 'files':
      return <Files key={here.folderId} serverId={here.serverId} folderId={here.folderId} />;
    case 'apps':
      return <Apps key={here.serverId} serverId={here.serverId} appId={here.appId} />;
    case 'invite':
      return <Invite code={here.code} />;
    case 'settings':
      return <Settings section={here.section} id={here.id} />;
    case 'discover':
      return <Discover />;
    case 'notifications':
      return <Notifications />;
    case 'not-sent':
      return <NotSent />;
    case 'friends':
      return <Friends />;
    case 'messages':
      return <Messages />;
    default:
      return <Start />;
  }
}

/** On a phone the list of conversations is a page of its own. */
function Messages() {
  useEffect(() => {
    if (isWide()) go('/app/friends', { replace: true });
  }, []);
  return null;
}

/** Leads on to where one was last, or else to what there is once that is known. */
function Start() {
  const loaded = serversLoaded.value;
  useEffect(() => {
    const remembered = rememberedPlace();
    const [first] = servers.peek();
    if (remembered) go(remembered, { replace: true });
    else if (loaded) go(first ? pathTo.server(first.id) : '/app/friends', { replace: true });
  }, [loaded]);
  return null;
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, kind, href }) => (
        <div key={id} class={`toast ${kind}`}>
          {text}
          {href && (
            <a href={href} onClick={() => dismiss(id)}>
              Show
            </a>
          )}
          <button type="button" class="icon" aria-label="Dismiss" onClick={() => dismiss(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
