import { messageCalls } from '../../contract/message-calls.ts';
import { done } from '../../contract/schema.ts';
import type { Written } from '../../delivery/batch.ts';
import { JsonText, Reply, type Route, recognising, serve } from '../../rest/route.ts';
import type { MessageService } from './message.service.ts';
import type { MessageRecord } from './message.view.ts';
import type { PinService } from './pin.service.ts';

export function messageRoutes(messages: MessageService, pins: PinService): Route[] {
  const { reader } = messages;
  return serve(messageCalls, {
    sendMessage: recognising(
      ({ actor, params, idempotencyKey }) => sentFirst(messages.sentWith(actor, params.channelId, idempotencyKey)),
      async ({ actor, params, body, idempotencyKey }) =>
        sentMessage(await messages.send(actor, params.channelId, body, { idempotencyKey }), idempotencyKey),
    ),
    listMessages: async ({ actor, params, query }) =>
      new Reply(new JsonText(await reader.page(actor, params.channelId, query))),
    listMessagesAround: ({ actor, params, query }) =>
      reader.list(actor, params.channelId, { limit: query.limit, around: params.messageId }),
    getMessage: ({ actor, params }) => messages.get(actor, params.id),
    editMessage: ({ actor, params, body }) => messages.edit(actor, params.id, body),
    async deleteMessage({ actor, params }) {
      await messages.delete(actor, params.id);
      return done;
    },
    listPins: ({ actor, params }) => pins.list(actor, params.channelId),
    pinInChannel: async ({ actor, params }) => ({
      ...(await pins.pin(actor, params.messageId, params.channelId)),
      ...done,
    }),
    unpinInChannel: async ({ actor, params }) => ({
      ...(await pins.unpin(actor, params.messageId, params.channelId)),
      ...done,
    }),
    pinMessage: async ({ actor, params }) => ({ ...(await pins.pin(actor, params.id, null)), ...done }),
    unpinMessage: async ({ actor, params }) => ({ ...(await pins.unpin(actor, params.id, null)), ...done }),
  });
}

/** A repeated key answers 201 as the first time; a repeated nonce answers 200 (contract §13). */
export function sentMessage({ result, repeated }: Written<MessageRecord>, key: string | null): Reply<MessageRecord> {
  if (!repeated) return new Reply(result);
  return key ? replayed(result) : new Reply(result, { status: 200 });
}

/** The message first sent with an Idempotency-Key, if any. */
export async function sentFirst(
  looking: Promise<MessageRecord | undefined>,
): Promise<Reply<MessageRecord> | undefined> {
  const first = await looking;
  return first && replayed(first);
}

const replayed = (first: MessageRecord): Reply<MessageRecord> =>
  new Reply(first, { headers: { 'Idempotency-Replayed': 'true' } });
