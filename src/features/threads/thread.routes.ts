import { done } from '../../contract/schema.ts';
import { threadCalls } from '../../contract/thread.ts';
import { pageReply, Reply, type Route, recognising, serve } from '../../rest/route.ts';
import { sentFirst, sentMessage } from '../messages/message.routes.ts';
import type { ThreadService } from './thread.service.ts';

export function threadRoutes(threads: ThreadService): Route[] {
  return serve(threadCalls, {
    async createThread({ actor, params, body }) {
      const { result, repeated } = await threads.create(actor, params.channelId, body);
      return new Reply(result, { status: repeated ? 200 : 201 });
    },
    async startThread({ actor, params, body }) {
      const { result, repeated } = await threads.start(actor, params.id, body.name ?? null);
      return new Reply(result, { status: repeated ? 200 : 201 });
    },
    listThreads: async ({ actor, params, query }) => pageReply(await threads.list(actor, params.channelId, query)),
    getThread: ({ actor, params }) => threads.get(actor, params.id),
    updateThread: ({ actor, params, body }) => threads.update(actor, params.id, body),
    async deleteThread({ actor, params }) {
      await threads.delete(actor, params.id);
      return done;
    },
    listThreadMessages: async ({ actor, params, query }) =>
      pageReply(await threads.listMessages(actor, params.id, query)),
    sendThreadMessage: recognising(
      ({ actor, params, idempotencyKey }) => sentFirst(threads.sentWith(actor, params.id, idempotencyKey)),
      async ({ actor, params, body, idempotencyKey }) =>
        sentMessage(await threads.send(actor, params.id, body, idempotencyKey), idempotencyKey),
    ),
  });
}
