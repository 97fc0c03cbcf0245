import { interactionCalls } from '../../contract/interaction.ts';
import { done } from '../../contract/schema.ts';
import { Reply, type Route, serve } from '../../rest/route.ts';
import type { AnswerService } from './answer.service.ts';
import type { EphemeralService } from './ephemeral.service.ts';
import type { Made } from './interaction.maker.ts';
import type { InteractionService } from './interaction.service.ts';

export function interactionRoutes(
  interactions: InteractionService,
  answers: AnswerService,
  ephemerals: EphemeralService,
): Route[] {
  return serve(interactionCalls, {
    useComponent: async ({ actor, params, body }) => made(await interactions.use(actor, params.id, body)),
    submitForm: async ({ actor, params, body }) => made(await interactions.submit(actor, params.id, body)),
    answerInteraction: ({ actor, params, body }) => answers.answer(actor, params.id, body),
    getInteraction: ({ actor, params }) => interactions.get(actor, params.id),
    listUses: ({ actor }) => interactions.open(actor),
    listEphemerals: ({ actor }) => ephemerals.list(actor),
    async dismissEphemeral({ actor, params }) {
      await ephemerals.dismiss(actor, params.id);
      return done;
    },
  });
}

const made = ({ use, repeated }: Made) => new Reply(use, repeated ? { status: 200 } : {});
