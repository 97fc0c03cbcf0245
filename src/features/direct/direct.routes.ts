import { directCalls, dmPath } from '../../contract/direct.ts';
import { pageReply, Reply, type Route, recognising, serve } from '../../rest/route.ts';
import { sentFirst, sentMessage } from '../messages/message.routes.ts';
import type { DirectService } from './direct.service.ts';

/** Under both spellings (contract §7). */
export function directRoutes(direct: DirectService): Route[] {
  const routes = serve(directCalls, {
    async openDm({ actor, body }) {
      const { dm, created } = await direct.open(actor, body.userId);
      return new Reply(dm, { status: created ? 201 : 200 });
    },
    listDms: ({ actor }) => direct.list(actor),
    async listDmMessages({ actor, params, query }) {
      const { messages, hasMore } = await direct.messagesOf(actor, params.id, query);
      return pageReply({ records: messages, hasMore });
    },
    sendDm: recognising(
      ({ actor, params, idempotencyKey }) => sentFirst(direct.sentWith(actor, params.id, idempotencyKey)),
      async ({ actor, params, body, idempotencyKey }) =>
        sentMessage(await direct.send(actor, params.id, body, idempotencyKey), idempotencyKey),
    ),
  });
  const others = routes.map((route) => ({ ...route, path: route.path.replace(dmPath.usual, dmPath.other) }));
  return [...routes, ...others];
}
