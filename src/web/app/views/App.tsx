import { useEffect, useMemo } from 'preact/hooks';
import { isWide } from '../browser.ts';
import { focusContent } from '../focus.ts';
import type { PageState } from '../state/page.ts';
import { pathTo } from '../state/router.ts';
import type { Toasts as ToastsState } from '../state/toasts.ts';
import { Beside, usePanel } from './frame/Beside.tsx';
import { Shortcuts } from './frame/Shortcuts.tsx';
import { Sidebar } from './frame/Sidebar.tsx';
import { Switcher } from './frame/Switcher.tsx';
import { Icon } from './parts/Icon.tsx';
import { lazyDialog, lazyPage } from './parts/lazy.tsx';
import { OpenedProfile } from './people/OpenedProfile.tsx';
import { HomePage, ServerHome } from './server/ServerHome.tsx';
import { Conversation } from './talk/Conversation.tsx';
import { NotSent } from './talk/Unsent.tsx';
import { AppContext, PageContext, useApp, usePage, useTexts } from './useApp.ts';

// What is not needed for a conversation is loaded when it is shown.
const Admin = lazyPage(() => import('./admin/Admin.tsx').then((part) => part.Admin));
const Apps = lazyPage(() => import('./apps/Apps.tsx').then((part) => part.Apps));
const Authorize = lazyPage(() => import('./gate/Consent.tsx').then((part) => part.Authorize), 'main');
const AllowDevice = lazyPage(() => import('./gate/Consent.tsx').then((part) => part.AllowDevice), 'main');
const Invite = lazyPage(() => import('./gate/Invite.tsx').then((part) => part.Invite));
const OAuthCallback = lazyPage(() => import('./gate/OAuthCallback.tsx').then((part) => part.OAuthCallback), 'main');
const SignIn = lazyPage(() => import('./gate/SignIn.tsx').then((part) => part.SignIn), 'main');
const SetUpFactor = lazyPage(() => import('./gate/SetUpFactor.tsx').then((part) => part.SetUpFactor), 'main');
const UndoEmail = lazyPage(() => import('./gate/UndoEmail.tsx').then((part) => part.UndoEmail), 'main');
const VerifyEmail = lazyPage(() => import('./gate/VerifyEmail.tsx').then((part) => part.VerifyEmail), 'main');
const Later = lazyPage(() => import('./later/Later.tsx').then((part) => part.Later));
const Discover = lazyPage(() => import('./people/Discover.tsx').then((part) => part.Discover));
const Friends = lazyPage(() => import('./people/Friends.tsx').then((part) => part.Friends));
const Notifications = lazyPage(() => import('./people/Notifications.tsx').then((part) => part.Notifications));
const ThreadInbox = lazyPage(() => import('./people/ThreadInbox.tsx').then((part) => part.ThreadInbox));
const Manage = lazyPage(() => import('./server/Manage.tsx').then((part) => part.Manage));
const Settings = lazyPage(() => import('./settings/Settings.tsx').then((part) => part.Settings));
const Files = lazyPage(() => import('./workspace/Files.tsx').then((part) => part.Files));
const ConfirmIdentity = lazyDialog(() => import('./frame/ConfirmIdentity.tsx').then((part) => part.ConfirmIdentity));
const ReportDialog = lazyDialog(() => import('./people/ReportDialog.tsx').then((part) => part.ReportDialog));

/** The whole page, with the state of the session that is signed in. */
export function App({ page }: { page: PageState }) {
  const session = page.account.session.value;
  const app = useMemo(() => session && { ...page, ...session }, [page, session]);
  return (
    <PageContext.Provider value={page}>
      <AppContext.Provider value={app}>
        <Screen />
        <Toasts toasts={app?.toasts ?? page.toasts} />
        <Announced page={page} />
      </AppContext.Provider>
    </PageContext.Provider>
  );
}

/** By itself: nothing else changes with what is read out. */
function Announced({ page }: { page: PageState }) {
  return (
    <p class="hidden" aria-live="polite">
      {page.announced.value}
    </p>
  );
}

function Screen() {
  const { route, account } = usePage();
  if (route.value.name === 'oauth-callback') return <OAuthCallback />;
  if (route.value.name === 'verify-email') return <VerifyEmail />;
  if (route.value.name === 'undo-email') return <UndoEmail />;
  const session = account.session.value;
  // Nothing on the screen outlives the session that it belongs to.
  const here = route.value;
  if (!session && here.name === 'authorize' && asksNobody(here.asked)) return <Authorize asked={here.asked} />;
  if (!session) return <SignIn />;
  if (session.me.value?.secondFactor === 'required') return <SetUpFactor key={session} />;
  if (here.name === 'authorize') return <Authorize key={here.asked} asked={here.asked} />;
  if (here.name === 'device') return <AllowDevice asked={here.asked} />;
  return <Home key={session} />;
}

