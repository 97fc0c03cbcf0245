import { signal } from '@preact/signals';
import type { NotificationRecord, RestAnswer, RestInput } from '../../../client/index.ts';
import { notificationPath } from '../../../contract/notification-path.ts';
import { isQuietAt } from '../../../contract/quiet-times.ts';
import { bodyIn, titleIn } from '../../../languages/titles.ts';
import { LatestAnswer } from './latest-answer.ts';
import type { Notifications } from './notifications.ts';
import type { Presence } from './presence.ts';
import type { Pushes } from './pushes.ts';
import type { Core } from './session.ts';
import { keptKeys } from './surroundings.ts';
import { Failure } from './toasts.ts';

export type NotificationSettings = RestAnswer<'GET /api/notifications/settings'>;
export type SettingsChange = RestInput<'PATCH /api/notifications/settings'>['body'];
export type Level = RestAnswer<'GET /api/channels/:id/notification-level'>['level'];
export type Strategy = NotificationSettings['strategy'];
export type QuietSpan = NotificationSettings['quietHours']['spans'][number];

const muted = { server: 'mutedServerIds', channel: 'mutedChannelIds' } as const;
const levels = { server: 'serverLevels', channel: 'channelLevels' } as const;
type Place = keyof typeof muted;

const unknown: NotificationSettings = {
  ...{ strategy: 'all', mutedServerIds: [], mutedChannelIds: [], channelLevels: {}, serverLevels: {}, keywords: [] },
  mutedUntil: {},
  ...{ quietHours: { isOn: false, spans: [] }, snoozedUntil: null, digestMinutes: null, digestDefaultMinutes: null },
};

/** What the user wants to be notified of, when and how. */
export class Preferences {
  readonly current = signal<NotificationSettings>(unknown);
  private readonly core: Core;
  private readonly latest = new LatestAnswer();
  /** How many changes of this device are on their way. */
  private underWay = 0;
  /** They are sent one after the other: the last one decides. */
  private sent: Promise<unknown> = Promise.resolve();

  constructor(core: Core) {
    this.core = core;
    core.client.on('notification:settings', ({ eventSeq: _, ...settings }) => {
      // It may tell of a choice before the one that is shown: after the last of them it is read what has come of all.
      if (this.underWay === 0) this.show({ ...this.current.peek(), ...settings });
    });
  }

  load(): Promise<void> {
    const request = () => this.core.client.rest('GET /api/notifications/settings');
    return this.latest.read(request, (answer) => {
      this.current.value = answer;
    });
  }

  /** What the user is notified of in a place; null: as elsewhere. */
  levelOf(place: Place, id: string): Level {
    return levelIn(this.current.value, place, id);
  }

  /**
   * Shown at once; as before if it is refused.
   * @param until when a place that is muted is so no longer; undefined: when the user ends it
   */
  async setLevel(place: Place, id: string, level: Level, until?: string): Promise<void> {
    const { client } = this.core;
    const input = { id, body: { level, until } };
    await this.shown(withLevel(this.current.peek(), place, id, level), () =>
      place === 'channel'
        ? client.rest('PUT /api/channels/:id/notification-level', input)
        : client.rest('PUT /api/servers/:id/notification-level', input),
    );
  }

  isMuted(place: Place, id: string): boolean {
    return this.current.value[muted[place]].includes(id);
  }

  setMuted(place: Place, id: string, isMuted: boolean): Promise<void> {
    return this.setAllMuted(place, [id], isMuted);
  }

  async setAllMuted(place: Place, ids: readonly string[], isMuted: boolean): Promise<void> {
    const changed = (now: NotificationSettings): SettingsChange => {
      const others = now[muted[place]].filter((other) => !ids.includes(other));
      return { [muted[place]]: isMuted ? [...others, ...ids] : others };
    };
    const { client } = this.core;
    const now = this.current.peek();
    await this.shown({ ...now, ...changed(now) }, async () => {
      // Another device may have muted something meanwhile.
      const body = changed(await client.rest('GET /api/notifications/settings'));
      await client.rest('PATCH /api/notifications/settings', { body });
    });
  }

