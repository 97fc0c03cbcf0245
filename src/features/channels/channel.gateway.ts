import { markReadSchema, readStateSchema } from '../../contract/channel.ts';
import { idSchema } from '../../contract/schema.ts';
import { type Handler, handler } from '../../gateway/handler.ts';
import type { ReadStateService } from './read-state.service.ts';

export function channelHandlers(readStates: ReadStateService): Handler[] {
  return [
    handler({
      event: 'channel:read',
      summary: 'Mark a channel as read up to a message or a number of its log; it never goes back.',
      tag: 'Channels',
      payload: markReadSchema.safeExtend({ channelId: idSchema }),
      ack: readStateSchema,
      errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'MESSAGE_NOT_FOUND'],
      limit: 'events',
      handle: ({ actor, payload: { channelId, ...input } }) => readStates.markRead(actor, channelId, input),
    }),
  ];
}
