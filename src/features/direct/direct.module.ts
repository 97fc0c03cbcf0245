import { streamId } from '../../contract/rooms.ts';
import type { ChannelsServices } from '../channels/channels.module.ts';
import type { Context } from '../context.ts';
import type { MembersServices } from '../members/members.module.ts';
import type { MessagesServices } from '../messages/messages.module.ts';
import type { Module } from '../module.ts';
import { DirectActivity } from './direct.activity.ts';
import { directRoutes } from './direct.routes.ts';
import { DirectService } from './direct.service.ts';
import { GroupService } from './group.service.ts';

export type DirectServices = ReturnType<typeof directModule>['services'];

/** Channels of two people, and of groups (contract §7). */
export function directModule(context: Context & MembersServices & ChannelsServices & MessagesServices) {
  const { changes, delivery, notifications } = context;
  const followed = context.settings.sockets.followedDms;
  const direct = new DirectService({ ...context, followed });
  const groups = new GroupService({ ...context, direct });
  const directActivity = new DirectActivity({ direct, queue: notifications, followed });
  changes.alongside = (change, entries) => directActivity.note(change, entries);
  return {
    services: { direct, directActivity },
    routes: directRoutes(direct, groups),
    connect({ gateway }) {
      delivery.observe((entry) => {
        const opened = direct.opened(entry);
        if (opened) gateway.followHere(streamId(entry.room), opened.room, opened.after);
      });
    },
  } satisfies Module;
}