/** Whether an app only wants to know whether someone is signed in here. */
const asksNobody = (asked: string) => new URLSearchParams(asked).get('prompt')?.split(' ').includes('none');

/** On a phone these pages show the lists, and the others replace them. */
const listed = new Set(['home', 'server', 'messages']);

function Home() {
  const { route, lists, connection, servers } = useApp();
  const here = route.value;
  useEffect(() => lists.keep(), []);
  const serverId = 'serverId' in here ? here.serverId : null;
  useEffect(() => {
    if (serverId) return connection.load(() => lists.conversationShown().then(() => servers.loadChannels(serverId)));
  }, [serverId]);
  useShortName(serverId);
  const panel = usePanel();
  const isOutside = listed.has(here.name) && !panel;
  return (
    <div class={`frame ${isOutside ? 'outside' : 'inside'}`}>
      <Skip />
      <Sidebar isPage={isOutside && !isWide()} />
      <main id="main" class={panel ? 'main with-panel' : 'main'} tabIndex={-1}>
        <Main />
        {panel && <Beside kind={panel} />}
      </main>
      <Switcher />
      <Asked />
      <OpenedProfile />
      <Shortcuts />
    </div>
  );
}

/** What is asked on any page. */
function Asked() {
  const { confirmation, reporting } = useApp();
  const question = confirmation.question.value;
  return (
    <>
      {question && <ConfirmIdentity onClose={() => question.answer(false)} />}
      {reporting.about.value && <ReportDialog onClose={reporting.close} />}
    </>
  );
}

/** Replaces the short name of a server in the address by its id, which everything here uses. */
function useShortName(name: string | null): void {
  const { servers, navigate } = useApp();
  const server = name === null ? undefined : servers.list.value.find(({ slug }) => slug === name);
  const id = server?.id;
  useEffect(() => {
    if (name && id) navigate(location.pathname.replace(`/app/s/${name}`, pathTo.server(id)), { replace: true });
  }, [name, id]);
}

/** Lets keyboard users skip all servers and channels. */
function Skip() {
  const { t } = useTexts();
  return (
    <button type="button" class="skip" onClick={focusContent}>
      {t('Skip to the content')}
    </button>
  );
}

function Main() {
  const { route, servers } = useApp();
  const here = route.value;
  switch (here.name) {
    case 'channel':
    case 'dm':
      if (here.serverId && !servers.current.value && servers.loaded.value)
        return <ServerHome serverId={here.serverId} />;
      return (
        <Conversation
          key={here.channelId}
          channelId={here.channelId}
          messageId={here.messageId}
          threadId={here.threadId}
          parentId={here.parentId ?? null}
        />
      );
    case 'server':
      return <ServerHome serverId={here.serverId} />;
    case 'home-page':
      return servers.current.value ? (
        <HomePage server={servers.current.value} />
      ) : (
        <ServerHome serverId={here.serverId} />
      );
    case 'manage':
      return <Manage serverId={here.serverId} section={here.section} />;
    case 'files':
      return <Files key={here.folderId} serverId={here.serverId} folderId={here.folderId} />;
    case 'apps':
      return <Apps key={here.serverId} serverId={here.serverId} appId={here.appId} />;
    case 'invite':
      return <Invite code={here.code} />;
    case 'admin':
      return <Admin section={here.section} />;
    case 'settings':
      return <Settings section={here.section} id={here.id} />;
    case 'discover':
      return <Discover />;
    case 'notifications':
      return <Notifications />;
    case 'later':
      return <Later section={here.section} />;
    case 'threads':
      return <ThreadInbox />;
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
  const { navigate } = useApp();
  useEffect(() => {
    if (isWide()) navigate('/app/friends', { replace: true });
  }, []);
  return null;
}

/** Navigates to the last conversation, else to the first server or the friends. */
function Start() {
  const { servers, router, navigate } = useApp();
  const loaded = servers.loaded.value;
  useEffect(() => {
    const remembered = router.remembered;
    const [first] = servers.list.peek();
    if (remembered) navigate(remembered, { replace: true });
    else if (loaded) navigate(first ? pathTo.server(first.id) : '/app/friends', { replace: true });
  }, [loaded]);
  return null;
}

function Toasts({ toasts }: { toasts: ToastsState }) {
  const { t } = useTexts();
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.list.value.map(({ id, text, kind, href }) => (
        <div key={id} class={`toast ${kind}`}>
          {text}
          {href && (
            <a href={href} onClick={() => toasts.dismiss(id)}>
              {t('Show')}
            </a>
          )}
          <button type="button" class="icon" aria-label={t('Dismiss')} onClick={() => toasts.dismiss(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
