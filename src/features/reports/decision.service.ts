import type { z } from 'zod';
import { lockUser } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError, ifMissing } from '../../contract/errors.ts';
import { messageDelete } from '../../contract/message-calls.ts';
import { reportDecide, reportEscalate } from '../../contract/moderation-actions.ts';
import {
  type decideReportSchema,
  type operatorDecisionSchema,
  reportCreated,
  reportUpdated,
} from '../../contract/report.ts';
import { decisions, type ReportAction } from '../../contract/report-decisions.ts';
import { type Rights, requirePermission, requireToOutrank } from '../../contract/roles.ts';
import { invalid } from '../../contract/schema/validation.ts';
import { Server } from '../../database/entities/server.entity.ts';
import { forUpdate } from '../../database/queries.ts';
import type { Auditor } from '../../delivery/audit.ts';
import type { Change } from '../../delivery/changes.ts';
import { type InstanceBans, requireFuture } from '../accounts/instance-bans.ts';
import type { Suspensions } from '../accounts/suspensions.ts';
import { deleteApp } from '../apps/app.changes.ts';
import type { Context } from '../context.ts';
import { lockMembers } from '../members/roster.ts';
import { eraseWritten } from '../messages/message.erasure.ts';
import type { BanService } from '../servers/ban.service.ts';
import type { MemberService } from '../servers/member.service.ts';
import type { ServerService } from '../servers/server.service.ts';
import type { TimeoutService } from '../servers/timeout.service.ts';
import { tellDeciders } from './audience.ts';
import type { ReportService } from './report.service.ts';
import {
  type CaseRow,
  closeCase,
  escalateCase,
  lockCase,
  readCase,
  reportersOf,
  responsibleFor,
} from './report.table.ts';
import type { CaseRecord } from './report.view.ts';

type Decision = z.output<typeof decideReportSchema>;
type OperatorDecision = z.output<typeof operatorDecisionSchema>;

/** Of a timeout without an end. */
const timeoutSeconds = 24 * 60 * 60;
/** How many people one job notifies. */
const notifiedAtOnce = 200;

interface Deps extends Pick<Context, 'changes' | 'notifications' | 'channelAccess'> {
  reports: ReportService;
  bans: BanService;
  servers: Pick<ServerService, 'remove'>;
  members: MemberService;
  timeouts: TimeoutService;
  suspensions: Suspensions;
  instanceBans: InstanceBans;
}

