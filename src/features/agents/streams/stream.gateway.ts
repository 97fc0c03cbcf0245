import { streamAckSchema, streamSchema } from '../../../contract/stream.ts';
import { type Handler, handler } from '../../../gateway/handler.ts';
import { sendErrors } from '../../messages/message.routes.ts';
import type { ReplyStreams } from './stream.service.ts';

export function streamHandlers(streams: ReplyStreams): Handler[] {
  return [
    handler({
      event: 'message:stream',
      summary: 'Stream a reply; for bots. With `done` it becomes a message.',
      tag: 'Agents',
      payload: streamSchema,
      ack: streamAckSchema,
      errors: [...sendErrors, 'STREAM_LIMIT', 'STREAM_BROKEN'],
      limit: 'deltas',
      lane: { by: 'channelId' },
      async handle({ actor, payload, socket }) {
        const message = await streams.push(actor, payload, socket.id);
        return message ? { message } : {};
      },
    }),
  ];
}
