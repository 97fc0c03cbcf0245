import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import {
  type Category as CategoryRecord,
  type categoryBodySchema,
  type categoryOrderSchema,
  maxCategories,
} from '../../contract/category.ts';
import { channelUpdated } from '../../contract/channel.ts';
import { categoryCreate, categoryDelete, categoryOrder, categoryUpdate } from '../../contract/channel-actions.ts';
import { AppError } from '../../contract/errors.ts';
import { may, requirePermission } from '../../contract/roles.ts';
import { channelRoom } from '../../contract/rooms.ts';
import { Category, Channel } from '../../database/entities/channel.entity.ts';
import { Server } from '../../database/entities/server.entity.ts';
import { forUpdate } from '../../database/queries.ts';
import type { Change } from '../../delivery/changes.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { Context } from '../context.ts';
import type { Audience } from '../members/audience.ts';
import { channelRecords } from '../members/channel.table.ts';
import { channelChange } from '../members/channel.view.ts';
import { readCategories } from './category.table.ts';
import { categoryRecord } from './category.view.ts';
import { inOrder } from './channel.order.ts';
import { publishToOutsiders } from './channel.outsiders.ts';

interface Deps extends Pick<Context, 'database' | 'changes' | 'serverAccess'> {
  audience: Audience;
}

/** Headings over the channels of a server (contract §5). */
export class CategoryService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** Those with a channel that the actor may know of, and all for who orders them. @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER */
  async list(actor: Actor, server: string): Promise<CategoryRecord[]> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, server);
    const sees = may(membership.rights, 'channel:order');
    return this.deps.database.readCurrent(async ({ rows }) => {
      return (await readCategories(rows, id, actor.userId, sees)).map(categoryRecord);
    });
  }

  /** @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED, CATEGORY_LIMIT */
  async create(actor: Actor, server: string, { name }: z.output<typeof categoryBodySchema>): Promise<CategoryRecord> {
    const serverId = await this.managed(actor, server);
    return this.change(serverId, async (change) => {
      const others = await all(change, serverId);
      if (others.length >= maxCategories) throw new AppError('CATEGORY_LIMIT');
      const position = (others.at(-1)?.position ?? -1) + 1;
      const made = change.em.create(Category, { id: newId(), serverId, name, position });
      await change.em.flush();
      change.audit(categoryCreate, { actor, serverId, target: targetOf(made), after: { name } });
      return { result: categoryRecord(made), isOther: true };
    });
  }

  /** @throws AppError like `create`, CATEGORY_NOT_FOUND */
  async update(
    actor: Actor,
    server: string,
    id: string,
    { name }: z.output<typeof categoryBodySchema>,
  ): Promise<CategoryRecord> {
    const serverId = await this.managed(actor, server);
    return this.change(serverId, async (change) => {
      const category = await find(change, serverId, id);
      const before = { name: category.name };
      const isOther = before.name !== name;
      if (isOther) {
        category.name = name;
        await change.em.flush();
        change.audit(categoryUpdate, { actor, serverId, target: targetOf(category), before, after: { name } });
      }
      return { result: categoryRecord(category), isOther };
    });
  }

  /** Its channels stay, in no category. @throws AppError like `update` */
  async delete(actor: Actor, server: string, id: string): Promise<void> {
    const serverId = await this.managed(actor, server);
    await this.change(serverId, async (change) => {
      const category = await find(change, serverId, id);
      const left = await change.em.find(Channel, { categoryId: id }, { orderBy: { id: 'asc' }, refresh: true });
      for (const channel of left) channel.categoryId = null;
      await change.em.flush();
      await change.em.nativeDelete(Category, { id });
      await publishPlaced(
        change,
        left.map((channel) => channel.id),
      );
      const before = { name: category.name };
      change.audit(categoryDelete, { actor, serverId, target: targetOf(category), before });
      return { result: undefined, isOther: true };
    });
  }

  /**
   * Those named come first, in their order.
   * @returns all of them, in their new order. @throws AppError like `update`
   */
  async order(
    actor: Actor,
    server: string,
    { categoryIds }: z.output<typeof categoryOrderSchema>,
  ): Promise<CategoryRecord[]> {
    const serverId = await this.managed(actor, server);
    return this.change(serverId, async (change) => {
      const current = await all(change, serverId);
      const known = new Set(current.map(({ id }) => id));
      if (categoryIds.some((id) => !known.has(id))) throw new AppError('CATEGORY_NOT_FOUND');
      const ordered = inOrder(current, { channelIds: categoryIds, positions: undefined });
      const moved = ordered.filter(({ position }, at) => position !== at);
      for (const [at, category] of ordered.entries()) category.position = at;
      await change.em.flush();
      const target = { kind: 'server', id: serverId } as const;
      const [before, after] = [namesOf(current), namesOf(ordered)];
      change.audit(categoryOrder, { actor, serverId, target, before, after });
      return { result: ordered.map(categoryRecord), isOther: moved.length > 0 };
    });
  }

  private async managed(actor: Actor, server: string): Promise<string> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, server);
    requirePermission(membership.rights, 'channel:order');
    return id;
  }

  /** Categories of one server are changed one after the other, and everyone in it is told that they are other ones. */
  private async change<T>(
    serverId: string,
    work: (change: Change) => Promise<{ result: T; isOther: boolean }>,
  ): Promise<T> {
    return this.deps.changes.run(async (change) => {
      const server = await change.em.findOne(Server, serverId, forUpdate);
      if (!server) throw new AppError('SERVER_NOT_FOUND');
      const { result, isOther } = await work(change);
      if (isOther) {
        server.categoriesVersion++;
        await change.em.flush();
        await this.deps.audience.publish(change, { serverId, channelId: null });
      }
      return result;
    });
  }
}

/** Publishes where channels of a server are listed now, to all who see them. */
export async function publishPlaced(change: Change, channelIds: string[]): Promise<void> {
  const records = await channelRecords(change.rows, channelIds);
  for (const channel of records) change.publish(channelUpdated.in(channelRoom(channel.id), channelChange(channel)));
  await publishToOutsiders(change, records);
}

/** The categories of a server, in their order. The server is locked. */
function all(change: Change, serverId: string): Promise<Category[]> {
  const orderBy = { position: 'asc', createdAt: 'asc', id: 'asc' } as const;
  return change.em.find(Category, { serverId }, { orderBy, refresh: true });
}

/** @throws AppError CATEGORY_NOT_FOUND */
async function find(change: Change, serverId: string, id: string): Promise<Category> {
  const category = await change.em.findOne(Category, { id, serverId });
  if (!category) throw new AppError('CATEGORY_NOT_FOUND');
  return category;
}

/** @throws AppError CATEGORY_NOT_FOUND unless all of these are categories of the server, which is locked */
export async function requireCategories(
  change: Change,
  serverId: string,
  ids: readonly (string | null | undefined)[],
): Promise<void> {
  const asked = [...new Set(ids)].filter((id) => typeof id === 'string');
  if (asked.length === 0) return;
  const found = await change.em.count(Category, { serverId, id: { $in: asked } });
  if (found < asked.length) throw new AppError('CATEGORY_NOT_FOUND');
}

const namesOf = (list: Category[]) => ({ order: list.map(({ name }) => name) });

const targetOf = ({ id, name }: Category) => ({ kind: 'category', id, label: name }) as const;
