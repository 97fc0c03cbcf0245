import { MAX } from 'uuid';
import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { saidIn } from '../../contract/quote.ts';
import {
  type listReportsSchema,
  type reportCalls,
  reportCreated,
  type reportDetailSchema,
  type reportSchema,
  reportUpdated,
} from '../../contract/report.ts';
import { requirePermission } from '../../contract/roles.ts';
import type { ListPage } from '../../contract/schema/list-page.ts';
import { idCursor } from '../../contract/schema/validation.ts';
import { isoTime } from '../../contract/schema.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { Operators } from '../accounts/operators.ts';
import type { Context } from '../context.ts';
import { findMessages } from '../messages/message.table.ts';
import { tellDeciders } from './audience.ts';
import {
  addReport,
  type CaseRow,
  earlierCases,
  findCase,
  findReport,
  listCases,
  readCase,
  readName,
  readReports,
} from './report.table.ts';
import { type CaseRecord, caseRecords, categoryOf, detailRecord } from './report.view.ts';
import type { ReportedObjects } from './reported.ts';

type Query = z.output<typeof listReportsSchema>;
type OwnReport = z.output<typeof reportCalls.report.answer>;

interface Deps extends Pick<Context, 'database' | 'changes' | 'serverAccess' | 'channelAccess'> {
  operators: Operators;
  reported: ReportedObjects;
}

/** Reports, and the queues of those who decide about them (contract §5). */
export class ReportService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Reports what the actor can see. While it is undecided, the reports of all are one case, and everyone has one report in it.
   * @returns whether it is new. @throws AppError like `ReportedObjects.find`
   */
  async report(actor: Actor, input: z.output<typeof reportSchema>): Promise<{ report: OwnReport; isNew: boolean }> {
    const made = await this.deps.reported.find(actor, input);
    return this.deps.changes.run(async (change) => {
      const { rows } = change;
      const given = { id: newId(), reporterId: actor.userId, category: input.category, text: input.text || null };
      const { caseId, isNewCase, isNew } = await addReport(rows, made, given);
      const row = await readCase(rows, caseId);
      const mine = await findReport(rows, caseId, actor.userId);
      if (!row || !mine) throw new Error('A report is gone in its own change.');
      if (isNew) await tellDeciders(change, row, isNewCase ? reportCreated : reportUpdated);
      const { id, category, text, createdAt } = mine;
      const what = { kind: row.kind, objectId: row.objectId, serverId: row.serverId };
      return { report: { id, ...what, category: categoryOf(category), text, createdAt: isoTime(createdAt) }, isNew };
    });
  }

  /** The cases of a server, newest first. @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED, INVALID_CURSOR */
  async ofServer(actor: Actor, idOrSlug: string, query: Query): Promise<ListPage<CaseRecord>> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    requirePermission(membership.rights, 'report:decide');
    return this.list(actor, id, query);
  }

  /** Those of the operators. @throws AppError FORBIDDEN, INSUFFICIENT_PAT_SCOPE, INVALID_CURSOR */
  async ofOperators(actor: Actor, query: Query): Promise<ListPage<CaseRecord>> {
    await this.deps.operators.require(actor);
    return this.list(actor, null, query);
  }

  /** A case for a moderator. @throws AppError REPORT_NOT_FOUND, ROLE_REQUIRED */
  async get(actor: Actor, id: string): Promise<z.output<typeof reportDetailSchema>> {
    const row = await this.forModerator(actor, id);
    const { channelId } = row;
    // What was beside it is for those who may read there; who reported it has shown it alone to the others.
    const withContext = channelId === null || (await this.readsIn(actor, channelId));
    return this.detail(actor, row, { withContext, all: false });
  }

  /** A case for an operator. @throws AppError REPORT_NOT_FOUND, FORBIDDEN, INSUFFICIENT_PAT_SCOPE */
  async getForOperator(actor: Actor, id: string): Promise<z.output<typeof reportDetailSchema>> {
    return this.detail(actor, await this.forOperator(actor, id), { withContext: true, all: true });
  }

  /** A case that a moderator may see. @throws AppError REPORT_NOT_FOUND, ROLE_REQUIRED */
  async forModerator(actor: Actor, id: string): Promise<CaseRow & { serverId: string }> {
    const row = await findCase(this.deps.database.rows, id, actor.userId);
    const { serverId = null } = row ?? {};
    const membership = serverId === null ? undefined : await this.deps.serverAccess.membership(serverId, actor.userId);
    if (!row || serverId === null || !membership) throw new AppError('REPORT_NOT_FOUND');
    requirePermission(membership.rights, 'report:decide');
    return { ...row, serverId };
  }

  /** A case that an operator may see. @throws AppError REPORT_NOT_FOUND, FORBIDDEN, INSUFFICIENT_PAT_SCOPE */
  async forOperator(actor: Actor, id: string): Promise<CaseRow> {
    await this.deps.operators.require(actor);
    const row = await findCase(this.deps.database.rows, id, actor.userId);
    if (!row || (row.serverId !== null && !row.toOperators)) throw new AppError('REPORT_NOT_FOUND');
    return row;
  }

  private async list(actor: Actor, serverId: string | null, query: Query): Promise<ListPage<CaseRecord>> {
    const { rows } = this.deps.database;
    const { status, kind = null, limit } = query;
    const page = { before: idCursor(query.cursor) ?? MAX, limit: limit + 1 };
    const isOpen = status && status === 'open';
    const found = await listCases(rows, { serverId, viewer: actor.userId, kind, isOpen, ...page });
    return { records: await caseRecords(rows, found.slice(0, limit)), hasMore: found.length > limit };
  }

  private async detail(actor: Actor, row: CaseRow, { withContext, all }: { withContext: boolean; all: boolean }) {
    const { rows } = this.deps.database;
    const [reports, earlier, current] = await Promise.all([
      readReports(rows, row.id),
      row.aboutId === null ? [] : earlierCases(rows, row, actor.userId, all),
      this.current(row),
    ]);
    return detailRecord(rows, { row, reports, earlier, current, withContext });
  }

  /** Whether the actor may read a channel, and as a bot all of it. */
  private async readsIn(actor: Actor, channelId: string): Promise<boolean> {
    const { channelAccess } = this.deps;
    if (!(await channelAccess.visible(actor, channelId).then(() => true, isHidden))) return false;
    return (await channelAccess.mayListen(actor, channelId)) && !(await channelAccess.onlyFor(actor, channelId));
  }

  /** What a message says now, or the name of something else. */
  private async current({ kind, objectId }: CaseRow): Promise<string | null> {
    const { rows } = this.deps.database;
    if (kind !== 'message') return (await readName(rows, kind, objectId)) ?? null;
    const [message] = await findMessages(rows, [objectId]);
    return message && !message.is_deleted ? saidIn(message) : null;
  }
}

function isHidden(error: unknown): false {
  if (error instanceof AppError) return false;
  throw error;
}
