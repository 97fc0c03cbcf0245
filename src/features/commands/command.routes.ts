import { commandCalls, commandRuleCalls } from '../../contract/command.ts';
import { done } from '../../contract/schema.ts';
import { Reply, type Route, serve } from '../../rest/route.ts';
import type { CommandInvoker } from './command.invoker.ts';
import type { CommandRules } from './command.rules.ts';
import type { Completions } from './completions.ts';

export function commandRoutes(invoker: CommandInvoker, completions: Completions): Route[] {
  return serve(commandCalls, {
    async invokeCommand({ actor, params, body }) {
      const { use, repeated } = await invoker.invoke(actor, params.id, body);
      return repeated ? new Reply(use, { status: 200 }) : use;
    },
    completeCommand: ({ actor, params, body }) => completions.complete(actor, params.id, body),
  });
}

export function commandRuleRoutes(rules: CommandRules): Route[] {
  return serve(commandRuleCalls, {
    listServerCommands: ({ actor, params }) => rules.list(actor, params.id, params.agentId),
    setCommandRule: ({ actor, params, body }) => rules.set(actor, params.id, params.agentId, params.command, body),
    async deleteCommandRule({ actor, params }) {
      await rules.remove(actor, params.id, params.agentId, params.command);
      return done;
    },
  });
}
