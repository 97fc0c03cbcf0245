import { z } from 'zod';
import { lockUser } from '../../access/user.table.ts';
import type { deleteAccountSchema, deletionSchema } from '../../contract/account-deletion.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { accountDelete } from '../../contract/operating.ts';
import { done, idSchema, isoTime } from '../../contract/schema.ts';
import { Handover } from '../../database/entities/handover.entity.ts';
import { Server } from '../../database/entities/server.entity.ts';
import { User } from '../../database/entities/user.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import { clock, dateNow } from '../../infrastructure/clock.ts';
import { type OutsideWork, outsideWork } from '../../jobs/job.kind.ts';
import { selectAgents } from '../accounts/agent.access.ts';
import type { Credentials } from '../accounts/credentials.ts';
import { userCache } from '../accounts/identity.ts';
import { type AccountMails, sendingOf } from '../accounts/mailed/account-mails.ts';
import type { OperatorService } from '../accounts/operator.service.ts';
import { holdSession, ownSession } from '../accounts/sessions/session.service.ts';
import type { AgentService } from '../agents/agent.service.ts';
import type { Context } from '../context.ts';
import type { HandoverService } from '../handovers/handover.service.ts';
import { handoverRecords } from '../handovers/handover.view.ts';
import type { PresenceService } from '../presence/presence.service.ts';
import { deleteAt } from './deletion.job.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** How long a person can come back. */
const graceDays = 7;

type DeletionRecord = z.input<typeof deletionSchema>;

/** What a person wants to be done. */
type Wish = z.output<typeof deleteAccountSchema>;

const mailKind = { name: 'leaving-mail', schema: z.object({ userId: idSchema }) };

interface Deps
  extends Pick<Context, 'caches' | 'changes' | 'control' | 'directAccess' | 'jobs' | 'mailer' | 'settings'> {
  agents: AgentService;
  credentials: Credentials;
  handovers: HandoverService;
  mails: AccountMails;
  operator: OperatorService;
  presence: PresenceService;
}

/** Deletes accounts: first they are shut, so that their people can come back, and a week later they are gone (contract §3). */
export class AccountDeletion {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Deletes the actor's account in a week, and signs them out everywhere at once.
   * @throws AppError as `HandoverService.offer`, INSUFFICIENT_PAT_SCOPE, FORBIDDEN for bots
   */
  async request(actor: Actor, { messages, servers, agents }: Wish): Promise<DeletionRecord> {
    const session = ownSession(actor);
    return this.deps.changes.run(async (change) => {
      for (const { id, to } of servers)
        await this.deps.handovers.offer(actor, { serverId: id, agentId: undefined, userId: to });
      for (const { id, to } of agents)
        await this.deps.handovers.offer(actor, { agentId: id, serverId: undefined, userId: to });
      await lockUser(change.rows, actor.userId);
      await holdSession(change, session);
      return this.shut(change, actor.userId, messages, graceDays);
    });
  }

  /**
   * The same for the operator. @param name id, e-mail or username. @param days until it is gone for good
   * @throws AppError USER_NOT_FOUND, FORBIDDEN for bots
   */
  async deleteUser(name: string, messages: Wish['messages'], days: number): Promise<DeletionRecord> {
    const userId = await this.deps.operator.find(name);
    return this.deps.changes.run(async (change) => {
      await lockUser(change.rows, userId);
      const record = await this.shut(change, userId, messages, days);
      const target = { kind: 'user', id: userId } as const;
      change.audit(accountDelete, { actor: 'cli', serverId: null, target, after: record });
      return record;
    });
  }

  private async shut(
    change: Change,
    userId: string,
    messages: Wish['messages'],
    days: number,
  ): Promise<DeletionRecord> {
    const user = await change.em.findOne(User, { id: userId, deletedAt: null }, { refresh: true });
    if (!user) throw new AppError('USER_NOT_FOUND');
    const deletesAt = new Date(clock.now() + days * dayMs);
    Object.assign(user, { deletesAt, erasesMessages: messages === 'erase' });
    await change.em.flush();
    await this.deps.agents.stopAll(change, userId);
    await this.deps.credentials.end(change, userId, { tokens: true });
    await deleteAt(change, this.deps.jobs, userId, deletesAt);
    if (user.email != null && days > 0) await this.deps.jobs.add(change, mailKind, { userId });
    change.afterCommit(() => this.deps.directAccess.forgetAllOf(userId));
    change.afterCommit(async () => {
      // First nobody answers for its apps any more, then their sockets are closed.
      await this.deps.caches.forget(userCache, [userId]);
      // Those of sessions were closed; nothing else of this account stays open either.
      await this.deps.control.send({ kind: 'disconnect', userId, event: null });
      await this.deps.presence.goodbye(userId);
    });
    return { ...done, deletesAt: isoTime(deletesAt), messages, ...(await possessions(change, userId)) };
  }

  /** The mail that says until when the person can come back; none if they have. */
  get mailWork(): OutsideWork {
    const { mails, mailer, settings } = this.deps;
    return outsideWork(
      mailKind,
      async ({ em }, { id, data }) => {
        const user = await em.findOne(User, { id: data.userId, deletedAt: null });
        if (user?.email == null || user.deletesAt == null) return null;
        const to = { email: user.email, language: user.language ?? null };
        const mail = mails.accountLeaving(to, user.username, isoTime(user.deletesAt).slice(0, 10));
        return () => mailer.send(mail, id);
      },
      sendingOf(settings),
    );
  }
}

/** What someone owns, and to whom it is offered. */
async function possessions(change: Change, userId: string): Promise<Pick<DeletionRecord, 'servers' | 'agents'>> {
  const open = { fromId: userId, expiresAt: { $gt: dateNow() } };
  const offers = await handoverRecords(change, await change.em.find(Handover, open));
  const takers = new Map(offers.map(({ serverId, agentId, to }) => [serverId ?? agentId, to]));
  const goes = (id: string, name: string) => {
    const to = takers.get(id);
    return { id, name, ...(to ? { goes: 'offered' as const, to } : { goes: 'deleted' as const }) };
  };
  const servers = await change.em.find(Server, { ownerId: userId }, { orderBy: { id: 'asc' } });
  const agents = await selectAgents(change.db).where('a.ownerId', '=', userId).orderBy('a.id').execute();
  return {
    servers: servers.map(({ id, name }) => goes(id, name)),
    agents: agents.map(({ id, displayName }) => goes(id, displayName)),
  };
}
