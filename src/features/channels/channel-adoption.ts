import type { Actor } from '../../contract/actor.ts';
import { channelUpdated } from '../../contract/channel.ts';
import { channelCreate } from '../../contract/channel-actions.ts';
import { AppError } from '../../contract/errors.ts';
import { channelRoom } from '../../contract/rooms.ts';
import { Channel } from '../../database/entities/channel.entity.ts';
import { Server } from '../../database/entities/server.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { expireIn } from '../../jobs/retention.jobs.ts';
import type { Context } from '../context.ts';
import { channelRecordOf } from '../members/channel.table.ts';
import { type ChannelRecord, channelChange } from '../members/channel.view.ts';
import { auditChannel } from './channel.audit.ts';
import { placeOf } from './channel.order.ts';

/**
 * Makes a channel of people a private one of a server, which must be locked, with everything in it.
 * @throws AppError CHANNEL_LIMIT
 */
export async function adopt(
  change: Change,
  { channelAccess, jobs, settings }: Pick<Context, 'channelAccess' | 'jobs' | 'settings'>,
  actor: Actor,
  { id, serverId, name }: { id: string; serverId: string; name: string },
): Promise<ChannelRecord> {
  const { count, position } = await placeOf(change.db, serverId);
  if (count >= settings.servers.maxChannels) throw new AppError('CHANNEL_LIMIT');
  await change.em.nativeUpdate(
    Channel,
    { id, deletedAt: null },
    { serverId, kind: 'server', name, position, isPrivate: true, updatedAt: dateNow() },
  );
  const channel = await channelRecordOf(change.rows, id);
  auditChannel(change, channelCreate, actor, channel, { after: channel });
  const { keepMessagesDays } = await change.em.findOneOrFail(Server, serverId);
  if (keepMessagesDays !== null) await expireIn(change, jobs, [id]);
  change.publish(channelUpdated.in(channelRoom(id), channelChange(channel)));
  change.afterCommit(() => channelAccess.forget([id]));
  return channel;
}
