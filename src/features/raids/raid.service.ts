import { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { raidBegin, raidEnd, raidUpdate } from '../../contract/invite-actions.ts';
import type { StatusReader } from '../../contract/presence.ts';
import { type raidSchema, type raidViewSchema, serverRaid } from '../../contract/raid.ts';
import { requirePermission } from '../../contract/roles.ts';
import { userRoom } from '../../contract/rooms.ts';
import { idSchema, isoTimeOrNull } from '../../contract/schema.ts';
import type { raidSettingsSchema } from '../../contract/server-raid.ts';
import type { Change } from '../../delivery/changes.ts';
import { clock, dateNow } from '../../infrastructure/clock.ts';
import { type InsideWork, insideWork, type JobKind } from '../../jobs/job.kind.ts';
import type { Context } from '../context.ts';
import { holdersOf } from '../members/audience.table.ts';
import { readLetIn } from '../members/member.table.ts';
import { lockServer } from '../members/roster.ts';
import { holdServer } from '../members/server.table.ts';
import { broughtRecord } from '../members/server.view.ts';
import { countJoin, endRaid, type RaidState, readRaid, writeRaid } from './raid.table.ts';

type RaidRecord = z.output<typeof raidSchema>;
type RaidSettings = z.output<typeof raidSettingsSchema>;

/** How many of those who got in are listed. */
const listed = 200;

const overSchema = z.object({ serverId: idSchema });
/** When a raid may be over, unless the rate is exceeded again. */
const overKind: JobKind<z.output<typeof overSchema>> = { name: 'raid-over', schema: overSchema };

interface Deps extends Pick<Context, 'database' | 'changes' | 'serverAccess' | 'notifications' | 'jobs'> {
  statuses: StatusReader;
}

/** Raid mode: joins are held for approval while more come than usual (contract §5, Raid mode). */
export class RaidService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Counts a join that is about to happen, in its own change and with the server locked: one that fails is not counted.
   * @returns whether it is held for approval
   */
  async holds(change: Change, serverId: string, userId: string): Promise<boolean> {
    const counted = await countJoin(change.rows, serverId, userId, dateNow());
    if (!counted?.began) return counted?.isOn ?? false;
    const state = await readRaid(change.rows, serverId, dateNow());
    await this.endAt(change, serverId, state);
    await this.announce(change, serverId, state);
    change.audit(raidBegin, bySystem(serverId));
    await this.notify(change, serverId, await holdersOf(change.rows, serverId, 'server:raid'));
    return true;
  }

  /** What is set, and who got in since it began. @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED */
  async view(actor: Actor, idOrSlug: string): Promise<z.output<typeof raidViewSchema>> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    requirePermission(membership.rights, 'server:raid');
    const { rows } = this.deps.database;
    const state = await readRaid(rows, id, dateNow());
    const members = state.isOn ? await readLetIn(rows, id, listed) : [];
    return { ...raidRecord(id, state), members: members.map((row) => broughtRecord(row, this.deps.statuses)) };
  }

  /** Switches it now. @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED */
  async switch(actor: Actor, idOrSlug: string, on: boolean): Promise<RaidRecord> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    requirePermission(membership.rights, 'server:raid');
    return this.deps.changes.run((change) => this.set(change, actor, id, on ? { mode: 'on' } : {}, !on));
  }

  /** Changes what is set, as part of a change to the server. The caller checks that the actor may. */
  async configure(change: Change, actor: Actor, serverId: string, settings: RaidSettings): Promise<void> {
    await this.set(change, actor, serverId, settings, false);
  }

  /** Ends what turned itself on and was not exceeded again. */
  ending(): InsideWork {
    return insideWork(overKind, async (change, [job]) => {
      if (!job || !(await holdServer(change.rows, job.data.serverId))) return;
      const { serverId } = job.data;
      const state = await readRaid(change.rows, serverId, dateNow());
      if (state.since === null || state.forced) return;
      if (state.isOn) return this.endAt(change, serverId, state);
      await endRaid(change.rows, serverId);
      await this.announce(change, serverId, { ...state, since: null });
      change.audit(raidEnd, bySystem(serverId));
    });
  }

  private async set(
    change: Change,
    actor: Actor,
    serverId: string,
    settings: RaidSettings,
    ends: boolean,
  ): Promise<RaidRecord> {
    await lockServer(change.rows, serverId);
    const before = await readRaid(change.rows, serverId, dateNow());
    const next = changed(before, settings, ends);
    await writeRaid(change.rows, serverId, next, before.isOn && next.since === null);
    const state = await readRaid(change.rows, serverId, dateNow());
    if (isSame(before, state)) return raidRecord(serverId, state);
    const values = { before: raidRecord(serverId, before), after: raidRecord(serverId, state) };
    change.audit(raidUpdate, { actor, serverId, target: { kind: 'server', id: serverId }, ...values });
    await this.announce(change, serverId, state);
    if (state.isOn && !before.isOn) {
      const others = await holdersOf(change.rows, serverId, 'server:raid');
      await this.notify(change, serverId, others, actor.userId);
    }
    return raidRecord(serverId, state);
  }

  private async announce(change: Change, serverId: string, state: RaidState): Promise<void> {
    const raid = raidRecord(serverId, state);
    for (const userId of await holdersOf(change.rows, serverId, 'server:raid')) {
      change.publish(serverRaid.in(userRoom(userId), { serverId, raid }));
    }
  }

  private async notify(change: Change, serverId: string, to: string[], by?: string): Promise<void> {
    const reference = { type: 'server', id: serverId };
    const notice = { kind: 'server.raid', to, senderId: null, serverId, reference } as const;
    await this.deps.notifications.add(change, by === undefined ? notice : { ...notice, by });
  }

  private async endAt(change: Change, serverId: string, { until }: RaidState): Promise<void> {
    const runAt = until === null ? undefined : new Date(until);
    await this.deps.jobs.add(change, overKind, { serverId }, { key: serverId, runAt });
  }
}

const bySystem = (serverId: string) =>
  ({ actor: 'system', serverId, target: { kind: 'server', id: serverId } }) as const;

/** What is set after a change. Switched on, it shows also those who joined within the last `seconds`. */
function changed(before: RaidState, { mode, joins, seconds, minutes }: RaidSettings, ends: boolean): RaidState {
  const next: RaidState = {
    ...before,
    joins: joins ?? before.joins,
    seconds: seconds ?? before.seconds,
    minutes: minutes ?? before.minutes,
  };
  if (ends) return { ...next, forced: false, since: null };
  if (mode === 'on') {
    const since = before.isOn ? before.since : new Date(clock.now() - next.seconds * 1000);
    return { ...next, forced: true, since };
  }
  if (mode === undefined) return next;
  const stays = mode === 'auto' && before.isOn && !before.forced;
  return { ...next, mode, forced: false, since: stays ? before.since : null };
}

function isSame(before: RaidState, now: RaidState): boolean {
  const names = ['mode', 'forced', 'joins', 'seconds', 'minutes', 'isOn'] as const;
  return names.every((name) => before[name] === now[name]);
}

function raidRecord(serverId: string, state: RaidState): RaidRecord {
  const { mode, forced, joins, seconds, minutes, isOn, since, until } = state;
  return {
    serverId,
    mode: forced ? 'on' : mode,
    joins,
    seconds,
    minutes,
    isOn,
    since: isOn ? isoTimeOrNull(since) : null,
    until: isOn && !forced ? isoTimeOrNull(until) : null,
  };
}
