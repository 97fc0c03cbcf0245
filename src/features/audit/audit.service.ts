import { Readable } from 'node:stream';
import type { z } from 'zod';
import { isAbove } from '../../access/rights.ts';
import type { Actor } from '../../contract/actor.ts';
import type { exportAuditSchema, listAuditSchema } from '../../contract/audit.ts';
import { requirePermission } from '../../contract/roles.ts';
import { type ListPage, listPage } from '../../contract/schema/list-page.ts';
import { idCursor } from '../../contract/schema/validation.ts';
import type { Context } from '../context.ts';
import { exportForms } from './audit.export.ts';
import { type AuditFilter, auditPage } from './audit.table.ts';
import { type AuditRecord, auditRecord, limitedRecord } from './audit.view.ts';

type Deps = Pick<Context, 'database' | 'serverAccess'>;
type Query = z.output<typeof listAuditSchema>;

/** How many entries an export reads at once. */
const portion = 200;

/** Reads the audit log (contract §5, Audit log); `change.audit` writes it. */
export class AuditService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** The entries of a server, newest first. @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED, INVALID_CURSOR */
  async list(actor: Actor, server: string, query: Query): Promise<ListPage<AuditRecord>> {
    const { serverId, reader } = await this.readable(actor, server);
    return this.page(serverId, query, { ...query, reader });
  }

  /** The same for the operator, who checks no permissions; of the installation without a server. @throws AppError INVALID_CURSOR */
  async page(
    serverId: string | null,
    filter: AuditFilter,
    { cursor, limit, reader = null }: Pick<Query, 'cursor' | 'limit'> & { reader?: string | null },
  ): Promise<ListPage<AuditRecord>> {
    const page = { cursor: idCursor(cursor), limit: limit + 1, reader };
    const found = await auditPage(this.deps.database.db, serverId, filter, page);
    return listPage(found, limit, reader === null ? auditRecord : limitedRecord);
  }

  /**
   * The entries of a server as a file, read in portions while it is sent; it ends with an error for those who may no longer
   * read it. @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED
   */
  async export(actor: Actor, server: string, { format, ...filter }: z.output<typeof exportAuditSchema>) {
    const { serverId } = await this.readable(actor, server);
    const { type, head, line } = exportForms[format];
    const name = `audit-${serverId}.${format}`;
    const headers = { 'Content-Type': type, 'Content-Disposition': `attachment; filename="${name}"` };
    const portions = this.portions(actor, serverId, filter);
    const lines = async function* () {
      yield head;
      for await (const records of portions) yield records.map(line).join('');
    };
    return { headers, stream: Readable.from(lines(), { objectMode: false }) };
  }

  private async *portions(actor: Actor, serverId: string, filter: AuditFilter): AsyncGenerator<AuditRecord[]> {
    for (let cursor: string | undefined; ; ) {
      const { reader } = await this.readable(actor, serverId);
      const { records, hasMore } = await this.page(serverId, filter, { cursor, limit: portion, reader });
      yield records;
      cursor = records.at(-1)?.id;
      if (!hasMore) return;
    }
  }

  /** @returns as whom the actor reads; null: the owner and admins know of all channels, but for bots */
  private async readable(actor: Actor, server: string): Promise<{ serverId: string; reader: string | null }> {
    const { id: serverId, membership } = await this.deps.serverAccess.joined(actor, server);
    requirePermission(membership.rights, 'audit:read');
    return { serverId, reader: isAbove(membership.rights) && !actor.user.isBot ? null : actor.userId };
  }
}
