import { z } from 'zod';
import { dmBetween } from '../../access/direct.table.ts';
import { requireStaying, userById } from '../../access/user.table.ts';
import type { LogEntry } from '../../cluster/entry.ts';
import type { Actor } from '../../contract/actor.ts';
import { isDirect } from '../../contract/channel.ts';
import { dmCreated, type listDmMessagesSchema } from '../../contract/direct.ts';
import { AppError } from '../../contract/errors.ts';
import type { listMessagesSchema, messagePageSchema, sendMessageSchema } from '../../contract/message.ts';
import { channelRoom, type Room, userRoom } from '../../contract/rooms.ts';
import { type Pair, pairOf } from '../../database/array-text.ts';
import { BatchedRead } from '../../database/batched-read.ts';
import type { Rows } from '../../database/database.ts';
import { Channel, ChannelMember, DmChannel } from '../../database/entities/channel.entity.ts';
import type { Written } from '../../delivery/batch.ts';
import type { Change } from '../../delivery/changes.ts';
import { createStream } from '../../delivery/log.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { Context } from '../context.ts';
import { requireNoBlock } from '../friends/friend.access.ts';
import type { MessageService } from '../messages/message.service.ts';
import type { MessageRecord } from '../messages/message.view.ts';
import { readDm, readRecentDmIds, readRecentDms } from './direct.table.ts';
import type { DmRecord } from './direct.view.ts';

/** Lists show this many of the last used DMs. */
const listed = 1000;

/** A room that sockets enter without joining, and the position from which on they get its events. */
export interface FollowedRoom {
  room: Room;
  /** Undefined: from now on. */
  after: number | undefined;
}

const announced = z.object({ id: z.string(), since: z.number() });

interface Deps extends Pick<Context, 'database' | 'changes' | 'channelAccess'> {
  messages: MessageService;
  followed: number;
}

/** Channels of people (contract §7): those of two are opened here, groups by `GroupService`; otherwise like all channels. */
export class DirectService {
  private readonly deps: Deps;
  /** The ids of users' last used DM channels, by user. */
  private readonly recent: BatchedRead<string[]>;

  /** @param parts.followed how many of a user's DMs its sockets enter on connect */
  constructor(deps: Deps) {
    this.deps = deps;
    this.recent = new BatchedRead((ids) => readRecentDmIds(deps.database.committedRows, ids, deps.followed));
  }

  /**
   * The DM channel with someone, created if there is none. Opening one locks the logs of both, so concurrent calls on two
   * nodes get the same.
   *
   * @throws AppError OWN_USER, USER_NOT_FOUND also when they blocked the actor, USER_BLOCKED when the actor blocked them,
   * FORBIDDEN when their account is being deleted
   */
  async open(actor: Actor, userId: string): Promise<{ dm: DmRecord; created: boolean }> {
    const other = await userById(this.deps.database.rows, userId);
    if (other.id === actor.userId) throw new AppError('OWN_USER');
    await this.deps.database.read((em) => requireNoBlock(em, actor, other.id));
    const pair = pairOf(actor.userId, other.id);
    const known = await dmBetween(this.deps.database.rows, pair);
    if (known) return { dm: await this.record(this.deps.database.rows, actor.userId, known), created: false };
    return this.deps.changes.run(async (change) => {
      await change.lock(userRoom(pair.low), userRoom(pair.high));
      await requireNoBlock(change.em, actor, other.id);
      const meanwhile = await dmBetween(change.rows, pair);
      if (meanwhile) return { dm: await this.record(change.rows, actor.userId, meanwhile), created: false };
      await requireStaying(change.rows, other.id);
      const channelId = await insertDm(change, pair, actor.userId);
      for (const id of [pair.low, pair.high]) await this.announce(change, id, channelId, 0);
      return { dm: await this.record(change.rows, actor.userId, channelId), created: true };
    });
  }

  /** The actor's DMs and groups, last used first. */
  list(actor: Actor): Promise<DmRecord[]> {
    return readRecentDms(this.deps.database.rows, actor.userId, listed);
  }

  /** @throws AppError CHANNEL_NOT_FOUND for a channel that is no DM of the actor's, INVALID_CURSOR */
  async messagesOf(
    actor: Actor,
    channelId: string,
    query: z.output<typeof listDmMessagesSchema>,
  ): Promise<z.output<typeof messagePageSchema>> {
    await this.requireDm(actor, channelId);
    const page: z.output<typeof listMessagesSchema> = query;
    return this.deps.messages.reader.list(actor, channelId, page);
  }

  /** @throws AppError as MessageService.send, and BLOCKED or USER_BLOCKED */
  async send(
    actor: Actor,
    channelId: string,
    input: z.output<typeof sendMessageSchema>,
    idempotencyKey: string | null,
  ): Promise<Written<MessageRecord>> {
    await this.requireDm(actor, channelId);
    return this.deps.messages.send(actor, channelId, input, { idempotencyKey });
  }

  /** As MessageService.sentWith. */
  async sentWith(actor: Actor, channelId: string, idempotencyKey: string): Promise<MessageRecord | undefined> {
    await this.requireDm(actor, channelId);
    return this.deps.messages.sentWith(actor, channelId, idempotencyKey);
  }

  /** The DM rooms that a connecting socket enters: those used last. */
  async roomsOnConnect(actor: Actor): Promise<Room[]> {
    return ((await this.recent.read(actor.userId)) ?? []).map(channelRoom);
  }

  /** The room that an event puts its user's sockets into; undefined for all other events. */
  opened(entry: LogEntry): FollowedRoom | undefined {
    if (entry.event !== dmCreated.name) return undefined;
    const { id, since } = announced.parse(JSON.parse(entry.json));
    return { room: channelRoom(id), after: since };
  }

  /**
   * Publishes to a user's sockets that a DM is in use, which puts them into its room.
   * @param since the position from which on they need its events
   */
  async announce(change: Change, userId: string, channelId: string, since: number): Promise<void> {
    const record = await this.record(change.rows, userId, channelId);
    change.publish(dmCreated.in(userRoom(userId), { ...record, since }));
  }

  private async requireDm(actor: Actor, channelId: string): Promise<void> {
    const { kind } = await this.deps.channelAccess.visible(actor, channelId);
    if (!isDirect(kind)) throw new AppError('CHANNEL_NOT_FOUND');
  }

  /** A DM or group as someone in it sees it. @throws AppError CHANNEL_NOT_FOUND */
  async record(rows: Rows, userId: string, channelId: string): Promise<DmRecord> {
    const record = await readDm(rows, userId, channelId);
    if (!record) throw new AppError('CHANNEL_NOT_FOUND');
    return record;
  }
}

async function insertDm({ em, rows }: Change, { low, high }: Pair, creatorId: string): Promise<string> {
  const channelId = newId();
  const kept = { kind: 'dm', name: 'dm', type: 'text', isPrivate: true } as const;
  em.create(Channel, { id: channelId, ...kept, createdBy: creatorId });
  em.create(DmChannel, { channelId, lowId: low, highId: high });
  for (const userId of [low, high]) em.create(ChannelMember, { channelId, userId });
  await em.flush();
  await createStream(rows, channelRoom(channelId));
  return channelId;
}
