import { expireUnattended } from '../../jobs/retention.jobs.ts';
import type { Context } from '../context.ts';
import type { MessagesServices } from '../messages/messages.module.ts';
import type { Module } from '../module.ts';
import { messageExpiry } from './expiry.ts';
import { historyRemoval } from './history.ts';
import { retentionRoutes } from './retention.routes.ts';
import { RetentionService } from './retention.service.ts';

/** How long messages are kept, and what edited ones said before (contract §6). */
export function retentionModule(context: Context & MessagesServices): Module {
  return {
    routes: retentionRoutes(new RetentionService(context)),
    jobs: [messageExpiry(context), historyRemoval(context.jobs)],
    leftBehind: (change) => expireUnattended(change.rows),
  };
}
