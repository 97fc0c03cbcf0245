import type { AccountsServices } from '../accounts/accounts.module.ts';
import type { Context } from '../context.ts';
import type { MessagesServices } from '../messages/messages.module.ts';
import type { Module } from '../module.ts';
import { DraftService } from './draft.service.ts';
import { planUnattended } from './lanes.ts';
import { draftRoutes, savedRoutes, scheduledRoutes } from './later.routes.ts';
import { reminders } from './reminders.ts';
import { SavedService } from './saved.service.ts';
import { ScheduledSender } from './scheduled.sender.ts';
import { ScheduledService } from './scheduled.service.ts';

/** What people saved for later and are reminded of, what they scheduled, and their drafts (contract §7, Later). */
export function laterModule(context: Context & AccountsServices & MessagesServices) {
  const scheduledSender = new ScheduledSender(context);
  return {
    services: { scheduledSender },
    routes: [
      ...savedRoutes(new SavedService(context)),
      ...scheduledRoutes(new ScheduledService(context)),
      ...draftRoutes(new DraftService(context)),
    ],
    jobs: [reminders(context.settings), scheduledSender.work],
    leftBehind: (change) => planUnattended(change, context.jobs),
  } satisfies Module;
}
