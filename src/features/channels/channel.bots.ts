import type { ChannelInfo } from '../../access/channel.access.ts';
import type { Actor } from '../../contract/actor.ts';
import { channelCreated, channelMemberAdded } from '../../contract/channel.ts';
import { AppError } from '../../contract/errors.ts';
import { userRoom } from '../../contract/rooms.ts';
import type { Queries, Rows } from '../../database/database.ts';
import { ChannelMember } from '../../database/entities/channel.entity.ts';
import { ServerMember } from '../../database/entities/server.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import { smallUserColumns } from '../accounts/account.view.ts';
import { type ChannelRecord, channelChange } from '../members/channel.view.ts';
import { ownerIn } from '../members/roster.ts';
import { isInPlace, isOpenTo, readMemberOf } from './channel-member.table.ts';

/** The bots that are in a channel. */
export function botsIn(db: Queries, channelId: string): Promise<{ id: string }[]> {
  return db
    .selectFrom('ChannelMember as e')
    .innerJoin('User as u', 'u.id', 'e.userId')
    .where('e.channelId', '=', channelId)
    .where('e.excluded', '=', false)
    .where('u.isBot', '=', true)
    .orderBy('u.id')
    .select('u.id')
    .execute();
}

/** Adds creators to a new channel that they would not be in otherwise: people to a private one, bots to any. */
export async function enterOwn(change: Change, actor: Actor, serverId: string, channel: ChannelRecord): Promise<void> {
  const { id: channelId } = channel;
  change.em.create(ChannelMember, { channelId, userId: actor.userId });
  await change.em.flush();
  if (!actor.user.isBot) return;
  if (channel.isPrivate) await enterOwner(change, actor.userId, serverId, channelId);
  const room = userRoom(actor.userId);
  change.publish(channelCreated.in(room, channelChange(channel)));
  // Bots join the channels that this event announces.
  change.publish(channelMemberAdded.in(room, { channelId, serverId, channel }));
}

/** A bot is in a private channel only with its owner, unless the server keeps it. */
async function enterOwner({ em, db }: Change, botUserId: string, serverId: string, channelId: string): Promise<void> {
  const bot = await em.findOne(ServerMember, { serverId, userId: botUserId }, { refresh: true });
  const owner = bot?.kept === false ? await ownerIn(db, serverId, botUserId).executeTakeFirst() : undefined;
  if (owner) em.create(ChannelMember, { channelId, userId: owner.userId });
  await em.flush();
}

/**
 * Whether the bots of someone may be in a channel: in a private one while they are in it, in another one unless overrides
 * keep them out (contract §5; `selectMayHaveBots` is the same in SQL).
 */
export async function mayHaveBots(
  rows: Rows,
  channel: ChannelInfo,
  serverId: string,
  ownerId: string | undefined,
): Promise<boolean> {
  const owner = ownerId && (await readMemberOf(rows, channel.id, serverId, ownerId));
  return owner ? isInPlace(channel, owner) || (!channel.isPrivate && isOpenTo(channel, owner)) : false;
}

/** @throws AppError FORBIDDEN for a bot whose owner may not be where it is added */
export async function requireOwnerThere(...asked: Parameters<typeof mayHaveBots>): Promise<void> {
  if (await mayHaveBots(...asked)) return;
  throw new AppError('FORBIDDEN', {
    message: "This bot's owner is not in the channel; let the owner in first, or keep the bot for the server.",
  });
}

/** The bots of someone in a channel that the server does not keep, locked. */
export function lockBotsOf(db: Queries, channelId: string, serverId: string, ownerId: string) {
  return db
    .selectFrom('ChannelMember as e')
    .innerJoin('Agent as a', 'a.userId', 'e.userId')
    .innerJoin('User as u', 'u.id', 'e.userId')
    .innerJoin('ServerMember as m', 'm.userId', 'e.userId')
    .where('m.serverId', '=', serverId)
    .where('m.kept', '=', false)
    .where('e.channelId', '=', channelId)
    .where('e.excluded', '=', false)
    .where('a.ownerId', '=', ownerId)
    .orderBy('u.id')
    .select(smallUserColumns)
    .forNoKeyUpdate('m')
    .execute();
}
