import type { AccountsServices } from '../accounts/accounts.module.ts';
import type { AgentsServices } from '../agents/agents.module.ts';
import type { Context } from '../context.ts';
import type { InteractionsServices } from '../interactions/interactions.module.ts';
import { forgetGiven } from '../messages/command-file.table.ts';
import type { Module } from '../module.ts';
import { commandHandlers } from './command.gateway.ts';
import { CommandInvoker } from './command.invoker.ts';
import { commandRoutes, commandRuleRoutes } from './command.routes.ts';
import { CommandRules } from './command.rules.ts';
import { CommandTargets } from './command.target.ts';
import { Completions } from './completions.ts';

type Below = AccountsServices & AgentsServices & InteractionsServices;

/** Commands of bots as people use them: invoked, completed, and allowed (contract §4, Commands). */
export function commandsModule(context: Context & Below) {
  const parts = { ...context, targets: new CommandTargets(context) };
  const completions = new Completions(parts);
  return {
    routes: [...commandRoutes(new CommandInvoker(parts), completions), ...commandRuleRoutes(new CommandRules(context))],
    handlers: () => commandHandlers(completions),
    chores: [{ name: 'forget files of commands', step: forgetGiven }],
  } satisfies Module;
}
