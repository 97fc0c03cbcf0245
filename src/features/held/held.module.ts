import type { AccountsServices } from '../accounts/accounts.module.ts';
import type { Context } from '../context.ts';
import type { MessagesServices } from '../messages/messages.module.ts';
import type { Module } from '../module.ts';
import { heldRoutes } from './held.routes.ts';
import { HeldService } from './held.service.ts';

/** Messages that wait for a moderator (contract §6, Filters). */
export function heldModule(context: Context & AccountsServices & MessagesServices): Module {
  return { routes: heldRoutes(new HeldService(context)) };
}
