import { z } from 'zod';
import { emojiSchema, reactionSchema, reactionsAnswerSchema, reactSchema } from '../../contract/reaction.ts';
import { validated } from '../../contract/schema/validation.ts';
import { Reply, type Route, route, textParam, uuidParam } from '../../rest/route.ts';
import type { ReactionService } from './reaction.service.ts';

const tag = 'Reactions';
const id = uuidParam('MESSAGE_NOT_FOUND', 'Id of the message.');

export function reactionRoutes(reactions: ReactionService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/messages/:id/reactions',
      summary: 'React to a message. A second time is 200 and changes nothing.',
      tag,
      auth: 'required',
      params: { id },
      body: reactSchema,
      status: 201,
      mayExist: true,
      answer: reactionsAnswerSchema,
      errors: ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER', 'CHANNEL_ARCHIVED', 'REACTION_LIMIT'],
      async handle({ actor, params, body }) {
        const { reactions: now, changed } = await reactions.add(actor, params.id, body.emoji);
        return new Reply(answer(params.id, body.emoji, now), { status: changed ? 201 : 200 });
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/messages/:id/reactions/:emoji',
      summary: 'Take a reaction back.',
      tag,
      auth: 'required',
      params: { id, emoji: textParam('MESSAGE_NOT_FOUND', 'The emoji, percent-encoded.') },
      answer: reactionsAnswerSchema,
      errors: ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER', 'CHANNEL_ARCHIVED', 'VALIDATION_FAILED'],
      async handle({ actor, params }) {
        const { emoji } = validated(z.object({ emoji: emojiSchema }), { emoji: params.emoji });
        const { reactions: now } = await reactions.remove(actor, params.id, emoji);
        return answer(params.id, emoji, now);
      },
    }),
    route({
      method: 'GET',
      path: '/api/messages/:id/reactions',
      summary: 'The reactions to a message.',
      tag,
      auth: 'required',
      params: { id },
      answer: z.array(reactionSchema),
      errors: ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER'],
      handle: ({ actor, params }) => reactions.list(actor, params.id),
    }),
  ];
}

function answer(messageId: string, emoji: string, reactions: z.input<typeof reactionSchema>[]) {
  return { ok: true as const, success: true as const, messageId, emoji, reactions };
}
