import type { ChannelAccess } from '../../access/channel.access.ts';
import { roomClientEvents } from '../../contract/events.ts';
import { channelRoom } from '../../contract/rooms.ts';
import type { Page } from '../../delivery/catch-up.ts';
import { gather } from '../../gateway/frames.ts';
import { type Handler, handlers } from '../../gateway/handler.ts';
import type { ParleySocket } from '../../gateway/socket.ts';
import type { Subscriptions } from '../../gateway/subscriptions.ts';
import { pageRecord } from './events.view.ts';

/** @param joined called when a socket has entered the room of a channel, once the ack was sent */
export function roomHandlers(
  channels: ChannelAccess,
  subscriptions: Subscriptions,
  joined: (socket: ParleySocket, channelId: string) => Promise<void>,
): Handler[] {
  return handlers(roomClientEvents, {
    async 'channel:join'({ actor, payload, socket, respond }) {
      const { channelId, after } = payload;
      const room = channelRoom(channelId);
      const { serverId } = await channels.entered(actor, channelId);
      const answer = (page: Page) => ({ channelId, ...pageRecord(page) });
      const entered = (page: Page) => {
        gather(socket);
        respond(answer(page));
      };
      const wanted = { name: room, place: { room, serverId }, after };
      const page = await subscriptions.join(socket, wanted, entered, () => channels.entered(actor, channelId));
      if (page.hasMore) return answer(page);
      // A failure after the ack must not turn it into an error.
      joined(socket, channelId).catch(() => {});
      return answer({ ...page, entries: [] });
    },
    async 'channel:leave'({ payload, socket }) {
      await subscriptions.leave(socket, channelRoom(payload.channelId));
      return {};
    },
  });
}
