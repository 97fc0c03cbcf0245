import type { Chore } from '../../cluster/chores.ts';
import type { AccountsServices } from '../accounts/accounts.module.ts';
import type { Context } from '../context.ts';
import type { FiltersServices } from '../filters/filters.module.ts';
import type { MessagesServices } from '../messages/messages.module.ts';
import type { Module } from '../module.ts';
import { AnswerService } from './answer.service.ts';
import { EphemeralService } from './ephemeral.service.ts';
import { ephemeralTable } from './ephemeral.table.ts';
import { interactionHandlers } from './interaction.gateway.ts';
import { InteractionMaker } from './interaction.maker.ts';
import { interactionRoutes } from './interaction.routes.ts';
import { InteractionService } from './interaction.service.ts';
import { interactionTable } from './interaction.table.ts';

export type InteractionsServices = ReturnType<typeof interactionsModule>['services'];

type Below = AccountsServices & FiltersServices & MessagesServices;

const chores: Chore[] = [
  { name: 'forget interactions', step: interactionTable.forget },
  { name: 'forget ephemeral replies', step: ephemeralTable.forget },
];

/** Uses of bots' components, and what bots answer (contract §6, Interactions). */
export function interactionsModule(context: Context & Below) {
  const interactions = new InteractionMaker(context);
  const uses = new InteractionService({ ...context, interactions });
  const answers = new AnswerService(context);
  return {
    services: { interactions },
    routes: interactionRoutes(uses, answers, new EphemeralService(context)),
    handlers: () => interactionHandlers(uses, answers),
    chores,
  } satisfies Module;
}
