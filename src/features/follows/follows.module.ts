import type { Context } from '../context.ts';
import type { MessagesServices } from '../messages/messages.module.ts';
import type { Module } from '../module.ts';
import { followHandlers } from './follow.gateway.ts';
import { followRoutes } from './follow.routes.ts';
import { FollowService } from './follow.service.ts';
import { threadStateWork } from './thread-state.work.ts';

/** Who follows which threads, and what is unread in them (contract §6). */
export function followsModule(context: Context & MessagesServices): Module {
  const follows = new FollowService(context);
  return {
    routes: followRoutes(follows),
    handlers: () => followHandlers(follows),
    jobs: [threadStateWork(context.jobs)],
  };
}