  async change(change: SettingsChange): Promise<void> {
    const send = () => this.core.client.rest('PATCH /api/notifications/settings', { body: change });
    await this.shown({ ...this.current.peek(), ...change }, send);
  }

  /** Whether the user is not to be disturbed now. @param status how they are seen */
  isQuiet(status: string | undefined): boolean {
    const { quietHours, snoozedUntil } = this.current.peek();
    const timeZone = this.core.me.peek()?.timeZone ?? null;
    return isQuietAt({ isBusy: status === 'dnd', quietHours, snoozedUntil, timeZone }, new Date());
  }

  /** Shows what is chosen while it is sent, and then what has come of it; if it is refused, what was there before. */
  private async shown(chosen: NotificationSettings, send: () => Promise<unknown>): Promise<void> {
    const before = this.current.peek();
    this.underWay++;
    this.show(chosen);
    const sending = this.sent.then(send);
    this.sent = sending.catch(() => {});
    try {
      await sending;
    } catch (error) {
      if (this.underWay === 1) this.show(before);
      throw error;
    } finally {
      this.underWay--;
      // What cannot be read now is read with the next change, or when there is a connection again.
      if (this.underWay === 0) void this.load().catch(() => {});
    }
  }

  private show(settings: NotificationSettings): void {
    this.latest.changed();
    this.current.value = settings;
  }
}

function levelIn(settings: NotificationSettings, place: Place, id: string): Level {
  return settings[muted[place]].includes(id) ? 'nothing' : (settings[levels[place]][id] ?? null);
}

function withLevel(settings: NotificationSettings, place: Place, id: string, level: Level): NotificationSettings {
  const others = settings[muted[place]].filter((other) => other !== id);
  const { [id]: _, ...levelsOfOthers } = settings[levels[place]];
  const isKept = level !== null && level !== 'nothing';
  return {
    ...settings,
    [muted[place]]: level === 'nothing' ? [...others, id] : others,
    [levels[place]]: isKept ? { ...levelsOfOthers, [id]: level } : levelsOfOthers,
  };
}

interface AlertParts {
  presence: Presence;
  notifications: Notifications;
  preferences: Preferences;
  pushes: Pushes;
}

/** Notifications of the operating system, while the user looks at something else. */
export class Alerts {
  /** Whether this device shows them. */
  readonly on;
  private readonly core: Core;
  private readonly parts: AlertParts;

  constructor(core: Core, parts: AlertParts) {
    this.core = core;
    this.parts = parts;
    this.on = signal(core.scope.local.getItem(keptKeys.alerts) !== null);
    core.scope.add(parts.notifications.newest.subscribe((entry) => entry && this.show(entry)));
  }

  /** @throws Error when the browser does not allow it */
  async set(on: boolean): Promise<void> {
    const { local } = this.core.scope;
    const { alerts } = this.core.surroundings;
    this.on.value = on;
    // Permission given earlier needs no waiting: a page that is left in that moment would lose the choice.
    if (on && !alerts.isAllowed() && !(await alerts.ask())) {
      this.on.value = false;
      throw new Failure('This browser does not let Parley show notifications. It has a setting for that.');
    }
    if (on) local.setItem(keptKeys.alerts, 'on');
    else local.removeItem(keptKeys.alerts);
  }

  private show(entry: NotificationRecord): void {
    const { alerts } = this.core.surroundings;
    const { presence, preferences, pushes } = this.parts;
    const status = presence.statuses.peek().get(this.core.me.peek()?.id ?? '');
    if (!this.on.peek() || preferences.isQuiet(status) || entry.isRead || alerts.isInFront()) return;
    if (!alerts.isSupported() || !alerts.isAllowed()) return;
    // The server pushes it to this device, and knows whether someone is active on another one.
    if (pushes.isOn.peek()) return;
    // Several tabs show it once, thanks to its tag.
    const { t, errorOf } = this.core.texts.peek();
    const title = titleIn(t, entry.kind, entry.title);
    alerts.show({ title, body: bodyIn(errorOf, entry), tag: entry.id }, () =>
      this.core.navigate(notificationPath(entry)),
    );
  }
}
