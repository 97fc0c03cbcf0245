import { z } from 'zod';
import {
  editMessageSchema,
  messageDeleted,
  messageSchema,
  sendMessageEventSchema,
  typingSchema,
} from '../../contract/message.ts';
import { idSchema } from '../../contract/schema.ts';
import { type Handler, handler } from '../../gateway/handler.ts';
import { placeErrors, sendErrors } from './message.routes.ts';
import type { MessageService } from './message.service.ts';

const tag = 'Messages';
const messageAck = z.object({ message: messageSchema });

export function messageHandlers(messages: MessageService): Handler[] {
  return [
    handler({
      event: 'message:send',
      summary: 'Send a message; the ack comes when it is committed.',
      tag,
      payload: sendMessageEventSchema,
      ack: messageAck,
      errors: [...sendErrors],
      limit: 'messages',
      lane: { by: 'channelId', beside: true },
      async handle({ actor, payload, letNext }) {
        const { channelId, ...input } = payload;
        const { result } = await messages.send(actor, channelId, input, { idempotencyKey: null, queued: letNext });
        return { message: result };
      },
    }),
    handler({
      event: 'message:edit',
      summary: 'Edit a message of your own.',
      tag,
      payload: editMessageSchema.extend({ messageId: idSchema }),
      ack: messageAck,
      errors: ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER', 'FORBIDDEN', 'CHANNEL_ARCHIVED'],
      limit: 'events',
      lane: { by: 'messageId' },
      handle: async ({ actor, payload }) => ({
        message: await messages.edit(actor, payload.messageId, payload.content),
      }),
    }),
    handler({
      event: 'message:delete',
      summary: 'Delete a message: your own, that of a bot of yours, or as a moderator that of others.',
      tag,
      payload: z.object({ messageId: idSchema }),
      ack: z.object({ message: messageDeleted.payload }),
      errors: ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER', 'FORBIDDEN'],
      limit: 'events',
      lane: { by: 'messageId' },
      handle: async ({ actor, payload }) => ({ message: await messages.delete(actor, payload.messageId) }),
    }),
    handler({
      event: 'message:typing',
      summary: 'Show others that you are typing (repeat every 3 seconds meanwhile), or that you have stopped.',
      tag,
      payload: typingSchema,
      ack: z.object({}),
      errors: [...placeErrors],
      limit: 'events',
      lane: { by: 'channelId' },
      async handle({ actor, payload, socket }) {
        await messages.typing(actor, payload, socket.id);
        return {};
      },
    }),
  ];
}
