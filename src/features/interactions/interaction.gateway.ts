import { interactionClientEvents } from '../../contract/interaction.ts';
import { type Handler, handlers } from '../../gateway/handler.ts';
import type { AnswerService } from './answer.service.ts';
import type { InteractionService } from './interaction.service.ts';

export function interactionHandlers(interactions: InteractionService, answers: AnswerService): Handler[] {
  return handlers(interactionClientEvents, {
    'interaction:use': async ({ actor, payload }) => ({
      use: (await interactions.use(actor, payload.messageId, payload)).use,
    }),
    'interaction:submit': async ({ actor, payload }) => ({
      use: (await interactions.submit(actor, payload.interactionId, payload)).use,
    }),
    'interaction:answer': ({ actor, payload }) => answers.answer(actor, payload.interactionId, payload),
  });
}
