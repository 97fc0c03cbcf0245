import { messageClientEvents } from '../../contract/message-calls.ts';
import { type Handler, handlers } from '../../gateway/handler.ts';
import type { MessageService } from './message.service.ts';

export function messageHandlers(messages: MessageService): Handler[] {
  return handlers(messageClientEvents, {
    async 'message:send'({ actor, payload, letNext }) {
      const { channelId, ...input } = payload;
      const { result } = await messages.send(actor, channelId, input, { idempotencyKey: null, queued: letNext });
      return { message: result };
    },
    'message:edit': async ({ actor, payload }) => ({
      message: await messages.edit(actor, payload.messageId, payload),
    }),
    'message:delete': async ({ actor, payload }) => ({ message: await messages.delete(actor, payload.messageId) }),
    async 'message:typing'({ actor, payload, socket }) {
      await messages.typing(actor, payload, socket.id);
      return {};
    },
  });
}
