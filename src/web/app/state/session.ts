import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { type OwnUser, type Parley, ParleyError } from '../../../client/index.ts';
import { Activities, Typists } from './activities.ts';
import { Attachments } from './attachments.ts';
import { Categories } from './categories.ts';
import { SlashCommands } from './commands.ts';
import type { Confirmation } from './confirmation.ts';
import { Connection } from './connection.ts';
import { destinationsOf } from './destinations.ts';
import { Drafts } from './drafts.ts';
import type { EntryMenu } from './entry-menu.ts';
import { Favorites } from './favorites.ts';
import { Follows } from './follows.ts';
import { Handovers } from './handovers.ts';
import { Held } from './held.ts';
import { Hues } from './hues.ts';
import { Interactions } from './interactions.ts';
import { Lists } from './lists.ts';
import { noteLocale } from './locale.ts';
import { MessagePreviews } from './message-previews.ts';
import { Notifications } from './notifications.ts';
import { OwnEmojis } from './own-emoji.ts';
import { People } from './people.ts';
import { Pictures } from './pictures.ts';
import { Polls } from './polls.ts';
import { Alerts, Preferences } from './preferences.ts';
import { Presence } from './presence.ts';
import { Profiles } from './profiles.ts';
import { Pushes } from './pushes.ts';
import { Receipts } from './receipts.ts';
import { RecentEmoji } from './recent-emoji.ts';
import { Replies } from './replies.ts';
import { Reporting } from './reporting.ts';
import { Restraints } from './restraints.ts';
import { OwnRights } from './rights.ts';
import { Roles } from './roles.ts';
import type { Route, Router } from './router.ts';
import { Saved } from './saved.ts';
import type { Scope } from './scope.ts';
import { Refusals } from './sending.ts';
import { Servers } from './servers.ts';
import { SidePanel } from './side-panel.ts';
import { keptKeys, type Surroundings } from './surroundings.ts';
import { SyncedDrafts } from './synced-drafts.ts';
import type { Texts } from './texts.ts';
import { Anchors, Timelines } from './timelines.ts';
import { Toasts } from './toasts.ts';
import { Unread } from './unread.ts';
import { Waiting } from './waiting.ts';
import { Workspace } from './workspace.ts';

/** The signed-in user, as last known: the page renders before the server has answered. */
export const ownUserKey = 'parley:me';

/** What a session starts with. */
export interface SessionParts {
  surroundings: Surroundings;
  router: Router;
  texts: ReadonlySignal<Texts>;
  client: Parley;
  confirmation: Confirmation;
  /** Ends with the session. */
  scope: Scope;
}

/** What every part of a session's state is built on. */
export interface Core {
  surroundings: Surroundings;
  /** What is said to the user. */
  texts: ReadonlySignal<Texts>;
  client: Parley;
  confirmation: Confirmation;
  scope: Scope;
  route: ReadonlySignal<Route>;
  navigate: Router['navigate'];
  me: ReadonlySignal<OwnUser | null>;
  toasts: Toasts;
  connection: Connection;
}

/** Everything that the page knows for one signed-in user. A new session starts with a new one. */
export type SessionState = ReturnType<typeof createSession>;

export function createSession(parts: SessionParts) {
  const { client, scope, router } = parts;
  const own = ownUser(parts);
  const toasts = new Toasts(scope, parts.texts);
  const connection = new Connection(client, scope, toasts, parts.texts);
  // What is still under way at the end of the session must not change the page.
  const navigate: Router['navigate'] = (to, options) => {
    if (!scope.isOver) router.navigate(to, options);
  };
  const core: Core = { ...parts, route: router.route, navigate, me: own.me, toasts, connection };
  return {
    ...core,
    ...own,
    ...partsOf(core),
    /** Whether the dialog that leads to other places is open, and that with all keys. */
    switcherOpen: signal(false),
    /** The menu of an entry of the lists that is open. */
    entryMenu: signal<EntryMenu | null>(null),
    keysOpen: signal(false),
    panel: new SidePanel(scope, parts.surroundings.isRoomy),
    /** Loads the signed-in user again, as soon as the server can be reached. */
    refreshMe: () => refreshMe(core, own.setMe),
    /** Takes over what the server answered to a sign-in. */
    signedInAs(user: OwnUser): void {
      own.setMe(user);
      void noteLocale(core, user, own.setMe);
    },
    showToast: toasts.show,
    attempt: toasts.attempt,
    async copy(text: string): Promise<boolean> {
      return toasts.attempt(async () => {
        await parts.surroundings.copy(text);
        toasts.show(parts.texts.peek().t('Copied.'));
      });
    },
    /** Ends the session on this page; the server is not asked. */
    close(): void {
      client.disconnect();
      scope.end();
    },
  };
}

