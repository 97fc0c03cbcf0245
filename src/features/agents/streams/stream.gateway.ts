import { streamClientEvents } from '../../../contract/stream.ts';
import { type Handler, handlers } from '../../../gateway/handler.ts';
import type { ReplyStreams } from './stream.service.ts';

export function streamHandlers(streams: ReplyStreams): Handler[] {
  return handlers(streamClientEvents, {
    async 'message:stream'({ actor, payload, socket }) {
      const message = await streams.push(actor, payload, socket.id);
      return message ? { message } : {};
    },
  });
}