/** Decides cases, in one change with what is decided: nothing is done for a case that someone else has decided (contract §5). */
export class DecisionService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * By a moderator who outranks whom it is about.
   * @throws AppError REPORT_NOT_FOUND, REPORT_DECIDED, ROLE_REQUIRED, NOT_A_MEMBER, FORBIDDEN for what the operators decide,
   * VALIDATION_FAILED where the action does not fit, and as the action does
   */
  async decide(actor: Actor, id: string, input: Decision): Promise<CaseRecord> {
    const found = await this.deps.reports.forModerator(actor, id);
    const { serverId, aboutId } = found;
    const inChannel = input.action === 'delete' ? await this.rightsInChannel(actor, found) : null;
    return this.deps.changes.run(async (change) => {
      const row = await hold(change, actor, id, aboutId);
      if (row.toOperators)
        throw new AppError('FORBIDDEN', { message: 'The operators of this installation decide this.' });
      const rights = await lockRights(change, serverId, actor, row);
      await this.act(change, actor, { ...row, serverId }, inChannel ?? rights, input);
      change.audit(reportDecide, { actor, ...placeOf(row), ...decided(row, input) });
      return this.close(change, actor, row, input);
    });
  }

  /** Hands a case to the operators. @throws AppError REPORT_NOT_FOUND, REPORT_DECIDED, ROLE_REQUIRED */
  async escalate(actor: Actor, id: string): Promise<CaseRecord> {
    await this.deps.reports.forModerator(actor, id);
    return this.deps.changes.run(async (change) => {
      const row = await hold(change, actor, id, null);
      if (!row.toOperators) await escalateCase(change.rows, id);
      if (!row.toOperators) change.audit(reportEscalate, { actor, ...placeOf(row), after: { kind: row.kind } });
      return tellDeciders(change, { ...row, toOperators: true }, row.toOperators ? reportUpdated : reportCreated);
    });
  }

  /**
   * By an operator.
   * @throws AppError REPORT_NOT_FOUND, REPORT_DECIDED, FORBIDDEN also about operators, VALIDATION_FAILED, INSUFFICIENT_PAT_SCOPE
   */
  async decideAsOperator(actor: Actor, id: string, input: OperatorDecision): Promise<CaseRecord> {
    const found = await this.deps.reports.forOperator(actor, id);
    return this.deps.changes.run(async (change) => {
      const person = await responsibleFor(change.rows, found);
      const row = await hold(change, actor, id, person);
      const { action, reason = null } = input;
      requireFitting(decisions[row.kind].operators, action);
      const until = input.until ? new Date(input.until) : null;
      // Who operates the installation is nothing that the log of a server tells.
      if (action === 'delete') await this.erase(change, 'system', row);
      if (action === 'suspend' || action === 'ban') {
        if (person === null) throw unfit('nobody is known to be responsible');
        requireFuture(until);
        if (action === 'suspend') await this.deps.suspensions.suspend(change, actor, person, { reason, until });
        else await this.deps.instanceBans.ban(change, { userId: person, reason, until, by: actor });
      }
      change.audit(reportDecide, { actor, ...placeOf({ ...row, serverId: null }), ...decided(row, input) });
      return this.close(change, actor, row, input);
    });
  }

  private async act(
    change: Change,
    actor: Actor,
    row: CaseRow & { serverId: string },
    rights: Rights,
    { action, reason, until, deleteMessageHours }: Decision,
  ): Promise<void> {
    const { aboutId: userId, serverId, kind } = row;
    requireFitting(decisions[kind].moderators, action);
    if (action === 'dismiss') return;
    if (action === 'delete') {
      requirePermission(rights, kind === 'app' ? 'app:manage' : 'message:delete-others');
      return this.erase(change, actor, row);
    }
    if (userId === null) throw unfit('nobody is known to be responsible');
    if (action === 'kick') return this.deps.members.kickIn(change, actor, serverId, userId);
    if (action === 'timeout') {
      const end = until === undefined ? { until, seconds: timeoutSeconds } : { until, seconds: undefined };
      await this.deps.timeouts.timeOutIn(change, actor, serverId, userId, { ...end, reason });
      return;
    }
    await this.deps.bans.banIn(change, actor, serverId, { userId, reason, until, deleteMessageHours });
  }

  /**
   * What the actor may do where a message was said; null: its channel is gone, or it is no message.
   * @throws AppError ROLE_REQUIRED where they may not view it
   */
  private async rightsInChannel(actor: Actor, { kind, channelId }: CaseRow): Promise<Rights | null> {
    if (kind !== 'message' || channelId === null) return null;
    const { channelAccess } = this.deps;
    if (!(await channelAccess.find(channelId).catch(ifMissing))) return null;
    const seen = await channelAccess.visible(actor, channelId).catch(ifMissing);
    if (!seen?.rights)
      throw new AppError('ROLE_REQUIRED', { message: 'You may not view the channel of this message.' });
    return seen.rights;
  }

  /** Deletes what a case is about, as its author or owner would. It may be gone by now. */
  private async erase(change: Change, by: Auditor, { kind, objectId, ...row }: CaseRow): Promise<void> {
    if (kind === 'app') return deleteApp(change, by, objectId).catch(ifMissing);
    if (kind === 'message') {
      await eraseWritten(change, this.deps.notifications, [objectId]);
      const { serverId, channelId, aboutId: authorId } = row;
      const target = { kind: 'message', id: objectId } as const;
      if (serverId) change.audit(messageDelete, { actor: by, serverId, channelId, target, before: { authorId } });
      return;
    }
    const server = await change.em.findOne(Server, objectId, forUpdate);
    if (server) await this.deps.servers.remove(change, by, server.id, server.ownerId);
  }

  private async close(
    change: Change,
    actor: Actor,
    row: CaseRow,
    { action, reason }: Decision | OperatorDecision,
  ): Promise<CaseRecord> {
    await closeCase(change.rows, row.id, { by: actor.userId, action, reason: reason || null });
    const told = (await reportersOf(change.rows, row.id)).filter((id) => id !== actor.userId);
    for (let i = 0; i < told.length; i += notifiedAtOnce) {
      const to = told.slice(i, i + notifiedAtOnce);
      const reference = { type: 'report', id: row.id };
      await this.deps.notifications.add(change, { kind: 'report.decided', to, senderId: null, reference });
    }
    const closed = await readCase(change.rows, row.id);
    return tellDeciders(change, closed ?? row, reportUpdated);
  }
}

const placeOf = ({ id, serverId, channelId }: Pick<CaseRow, 'id' | 'serverId' | 'channelId'>) =>
  ({ serverId, channelId, target: { kind: 'report', id } }) as const;

const decided = ({ kind }: CaseRow, { action, reason }: Decision | OperatorDecision) => ({
  after: { action, kind },
  reason: reason ?? null,
});

/** @throws AppError VALIDATION_FAILED for what cannot be decided about this kind of thing (contract §5) */
function requireFitting(fitting: readonly ReportAction[], action: ReportAction): void {
  if (!fitting.includes(action)) throw unfit(`this can be decided: ${fitting.join(', ')}`);
}

const unfit = (why: string) => invalid([{ path: 'action', message: `does not fit: ${why}`, code: 'custom' }]);

/**
 * Locks a case that is open, after whom it is about: services lock users first.
 * @throws AppError REPORT_NOT_FOUND, REPORT_DECIDED
 */
async function hold(change: Change, actor: Actor, id: string, userId: string | null): Promise<CaseRow> {
  if (userId !== null) await lockUser(change.rows, userId);
  const row = await lockCase(change.rows, id, actor.userId);
  if (!row) throw new AppError('REPORT_NOT_FOUND');
  if (row.decidedAt !== null) throw new AppError('REPORT_DECIDED');
  return row;
}

/** What the actor may do in the server, as of now. @throws AppError NOT_A_MEMBER, ROLE_REQUIRED */
async function lockRights(change: Change, serverId: string, actor: Actor, { aboutId }: CaseRow): Promise<Rights> {
  const people = aboutId === null ? [actor.userId] : [actor.userId, aboutId];
  const locked = await lockMembers(change, serverId, people);
  const mine = locked.get(actor.userId)?.rights;
  const theirs = aboutId === null ? undefined : locked.get(aboutId)?.rights;
  if (!mine) throw new AppError('NOT_A_MEMBER');
  requirePermission(mine, 'report:decide');
  if (theirs) requireToOutrank(mine, theirs);
  return mine;
}
