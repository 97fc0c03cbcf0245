import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import type { AuditAction } from '../../contract/audit-action.ts';
import {
  channelDeleted,
  channelMemberAdded,
  channelUpdated,
  type createChannelSchema,
  type positionsSchema,
  type updateChannelSchema,
} from '../../contract/channel.ts';
import {
  channelArchive,
  channelCreate,
  channelDelete,
  channelOrder,
  channelUnarchive,
  channelUpdate,
} from '../../contract/channel-actions.ts';
import { AppError } from '../../contract/errors.ts';
import { requirePermission } from '../../contract/roles.ts';
import { channelRoom, type Room, userRoom } from '../../contract/rooms.ts';
import { Channel } from '../../database/entities/channel.entity.ts';
import { Server } from '../../database/entities/server.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import { closeStreams, createStream } from '../../delivery/log.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import { closePlace } from '../../jobs/closed-places.ts';
import { expireIn } from '../../jobs/retention.jobs.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Context } from '../context.ts';
import { lockMembership } from '../members/audience.table.ts';
import type { Audience } from '../members/audience.ts';
import { channelItemOf, channelItems, channelRecordOf } from '../members/channel.table.ts';
import { type ChannelItem, type ChannelRecord, channelChange, type OneChannel } from '../members/channel.view.ts';
import { forgetRequests } from '../members/join-requests.ts';
import { lockServer } from '../members/roster.ts';
import { publishPlaced, requireCategories } from './category.service.ts';
import { auditChannel } from './channel.audit.ts';
import { botsIn, enterOwn } from './channel.bots.ts';
import { categoryNames, inOrder, placeOf } from './channel.order.ts';
import { outsiders, publishGone, publishToOutsiders } from './channel.outsiders.ts';
import { purgeAfter } from './channel.purge.ts';

interface Deps
  extends Pick<Context, 'database' | 'changes' | 'control' | 'jobs' | 'channelAccess' | 'serverAccess' | 'settings'> {
  audience: Audience;
}

/** Channels of servers (contract §5). */
export class ChannelService {
  private readonly deps: Deps;
  private readonly settings: Settings['servers'];

  constructor(deps: Deps) {
    this.deps = deps;
    this.settings = deps.settings.servers;
  }

  /** @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED, CHANNEL_LIMIT, CATEGORY_NOT_FOUND */
  async create(actor: Actor, server: string, input: z.output<typeof createChannelSchema>): Promise<ChannelItem> {
    const { id: serverId, membership } = await this.deps.serverAccess.joined(actor, server);
    requirePermission(membership.rights, 'channel:create');
    return this.deps.changes.run(async (change) => {
      const channel = await this.insert(change, actor, serverId, input);
      const { id } = channel;
      await this.expireFrom(change, serverId, id);
      auditChannel(change, channelCreate, actor, channel, { after: channel });
      return channelItemOf(change.rows, actor, id, membership.rights);
    });
  }

  /** A new channel keeps messages for as long as its server does. */
  private async expireFrom(change: Change, serverId: string, channelId: string): Promise<void> {
    const server = await change.em.findOneOrFail(Server, serverId);
    if (server.keepMessagesDays !== null) await expireIn(change, this.deps.jobs, [channelId]);
  }

  /** The channel that every new server has. */
  createGeneral(change: Change, actor: Actor, serverId: string): Promise<ChannelRecord> {
    return this.insert(change, actor, serverId, { name: 'general', type: 'text', isPrivate: false });
  }

  /** The channels of a server that the actor may know of, in their order. @throws AppError SERVER_NOT_FOUND */
  async list(actor: Actor, server: string): Promise<ChannelItem[]> {
    const { id, membership } = await this.deps.serverAccess.visible(actor, server);
    const rights = membership?.rights ?? null;
    return this.deps.database.readCurrent(({ rows }) => channelItems(rows, actor, id, rights, false));
  }

