import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import type { changeSettingsSchema, notificationSettingsSchema } from '../../contract/notification-settings.ts';
import { userRoom } from '../../contract/rooms.ts';
import { User } from '../../database/entities/user.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import { requireAhead } from '../../infrastructure/ahead.ts';
import { digestKind } from '../../jobs/digest.jobs.ts';
import { digestDefault } from '../../settings/mail-settings.ts';
import type { Context } from '../context.ts';
import { keywordTable } from './keyword.table.ts';
import { keptKeywords } from './keywords.ts';
import { settingsTable } from './settings.table.ts';
import { publishSettings, type Wishes, wishesOf } from './wishes.ts';

type Settings = z.input<typeof notificationSettingsSchema>;
type Input = z.output<typeof changeSettingsSchema>;

type Deps = Pick<Context, 'database' | 'changes' | 'jobs' | 'settings'>;

/** All that decides what someone is notified of, when and how (contract §7). */
export class SettingsService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  async get(actor: Actor): Promise<Settings> {
    return this.settings(await wishesOf(this.deps.database.rows, actor.userId));
  }

  /** Applies to everything that happens after the response. @throws AppError VALIDATION_FAILED */
  async change(actor: Actor, input: Input): Promise<Settings> {
    if (input.snoozedUntil != null) requireAhead('snoozedUntil', input.snoozedUntil);
    const keywords = input.keywords && keptKeywords(input.keywords);
    return this.deps.changes.run(async (change) => {
      const { userId } = actor;
      // Making notifications for this user takes the same lock, and reads the preferences under it.
      await change.lock(userRoom(userId));
      const before = await wishesOf(change.rows, userId);
      if (keywords) await keywordTable.replace(change.rows, userId, keywords);
      await this.set(change, userId, input);
      return this.settings(await publishSettings(change, userId, before));
    });
  }

  /** Sends someone no more mails about what they missed, and tells their devices. Whoever is gone gets none anyway. */
  async endDigests(userId: string): Promise<void> {
    await this.deps.changes.run(async (change) => {
      if (!(await change.em.findOne(User, { id: userId, deletedAt: null }))) return;
      await change.lock(userRoom(userId));
      const before = await wishesOf(change.rows, userId);
      await this.set(change, userId, { digestMinutes: 0 });
      await publishSettings(change, userId, before);
    });
  }

  private async set(change: Change, userId: string, { keywords: _, ...input }: Input): Promise<void> {
    const before = await settingsTable.ofUser(change.rows, userId);
    const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
    const next = { ...before, ...given };
    await settingsTable.set(change.rows, userId, next);
    // What waits was to come at another time; whoever changes this is there, and has missed nothing so far.
    if (next.digestMinutes !== before.digestMinutes) await this.deps.jobs.cancel(change, digestKind, userId);
  }

  private settings(wishes: Wishes): Settings {
    return { ...wishes, digestDefaultMinutes: digestDefault(this.deps.settings) };
  }
}
