import type { Context } from '../context.ts';
import type { FiltersServices } from '../filters/filters.module.ts';
import type { MessagesServices } from '../messages/messages.module.ts';
import type { Module } from '../module.ts';
import { eraseLeftBehind, threadErasure } from './thread.erasure.ts';
import { threadHandlers } from './thread.gateway.ts';
import { threadRoutes } from './thread.routes.ts';
import { ThreadService } from './thread.service.ts';

/** Side conversations (contract §6). */
export function threadsModule(context: Context & MessagesServices & FiltersServices): Module {
  return {
    routes: threadRoutes(new ThreadService(context)),
    jobs: [threadErasure(context)],
    leftBehind: (change) => eraseLeftBehind(change, context.jobs),
    handlers: ({ subscriptions }) => threadHandlers(context.threadAccess, subscriptions),
  };
}
