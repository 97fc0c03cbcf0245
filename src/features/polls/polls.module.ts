import { closeUnattended } from '../../jobs/poll.jobs.ts';
import type { Context } from '../context.ts';
import type { MessagesServices } from '../messages/messages.module.ts';
import type { Module } from '../module.ts';
import { pollHandlers } from './poll.gateway.ts';
import { pollRoutes } from './poll.routes.ts';
import { PollService } from './poll.service.ts';
import { pollWork } from './telling.ts';

/** Votes in polls, and their closing (contract §6, Polls). */
export function pollsModule(context: Context & MessagesServices) {
  const polls = new PollService(context);
  return {
    routes: pollRoutes(polls),
    handlers: () => pollHandlers(polls),
    jobs: pollWork(),
    leftBehind: (change) => closeUnattended(change.rows),
  } satisfies Module;
}
