import { streamId } from '../../contract/rooms.ts';
import type { Context } from '../context.ts';
import type { MessagesServices } from '../messages/messages.module.ts';
import type { Module } from '../module.ts';
import { DirectActivity } from './direct.activity.ts';
import { directRoutes } from './direct.routes.ts';
import { DirectService } from './direct.service.ts';

export type DirectServices = ReturnType<typeof directModule>['services'];

/** Channels between two people (contract §7). */
export function directModule(context: Context & MessagesServices) {
  const { changes, delivery, notifications } = context;
  const followed = context.settings.sockets.followedDms;
  const direct = new DirectService({ ...context, followed });
  const directActivity = new DirectActivity({ direct, queue: notifications, followed });
  changes.alongside = (change, entries) => directActivity.note(change, entries);
  return {
    services: { direct, directActivity },
    routes: directRoutes(direct),
    connect({ gateway }) {
      delivery.observe((entry) => {
        const opened = direct.opened(entry);
        if (opened) gateway.followHere(streamId(entry.room), opened.room, opened.after);
      });
    },
  } satisfies Module;
}
