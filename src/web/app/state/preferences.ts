import { signal } from '@preact/signals';
import type { NotificationRecord, RestAnswer, RestInput } from '../../../client/index.ts';
import { type Notifications, pathOf } from './notifications.ts';
import type { Presence } from './presence.ts';
import type { Core } from './session.ts';
import { keptKeys } from './surroundings.ts';

type PreferencesRecord = RestAnswer<'GET /api/notifications/preferences'>;
export type ChannelLevel = RestAnswer<'GET /api/channels/:id/notification-level'>['level'];
export type Strategy = PreferencesRecord['strategy'];
type Change = RestInput<'PATCH /api/notifications/preferences'>['body'];

const lists = { server: 'mutedServerIds', channel: 'mutedChannelIds' } as const;
type MuteScope = keyof typeof lists;

/** What the user wants to be notified of. */
export class Preferences {
  readonly current = signal<PreferencesRecord>({ strategy: 'all', mutedServerIds: [], mutedChannelIds: [] });
  /** The channels with a level of their own. */
  private readonly levels = signal<Record<string, 'all' | 'mentions'>>({});
  private readonly core: Core;

  constructor(core: Core) {
    this.core = core;
    core.client.on('notification:preferences', ({ eventSeq: _, channelLevels, ...preferences }) => {
      this.current.value = preferences;
      this.levels.value = channelLevels;
    });
  }

  async load(): Promise<void> {
    const { client } = this.core;
    this.current.value = await client.rest('GET /api/notifications/preferences');
    this.levels.value = (await client.rest('GET /api/notifications/levels')).channelLevels;
  }

  /** What the user is notified of in a channel; null: as their strategy says. */
  levelOf(channelId: string): ChannelLevel {
    return this.isMuted('channel', channelId) ? 'nothing' : (this.levels.value[channelId] ?? null);
  }

  async setLevel(id: string, level: ChannelLevel): Promise<void> {
    await this.core.client.rest('PUT /api/channels/:id/notification-level', { id, body: { level } });
    await this.load();
  }

  async setStrategy(strategy: Strategy): Promise<void> {
    await this.change({ strategy }, async () => ({ strategy }));
  }

  isMuted(scope: MuteScope, id: string): boolean {
    return this.current.value[lists[scope]].includes(id);
  }

  async setMuted(scope: MuteScope, id: string, muted: boolean): Promise<void> {
    const changed = (now: PreferencesRecord): Change => {
      const others = now[lists[scope]].filter((other) => other !== id);
      return { [lists[scope]]: muted ? [...others, id] : others };
    };
    // Another device may have muted something meanwhile.
    const fresh = async () => changed(await this.core.client.rest('GET /api/notifications/preferences'));
    await this.change(changed(this.current.peek()), fresh);
  }

  /** @param change shown until there is an answer; undone if there is none */
  private async change(change: Change, toSend: () => Promise<Change>): Promise<void> {
    const before = this.current.peek();
    this.current.value = { ...before, ...change };
    try {
      const body = await toSend();
      this.current.value = await this.core.client.rest('PATCH /api/notifications/preferences', { body });
    } catch (error) {
      this.current.value = before;
      throw error;
    }
  }
}

/** Notifications of the operating system, while the user looks at something else. */
export class Alerts {
  /** Whether this device shows them. */
  readonly on;
  private readonly core: Core;
  private readonly presence: Presence;

  constructor(core: Core, presence: Presence, notifications: Notifications) {
    this.core = core;
    this.presence = presence;
    this.on = signal(core.scope.local.getItem(keptKeys.alerts) !== null);
    core.scope.add(notifications.newest.subscribe((entry) => entry && this.show(entry)));
  }

  /** @throws Error when the browser does not allow it */
  async set(on: boolean): Promise<void> {
    const { local } = this.core.scope;
    const { alerts } = this.core.surroundings;
    this.on.value = on;
    // Permission given earlier needs no waiting: a page that is left in that moment would lose the choice.
    if (on && !alerts.isAllowed() && !(await alerts.ask())) {
      this.on.value = false;
      throw new Error('This browser does not let Parley show notifications. It has a setting for that.');
    }
    if (on) local.setItem(keptKeys.alerts, 'on');
    else local.removeItem(keptKeys.alerts);
  }

  private show(entry: NotificationRecord): void {
    const { alerts } = this.core.surroundings;
    const isBusy = this.presence.statuses.peek().get(this.core.me.peek()?.id ?? '') === 'dnd';
    if (!this.on.peek() || isBusy || entry.isRead || alerts.isInFront()) return;
    if (!alerts.isSupported() || !alerts.isAllowed()) return;
    // Several tabs show it once, thanks to its tag.
    alerts.show({ title: entry.title, body: entry.body ?? '', tag: entry.id }, () => this.core.navigate(pathOf(entry)));
  }
}
