import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { Favorites } from './favorites.ts';
import type { Follows } from './follows.ts';
import type { Notifications } from './notifications.ts';
import type { People } from './people.ts';
import type { Preferences } from './preferences.ts';
import type { Servers } from './servers.ts';
import type { Core } from './session.ts';
import type { SyncedDrafts } from './synced-drafts.ts';
import type { Timelines } from './timelines.ts';

/** How long the lists wait for a connection. If it takes longer they are read at once, and again afterwards. */
const patienceMs = 5000;
/** Within this time what depends on where the user is a member is read again after that has changed. */
const spreadMs = 1500;

interface Parts {
  timelines: Timelines;
  servers: Servers;
  people: People;
  notifications: Notifications;
  preferences: Preferences;
  syncedDrafts: SyncedDrafts;
  follows: Follows;
  favorites: Favorites;
}

/** Loads all lists beside the conversation, what is visible first. */
export class Lists {
  /** Before that, empty means nothing. */
  readonly loaded = signal(false);
  private readonly core: Core;
  private readonly parts: Parts;
  /** Whether the user's own events are received: they keep up to date what is read from then on. */
  private readonly isReceiving: ReadonlySignal<boolean>;
  /** Whether the conversation at the address, if any, has been loaded, or cannot be for now. */
  private readonly isSettled: ReadonlySignal<boolean>;
  private willReload = false;

  constructor(core: Core, parts: Parts) {
    this.core = core;
    this.parts = parts;
    this.isReceiving = computed(() => {
      const { via, status } = core.connection.state.value;
      return via === 'socket' || status === 'live';
    });
    this.isSettled = computed(() => {
      const here = core.route.value;
      if (!('channelId' in here)) return true;
      const { loaded, error, gone } = parts.timelines.of(here.channelId, here.threadId);
      return loaded.value || error.value !== null || gone.value || parts.timelines.of(here.channelId).gone.value;
    });
  }

  /** Resolves when the messages at the address are no longer waiting for the network. */
  conversationShown(): Promise<void> {
    return once(this.isSettled);
  }

  /** Reads all lists, and again when something was missed. @returns stops it */
  keep(): () => void {
    const { connection, client } = this.core;
    let cancel = () => {};
    const again = () => {
      end();
      end = connection.load(() => this.loadAgain());
    };
    const first = async () => {
      await this.conversationShown();
      cancel();
      if (!this.isReceiving.peek()) cancel = connection.onceLive(again);
      await this.loadAll();
    };
    const received = this.soonReceiving();
    let end = connection.load(() => received.then(first));
    const places = () => this.reloadPlaces();
    const offs = [
      client.on('reload', again),
      client.on('server:joined', places),
      client.on('server:left', places),
      client.on('server:deleted', places),
      client.on('channel:member-added', places),
      client.on('channel:member-removed', places),
      client.on('dm:created', places),
    ];
    return () => {
      end();
      for (const off of offs) off();
      cancel();
    };
  }

  private async loadAll(): Promise<void> {
    const { servers, people, notifications, preferences, syncedDrafts, follows, favorites } = this.parts;
    await Promise.all([servers.load(), people.load(), favorites.load()]);
    await Promise.all([notifications.load(), preferences.load(), syncedDrafts.load(), follows.load()]);
    this.loaded.value = true;
    await servers.loadOtherChannels();
  }

  /**
   * The user is in other places than before: what the lists say of these, such as threads, favourites and timeouts, is read
   * again. Many may hear of it at once: they do not all ask at once.
   */
  private reloadPlaces(): void {
    if (this.willReload || !this.loaded.peek()) return;
    this.willReload = true;
    this.core.scope.after(Math.random() * spreadMs, () => {
      this.willReload = false;
      const { servers, notifications, preferences, follows, favorites } = this.parts;
      const lists = [servers.load(), favorites.load(), notifications.load(), preferences.load(), follows.load(true)];
      // What fails now is read with the next change, or when there is a connection again.
      void Promise.allSettled(lists);
    });
  }

  private async loadAgain(): Promise<void> {
    const here = this.core.route.peek();
    await this.loadAll();
    if ('serverId' in here && here.serverId) await this.parts.servers.loadChannels(here.serverId);
  }

  private soonReceiving(): Promise<void> {
    const patience = new Promise<void>((resolve) => this.core.scope.after(patienceMs, resolve));
    return Promise.race([once(this.isReceiving), patience]);
  }
}

function once(condition: ReadonlySignal<boolean>): Promise<void> {
  return new Promise((resolve) => {
    const off = condition.subscribe((holds) => {
      if (!holds) return;
      resolve();
      // It may hold already, before there is something to stop.
      queueMicrotask(() => off());
    });
  });
}
