import type { z } from 'zod';
import { rightsNow } from '../../access/server.access.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import {
  type addFiltersSchema,
  type FilterKind,
  type FilterRecord,
  type filterCalls,
  maxFilters,
} from '../../contract/filter.ts';
import { filterAdd, filterRemove } from '../../contract/moderation-actions.ts';
import { requirePermission } from '../../contract/roles.ts';
import { invalid } from '../../contract/schema/validation.ts';
import { isoTime } from '../../contract/schema.ts';
import type { Change } from '../../delivery/changes.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { Context } from '../context.ts';
import {
  countFilters,
  deleteFilter,
  type FilterRow,
  filtersOf,
  findFilter,
  lockFilters,
  upsertFilters,
} from './filter.table.ts';
import type { Filters } from './filters.ts';
import { formsOf } from './forms.ts';

interface Deps extends Pick<Context, 'database' | 'changes' | 'serverAccess'> {
  filters: Filters;
}

/** The filters of servers as those who manage them see and change them (contract §6, Filters). */
export class FilterService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED */
  async list(actor: Actor, idOrSlug: string): Promise<FilterRecord[]> {
    const serverId = await this.managed(actor, idOrSlug);
    return (await filtersOf(this.deps.database.rows, serverId)).map(filterRecord);
  }

  /**
   * Adds entries; those that are there already get the action. They apply on all nodes before the response.
   * @throws AppError as `list`, VALIDATION_FAILED for what cannot be looked for, FILTER_LIMIT
   */
  async add(actor: Actor, idOrSlug: string, input: z.output<typeof addFiltersSchema>): Promise<FilterRecord[]> {
    const serverId = await this.managed(actor, idOrSlug);
    const { kind, action } = input;
    const entries = await entriesOf(kind, input.patterns);
    return this.deps.changes.run(async (change) => {
      await this.lock(change, actor, serverId);
      const added = { serverId, kind, action, createdBy: actor.userId, createdAt: dateNow(), entries };
      const rows = await upsertFilters(change.rows, added);
      if ((await countFilters(change.rows, serverId)) > maxFilters) throw new AppError('FILTER_LIMIT');
      const after = { kind, action, patterns: entries.map(({ pattern }) => pattern) };
      change.audit(filterAdd, { actor, serverId, target: { kind: 'server', id: serverId }, after });
      change.afterCommit(() => this.deps.filters.forget(serverId));
      return rows.sort((a, b) => (a.id < b.id ? -1 : 1)).map(filterRecord);
    });
  }

  /** @throws AppError as `list`, FILTER_NOT_FOUND */
  async remove(actor: Actor, idOrSlug: string, filterId: string): Promise<void> {
    const serverId = await this.managed(actor, idOrSlug);
    await this.deps.changes.run(async (change) => {
      await this.lock(change, actor, serverId);
      const filter = await findFilter(change.rows, serverId, filterId);
      if (!filter) throw new AppError('FILTER_NOT_FOUND');
      await deleteFilter(change.rows, serverId, filterId);
      const target = { kind: 'filter', id: filterId, label: filter.pattern } as const;
      change.audit(filterRemove, { actor, serverId, target, before: filter });
      change.afterCommit(() => this.deps.filters.forget(serverId));
    });
  }

  /** What would happen to a text, and why. @throws AppError as `list` */
  async test(
    actor: Actor,
    idOrSlug: string,
    content: string,
  ): Promise<z.output<typeof filterCalls.testFilters.answer>> {
    const serverId = await this.managed(actor, idOrSlug);
    const { entry = null, hasLink = false } = (await this.deps.filters.of(serverId))?.find([content]) ?? {};
    const row = entry ? await findFilter(this.deps.database.rows, serverId, entry.id) : undefined;
    const action = entry && entry.action !== 'allow' ? entry.action : null;
    return { action, entry: row ? filterRecord(row) : null, hasLink };
  }

  private async managed(actor: Actor, idOrSlug: string): Promise<string> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    requirePermission(membership.rights, 'filter:manage');
    return id;
  }

  private async lock(change: Change, actor: Actor, serverId: string): Promise<void> {
    await lockFilters(change.rows, serverId);
    const rights = await rightsNow(change.rows, serverId, [actor.userId]);
    requirePermission(rights.get(actor.userId), 'filter:manage');
  }
}

/** The entries of patterns, those that mean the same once. @throws AppError VALIDATION_FAILED */
async function entriesOf(kind: FilterKind, typed: string[]): Promise<{ id: string; pattern: string; form: string }[]> {
  const patterns = typed.map((pattern) => pattern.trim());
  const forms = await formsOf(kind, patterns);
  const entries = new Map<string, { id: string; pattern: string; form: string }>();
  for (const [index, pattern] of patterns.entries()) {
    const form = forms[index] ?? '';
    const message = kind === 'word' ? 'must have something to look for' : 'must be a host, or "*" for all links';
    if (form === '') {
      throw invalid([{ path: `patterns.${index}`, message, code: 'custom' }]);
    }
    if (!entries.has(form)) entries.set(form, { id: newId(), pattern, form });
  }
  return [...entries.values()];
}

function filterRecord(row: FilterRow): FilterRecord {
  const { id, kind, pattern, action } = row;
  return {
    id,
    serverId: row.server_id,
    kind,
    pattern,
    action,
    createdBy: row.created_by,
    createdAt: isoTime(row.created_at),
  };
}
