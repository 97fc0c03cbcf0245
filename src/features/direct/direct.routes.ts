import { directCalls, dmPath } from '../../contract/direct.ts';
import { AppError } from '../../contract/errors.ts';
import { done } from '../../contract/schema.ts';
import { pageReply, Reply, type Route, recognising, serve } from '../../rest/route.ts';
import { sentFirst, sentMessage } from '../messages/message.routes.ts';
import type { DirectService } from './direct.service.ts';
import type { DmRecord } from './direct.view.ts';
import type { GroupService } from './group.service.ts';

const opened = ({ dm, created }: { dm: DmRecord; created: boolean }) => new Reply(dm, { status: created ? 201 : 200 });

/** Under both spellings (contract §7). */
export function directRoutes(direct: DirectService, groups: GroupService): Route[] {
  const routes = serve(directCalls, {
    async openDm({ actor, body: { userId, userIds, name } }) {
      if (userIds) return opened(await groups.open(actor, userIds, name ?? null));
      if (userId) return opened(await direct.open(actor, userId));
      throw new AppError('VALIDATION_FAILED');
    },
    addToDm: async ({ actor, params, body }) => opened(await groups.add(actor, params.id, body)),
    renameGroup: ({ actor, params, body }) => groups.rename(actor, params.id, body.name),
    async leaveGroup({ actor, params }) {
      await groups.leave(actor, params.id);
      return done;
    },
    turnGroup: ({ actor, params, body }) => groups.turn(actor, params.id, body),
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