/** The parts, each built on those before it. */
function partsOf(core: Core) {
  const presence = new Presence(core);
  const replies = new Replies(core);
  const follows = new Follows(core);
  const unread = new Unread(core, presence, replies, follows);
  const attachments = new Attachments(core);
  const drafts = new Drafts(core, attachments);
  const refusals = new Refusals(core);
  const anchors = new Anchors(core.scope);
  const timelines = new Timelines({ ...core, unread, drafts, replies, refusals, anchors });
  const restraints = new Restraints(core);
  const roles = new Roles(core);
  const categories = new Categories(core);
  const servers = new Servers(core, { categories, timelines, unread, restraints, roles });
  const favorites = new Favorites(core);
  const people = new People(core, presence, unread);
  const notifications = new Notifications(core);
  const preferences = new Preferences(core);
  const pushes = new Pushes(core, notifications);
  const syncedDrafts = new SyncedDrafts(core, drafts, attachments);
  return {
    presence,
    replies,
    unread,
    follows,
    attachments,
    drafts,
    syncedDrafts,
    waiting: new Waiting(core, attachments, drafts),
    refusals,
    anchors,
    timelines,
    restraints,
    rights: new OwnRights(restraints),
    roles,
    categories,
    servers,
    favorites,
    people,
    handovers: new Handovers(core),
    held: new Held(core),
    saved: new Saved(core),
    previews: new MessagePreviews(core),
    receipts: new Receipts(core),
    reporting: new Reporting(),
    profiles: new Profiles(core),
    pictures: new Pictures(core),
    hues: new Hues(core.scope),
    ownEmoji: new OwnEmojis(core, servers),
    recentEmoji: new RecentEmoji(core),
    polls: new Polls(core),
    interactions: new Interactions(core),
    notifications,
    preferences,
    pushes,
    alerts: new Alerts(core, { presence, notifications, preferences, pushes }),
    typists: new Typists(core),
    activities: new Activities(core),
    commands: new SlashCommands(core),
    workspace: new Workspace(core),
    /** Conversations and servers to navigate to. */
    destinations: computed(() =>
      destinationsOf({
        servers: servers.list.value,
        channels: servers.channels.value,
        dms: people.dms.value,
        ownId: core.me.value?.id,
        unread: unread.counts.value,
        texts: core.texts.value,
      }),
    ),
    lists: new Lists(core, {
      timelines,
      servers,
      people,
      notifications,
      preferences,
      syncedDrafts,
      follows,
      favorites,
    }),
  };
}

function ownUser({ client, scope }: SessionParts) {
  const stored = scope.local.getItem(ownUserKey);
  const me = signal<OwnUser | null>(stored === null ? null : JSON.parse(stored));
  const reminderDismissed = signal(scope.local.getItem(keptKeys.unproven) !== null);
  const setMe = (user: OwnUser): void => {
    me.value = user;
    scope.local.setItem(ownUserKey, JSON.stringify(user));
  };
  client.on('user:updated', ({ user }) => {
    if (me.value?.id === user.id) setMe({ ...me.value, ...user });
  });
  client.on('membership:updated', (membership) => {
    if (me.value) setMe({ ...me.value, membership, status: membership.status });
  });
  // A node of an earlier version knows no clock and no theme.
  client.on('account:updated', ({ language, timeZone, hourCycle = me.value?.hourCycle, theme = me.value?.theme }) => {
    if (me.value) setMe({ ...me.value, language, timeZone, hourCycle: hourCycle ?? null, theme: theme ?? null });
  });
  return {
    me,
    setMe,
    can: (capability: string): boolean => me.value?.membership.capabilities.includes(capability) ?? false,
    /** Whether the reminder to confirm the e-mail address was dismissed. */
    reminderDismissed,
    dismissReminder(): void {
      scope.local.setItem(keptKeys.unproven, 'yes');
      reminderDismissed.value = true;
    },
  };
}

async function refreshMe(
  core: Pick<Core, 'client' | 'connection' | 'surroundings'>,
  setMe: (user: OwnUser) => void,
): Promise<void> {
  try {
    const user = await core.client.rest('GET /api/auth/me');
    setMe(user);
    void noteLocale(core, user, setMe);
  } catch (error) {
    if (error instanceof ParleyError && !error.isPassing) return;
    core.connection.onceBack(() => void refreshMe(core, setMe));
  }
}
