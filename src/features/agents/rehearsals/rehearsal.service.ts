import type { z } from 'zod';
import type { Chore } from '../../../cluster/chores.ts';
import type { Actor } from '../../../contract/actor.ts';
import { AppError } from '../../../contract/errors.ts';
import {
  type createRehearsalSchema,
  type differencesQuery,
  type differencesSchema,
  maxCaptured,
  rehearsalHours,
  type rehearsalSchema,
  type rehearsalWithTokenSchema,
} from '../../../contract/rehearsal.ts';
import { isoTime } from '../../../contract/schema.ts';
import { AgentToken } from '../../../database/entities/agent.entity.ts';
import { clock, dateNow } from '../../../infrastructure/clock.ts';
import { newId } from '../../../infrastructure/ids.ts';
import { type AgentAccess, holdOwned, lockAgent } from '../../accounts/agent.access.ts';
import { type AgentIdentity, actorOf } from '../../accounts/agent.identity.ts';
import { holdSession, ownSession } from '../../accounts/sessions/session.service.ts';
import type { Tokens } from '../../accounts/tokens.ts';
import type { Context } from '../../context.ts';
import { insertRehearsalFeeds } from '../feeds/feed.table.ts';
import { type Difference, differenceRecord, differencesOf } from './differences.ts';
import {
  capturedNow,
  endRehearsal,
  findRehearsal,
  forgetRehearsals,
  hasRunning,
  insertRehearsal,
  playedChannels,
  type RehearsalRow,
  rehearsalsOf,
  sentThen,
  textsOf,
} from './rehearsal.table.ts';

type RehearsalRecord = z.input<typeof rehearsalSchema>;

interface Deps extends Pick<Context, 'database' | 'changes' | 'channelAccess' | 'notifications'> {
  agentAccess: AgentAccess;
  agentIdentity: AgentIdentity;
  tokens: Tokens;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Old rehearsals are forgotten in the background, with what they captured. */
export const forgetOldRehearsals: Chore = { name: 'forget old rehearsals', step: forgetRehearsals };

/** Tries new versions of bots on the log of the last days (contract §4). */
export class RehearsalService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** @throws AppError AGENT_NOT_FOUND, FORBIDDEN for the bot itself */
  async list(actor: Actor, agentId: string): Promise<RehearsalRecord[]> {
    await this.deps.agentAccess.owned(actor, agentId);
    return (await rehearsalsOf(this.deps.database.rows, agentId)).map(rehearsalRecord);
  }

  /**
   * Begins a rehearsal; its token has its id. The owner is notified, as of each token of the bot.
   * @throws AppError AGENT_NOT_FOUND, FORBIDDEN for the bot itself, INSUFFICIENT_PAT_SCOPE, REHEARSAL_RUNNING
   */
  async start(
    actor: Actor,
    agentId: string,
    { name, days }: z.output<typeof createRehearsalSchema>,
  ): Promise<z.input<typeof rehearsalWithTokenSchema>> {
    const agent = await this.deps.agentAccess.owned(actor, agentId);
    const madeBy = ownSession(actor);
    const id = newId();
    const endsAt = new Date(clock.now() + rehearsalHours * 60 * 60 * 1000);
    const since = new Date(clock.now() - days * dayMs);
    const row = await this.deps.changes.run(async (change) => {
      const { em, rows } = change;
      await holdSession(change, madeBy);
      const locked = await lockAgent(em, agentId);
      if (locked.ownerId !== agent.ownerId) throw new AppError('AGENT_NOT_FOUND');
      if (await hasRunning(rows, agentId)) throw new AppError('REHEARSAL_RUNNING');
      await insertRehearsal(rows, { id, agentId, name, since, endsAt });
      await insertRehearsalFeeds(rows, agentId, id, since);
      em.create(AgentToken, { id, agentId, endsAt, madeBy });
      await em.flush();
      const reference = { type: 'agent', id: agentId };
      const notice = { kind: 'agent.token_created' as const, to: [agent.ownerId], senderId: agent.userId, reference };
      await this.deps.notifications.add(change, notice);
      return existing(await findRehearsal(rows, agentId, id));
    });
    const token = this.deps.tokens.sign({ sub: agent.userId, sid: id, typ: 'rehearsal' }, rehearsalHours * 60 * 60);
    return { ...rehearsalRecord(row), token };
  }