  /** @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER */
  async listArchived(actor: Actor, server: string): Promise<ChannelItem[]> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, server);
    return this.deps.database.readCurrent(({ rows }) => channelItems(rows, actor, id, membership.rights, true));
  }

  /** @throws AppError CHANNEL_NOT_FOUND */
  async get(actor: Actor, channelId: string): Promise<OneChannel> {
    const { rights } = await this.deps.channelAccess.visible(actor, channelId);
    return channelItemOf(this.deps.database.rows, actor, channelId, rights);
  }

  /** @throws AppError CHANNEL_NOT_FOUND, ROLE_REQUIRED */
  async update(actor: Actor, channelId: string, input: z.output<typeof updateChannelSchema>): Promise<ChannelItem> {
    const { keepMessagesDays, ...texts } = input;
    const { channelAccess, changes, jobs } = this.deps;
    const isKeeping = keepMessagesDays !== undefined;
    if (isKeeping) await channelAccess.managed(actor, channelId, 'retention:set');
    const isOther = !isKeeping || Object.values(texts).some((value) => value !== undefined);
    if (isOther) await channelAccess.managed(actor, channelId, 'channel:update');
    const description = input.description !== undefined ? input.description : input.topic;
    return changes.run(async (change) => {
      if (isKeeping) await expireIn(change, jobs, [channelId]);
      const { name, slowModeSeconds } = input;
      const fields = { name, description, slowModeSeconds, keepMessagesDays };
      const channel = await this.write(change, channelUpdate, actor, channelId, fields);
      if (channel) await publishToOutsiders(change, [channel]);
      const { rights } = await this.deps.channelAccess.visible(actor, channelId);
      return channelItemOf(change.rows, actor, channelId, rights);
    });
  }

  /** Nothing can be sent to an archived channel; it stays readable. @throws AppError CHANNEL_NOT_FOUND, ROLE_REQUIRED */
  async archive(actor: Actor, channelId: string, isArchived: boolean): Promise<ChannelItem> {
    const { serverId } = await this.deps.channelAccess.managed(actor, channelId, 'channel:archive');
    const room = channelRoom(channelId);
    return this.deps.changes.run(async (change) => {
      await lockMembership(change.rows, serverId);
      const channel = await this.write(change, isArchived ? channelArchive : channelUnarchive, actor, channelId, {
        isArchived,
      });
      if (channel) {
        const told = isArchived
          ? await publishToOutsiders(change, [channel])
          : await this.publishBack(change, channel, serverId);
        // Sends that passed the access check earlier fail too: the log's head stays locked until it is closed.
        await change.lock(room, ...told);
        await closeStreams(change.rows, [room], isArchived);
      }
      const { rights } = await this.deps.channelAccess.visible(actor, channelId);
      return channelItemOf(change.rows, actor, channelId, rights);
    });
  }

  /** Archived channels are in no list, and connecting bots do not get them. @returns the rooms that get one again */
  private async publishBack(change: Change, channel: ChannelRecord, serverId: string): Promise<Room[]> {
    const { id: channelId } = channel;
    const bots = await botsIn(change.db, channelId);
    for (const { id } of bots) {
      change.publish(channelMemberAdded.in(userRoom(id), { channelId, serverId, channel, existing: true }));
    }
    const people = await this.deps.audience.publish(change, { serverId, channelId });
    // For private ones the admins get it, too.
    const outside = channel.isPrivate ? [] : await publishToOutsiders(change, [channel]);
    return [...[...bots.map(({ id }) => id), ...people].map(userRoom), ...outside];
  }

  /**
   * Deletes a channel at once for everyone; its messages are removed in the background.
   * @throws AppError CHANNEL_NOT_FOUND, ROLE_REQUIRED
   */
  async delete(actor: Actor, channelId: string): Promise<void> {
    const { serverId } = await this.deps.channelAccess.managed(actor, channelId, 'channel:delete');
    await this.deps.changes.run(async (change) => {
      const outside = await outsiders(change.rows, [channelId]);
      const channel = await change.em.findOne(Channel, channelId);
      const deleted = await change.em.nativeUpdate(
        Channel,
        { id: channelId, deletedAt: null },
        { deletedAt: dateNow() },
      );
      if (deleted === 0) throw new AppError('CHANNEL_NOT_FOUND');
      if (channel) auditChannel(change, channelDelete, actor, { ...channel, serverId }, { before: { ...channel } });
      const room = channelRoom(channelId);
      change.publish(channelDeleted.in(room, { id: channelId, channelId, serverId }));
      // Who may know of it, and so of the requests, its server says.
      const told = await forgetRequests(change, { serverId, channelId }, null);
      await change.em.nativeUpdate(Channel, { id: channelId }, { serverId: null });
      const people = await this.deps.audience.people(change.rows, serverId);
      publishGone(change, outside, serverId);
      const rooms = [room, ...told, ...outside.map(({ userId }) => userRoom(userId))];
      await closePlace(change, { serverId: null, channelId, isGone: true }, people, rooms);
      await closeStreams(change.rows, [room]);
      await purgeAfter(change, this.deps.jobs, [channelId]);
      change.afterCommit(() => this.deps.channelAccess.forget([channelId]));
      change.afterCommit(() => this.deps.control.send({ kind: 'dissolve', rooms: [room] }));
    });
  }

  /** Detaches all channels of a server that is being deleted. @returns their ids; their rooms are to be dissolved */
  async detachAll(change: Change, serverId: string): Promise<string[]> {
    const gone = { serverId: null, deletedAt: dateNow() };
    const detached = change.db.updateTable('Channel').set(gone).where('serverId', '=', serverId).returning('id');
    const ids = (await detached.execute()).map(({ id }) => id);
    await purgeAfter(change, this.deps.jobs, ids);
    return ids;
  }

  /**
   * Puts the channels of a server in order: those named come first, or where their positions put them, and in a category.
   * @returns all that the actor may know of, in their new order
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED, CHANNEL_NOT_FOUND for one of another server,
   *   CATEGORY_NOT_FOUND the same
   */
  async order(actor: Actor, server: string, input: z.output<typeof positionsSchema>): Promise<ChannelItem[]> {
    const { id: serverId, membership } = await this.deps.serverAccess.joined(actor, server);
    requirePermission(membership.rights, 'channel:order');
    return this.deps.changes.run(async (change) => {
      // Serializes concurrent reorders.
      await lockServer(change.rows, serverId);
      const orderBy = { position: 'asc', createdAt: 'asc', id: 'asc' } as const;
      const current = await change.em.find(Channel, { serverId }, { orderBy, refresh: true });
      const ordered = inOrder(current, input);
      const placed = new Map(input.positions?.map(({ id, categoryId }) => [id, categoryId]));
      await requireCategories(change, serverId, [...placed.values()]);
      const nameOf = await categoryNames(change, serverId);
      const before = { order: current.map(nameOf) };
      const moved = ordered.filter((channel, at) => {
        const { position, categoryId } = channel;
        const wanted = placed.get(channel.id);
        channel.position = at;
        if (wanted !== undefined) channel.categoryId = wanted;
        return position !== at || channel.categoryId !== categoryId;
      });
      await change.em.flush();
      await publishPlaced(
        change,
        moved.map(({ id }) => id),
      );
      const after = { order: ordered.map(nameOf) };
      change.audit(channelOrder, { actor, serverId, target: { kind: 'server', id: serverId }, before, after });
      return channelItems(change.rows, actor, serverId, membership.rights, false);
    });
  }

  /** Changes one channel and publishes that to its room. @returns the new record; undefined: nothing has changed */
  private async write(
    change: Change,
    action: AuditAction,
    actor: Actor,
    channelId: string,
    fields: Partial<Pick<Channel, 'name' | 'description' | 'isArchived' | 'slowModeSeconds' | 'keepMessagesDays'>>,
  ): Promise<ChannelRecord | undefined> {
    const known = change.db.selectFrom('Channel').where('id', '=', channelId).where('deletedAt', 'is', null);
    const row = await known.selectAll().forNoKeyUpdate().executeTakeFirst();
    if (!row) return undefined;
    const channel = change.em.merge(Channel, row, { refresh: true });
    const { updatedAt, name, description, slowModeSeconds, keepMessagesDays } = channel;
    change.em.assign(channel, fields, { ignoreUndefined: true });
    await change.em.flush();
    // It stays where nothing has changed.
    if (channel.updatedAt === updatedAt) return undefined;
    const record = await channelRecordOf(change.rows, channelId);
    const before = { name, description, slowModeSeconds, keepMessagesDays };
    auditChannel(change, action, actor, record, action === channelUpdate ? { before, after: record } : {});
    change.publish(channelUpdated.in(channelRoom(channelId), channelChange(record)));
    change.afterCommit(() => this.deps.channelAccess.forget([channelId]));
    return record;
  }

  private async insert(
    change: Change,
    actor: Actor,
    serverId: string,
    input: z.output<typeof createChannelSchema>,
  ): Promise<ChannelRecord> {
    // A concurrent join commits before and gets the event, or after and finds the channel in the list.
    await lockServer(change.rows, serverId);
    const { count, position } = await placeOf(change.db, serverId);
    if (count >= this.settings.maxChannels) throw new AppError('CHANNEL_LIMIT');
    await requireCategories(change, serverId, [input.categoryId]);
    const id = newId();
    change.em.create(Channel, {
      id,
      serverId,
      kind: 'server',
      name: input.name,
      type: input.type,
      description: input.description ?? input.topic ?? null,
      isPrivate: input.isPrivate,
      position,
      categoryId: input.categoryId ?? null,
      createdBy: actor.userId,
    });
    await change.em.flush();
    await createStream(change.rows, channelRoom(id));
    const channel = await channelRecordOf(change.rows, id);
    if (input.isPrivate || actor.user.isBot) await enterOwn(change, actor, serverId, channel);
    await this.deps.audience.publish(change, { serverId, channelId: id });
    return channel;
  }
}
