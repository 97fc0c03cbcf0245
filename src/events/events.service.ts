import type { z } from 'zod';
import type { Actor } from '../access/actor.ts';
import type { ChannelAccess } from '../channels/channel.access.ts';
import type { CatchUp, Page } from '../delivery/catch-up.ts';
import { channelRoom, type Room, userRoom } from '../delivery/entry.ts';
import { AppError } from '../errors.ts';
import type { readLogSchema } from './events.contract.ts';

type Query = z.output<typeof readLogSchema>;

/** More than this is never put into one answer. */
const maxBytes = 1024 * 1024;

/** The logs of rooms over REST: push without sockets (contract §10.4). */
export class EventsService {
  private readonly catchUp: CatchUp;
  private readonly channels: ChannelAccess;

  constructor(catchUp: CatchUp, channels: ChannelAccess) {
    this.catchUp = catchUp;
    this.channels = channels;
  }

  /** @throws AppError CHANNEL_NOT_FOUND, also when access is lost while it waits */
  async ofChannel(actor: Actor, channelId: string, query: Query, leaving: AbortSignal): Promise<Page> {
    await this.channels.readable(actor, channelId);
    const page = await this.poll(channelRoom(channelId), query, leaving);
    if (!page) throw new AppError('CHANNEL_NOT_FOUND');
    await this.channels.readable(actor, channelId);
    return page;
  }

  async ofUser(actor: Actor, query: Query, leaving: AbortSignal): Promise<Page> {
    const page = await this.poll(userRoom(actor.userId), query, leaving);
    if (!page) throw new AppError('USER_NOT_FOUND');
    return page;
  }

  private poll(room: Room, query: Query, leaving: AbortSignal): Promise<Page | undefined> {
    return this.catchUp.poll(room, query.after, { events: query.limit, bytes: maxBytes }, query.wait * 1000, leaving);
  }
}
