import { channelRoom, streamId, threadRoom } from '../../../contract/rooms.ts';
import { messageStream, type OpenStreamRecord, streamClientEvents } from '../../../contract/stream.ts';
import { emitTo } from '../../../gateway/frames.ts';
import type { Gateway } from '../../../gateway/gateway.ts';
import { type Handler, handlers } from '../../../gateway/handler.ts';
import type { ParleySocket } from '../../../gateway/socket.ts';
import { isLive, liveOf, type Place } from '../../../gateway/subscription.ts';
import type { StreamEnds } from './stream.ends.ts';
import type { StreamList } from './stream.list.ts';
import type { ReplyStreams } from './stream.service.ts';

export function streamHandlers(streams: ReplyStreams, ends: StreamEnds): Handler[] {
  return handlers(streamClientEvents, {
    async 'message:stream'({ actor, payload, socket }) {
      const { message } = await streams.push(actor, payload, socket.id);
      return message ? { message } : {};
    },
    async 'message:stream-stop'({ actor, payload }) {
      await ends.stop(actor, payload.channelId, payload);
      return {};
    },
  });
}

/** Gives sockets that join rooms, or are back in them, the text so far of what is in progress there. */
export function connectStreams(gateway: Gateway, list: StreamList): void {
  gateway.onConnection((socket) => void tell(list, socket, liveOf(socket)).catch(() => {}));
  gateway.subscriptions.onEntry((socket, place) => void tell(list, socket, [place]).catch(() => {}));
}

async function tell(list: StreamList, socket: ParleySocket, places: Place[]): Promise<void> {
  const channelIds = new Set(
    places.filter(({ room }) => room.startsWith('channel:')).map(({ room }) => streamId(room)),
  );
  if (channelIds.size === 0) return;
  for (const stream of await list.among(channelIds)) {
    if (stream.userId !== socket.data.actor.userId && hears(socket, stream)) tellOne(socket, stream);
  }
}

/** Whether it gets the pieces as they come: bots that hear only some of a channel are in no room. */
function hears(socket: ParleySocket, { channelId, threadId }: OpenStreamRecord): boolean {
  const rooms = threadId === null ? [channelRoom(channelId)] : [channelRoom(channelId), threadRoom(threadId)];
  return rooms.some((room) => isLive(socket, room) && socket.rooms.has(room));
}

function tellOne(socket: ParleySocket, { content, length, ...stream }: OpenStreamRecord): void {
  const soFar = { ...stream, delta: content, offset: 0, soFar: true, done: false };
  emitTo(socket, messageStream.name, JSON.stringify(soFar));
}
