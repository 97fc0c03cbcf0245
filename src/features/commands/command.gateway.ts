import { commandClientEvents } from '../../contract/command.ts';
import { type Handler, handlers } from '../../gateway/handler.ts';
import type { Completions } from './completions.ts';

export function commandHandlers(completions: Completions): Handler[] {
  return handlers(commandClientEvents, {
    async 'command:choices'({ actor, payload }) {
      completions.answer(actor, payload.id, payload.choices);
      return {};
    },
  });
}