  /** Ends a rehearsal on all nodes; its differences stay. @throws AppError AGENT_NOT_FOUND, REHEARSAL_NOT_FOUND, FORBIDDEN */
  async end(actor: Actor, agentId: string, id: string): Promise<RehearsalRecord> {
    const agent = await this.deps.agentAccess.owned(actor, agentId);
    return this.deps.changes.run(async (change) => {
      const { db, em, rows } = change;
      await holdOwned(db, agent);
      existing(await findRehearsal(rows, agentId, id));
      await em.nativeUpdate(AgentToken, { id, agentId, endsAt: { $gt: dateNow() } }, { endsAt: dateNow() });
      await endRehearsal(rows, agentId, id);
      change.afterCommit(() => this.deps.agentIdentity.forgetTokens([id]));
      return rehearsalRecord(existing(await findRehearsal(rows, agentId, id)));
    });
  }

  /**
   * What the new version would have said otherwise, in channels that the bot is in now.
   * @throws AppError AGENT_NOT_FOUND, REHEARSAL_NOT_FOUND, FORBIDDEN for the bot itself
   */
  async differences(
    actor: Actor,
    agentId: string,
    id: string,
    { limit, offset, only }: z.output<typeof differencesQuery>,
  ): Promise<z.input<typeof differencesSchema>> {
    const { userId } = await this.deps.agentAccess.owned(actor, agentId);
    const { rows } = this.deps.database;
    existing(await findRehearsal(rows, agentId, id));
    const channels = await this.stillIn(userId, await playedChannels(rows, id));
    const before = await sentThen(rows, id, userId, channels, maxCaptured + 1);
    const after = await capturedNow(rows, id, channels, maxCaptured + 1);
    const all = differencesOf(before.slice(0, maxCaptured), after.slice(0, maxCaptured));
    const asked = only === 'different' ? all.filter(({ kind }) => kind !== 'same') : all;
    const page = asked.slice(offset, offset + limit);
    const ids = page.flatMap((one) => [one.before, one.after].flatMap((said) => said?.id ?? []));
    const texts = await textsOf(rows, id, channels, ids);
    return {
      differences: page.map((difference) => differenceRecord(difference, texts)),
      counts: countsOf(all),
      isCut: before.length > maxCaptured || after.length > maxCaptured,
      hasMore: asked.length > offset + limit,
    };
  }

  /** Those channels that the bot has not left: its owner reads what the bot reads. */
  private async stillIn(botUserId: string, channelIds: string[]): Promise<string[]> {
    const bot = await this.deps.agentIdentity.find(botUserId);
    if (!bot) return [];
    const actor = actorOf(bot);
    const found: string[] = [];
    for (const channelId of channelIds) {
      const isIn = await this.deps.channelAccess.entered(actor, channelId).then(
        () => true,
        (error) => {
          if (error instanceof AppError && error.status < 500) return false;
          throw error;
        },
      );
      if (isIn) found.push(channelId);
    }
    return found;
  }
}

function countsOf(all: Difference[]): Record<Difference['kind'], number> {
  const counts = { same: 0, changed: 0, missing: 0, added: 0 };
  for (const { kind } of all) counts[kind]++;
  return counts;
}

/** @throws AppError REHEARSAL_NOT_FOUND */
function existing(row: RehearsalRow | undefined): RehearsalRow {
  if (!row) throw new AppError('REHEARSAL_NOT_FOUND');
  return row;
}

function rehearsalRecord({ since, createdAt, endsAt, isRunning, ...rest }: RehearsalRow): RehearsalRecord {
  const times = { since: isoTime(since), createdAt: isoTime(createdAt), endsAt: isoTime(endsAt) };
  return { ...rest, ...times, state: isRunning ? 'running' : 'ended' };
}
