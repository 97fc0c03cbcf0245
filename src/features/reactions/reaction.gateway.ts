import { z } from 'zod';
import { reactionSchema, reactSchema } from '../../contract/reaction.ts';
import { idSchema } from '../../contract/schema.ts';
import { type Handler, handler } from '../../gateway/handler.ts';
import type { ReactionService } from './reaction.service.ts';

const tag = 'Reactions';
const payload = reactSchema.extend({ messageId: idSchema });
const ack = z.object({ reactions: z.array(reactionSchema) });

export function reactionHandlers(reactions: ReactionService): Handler[] {
  return [
    handler({
      event: 'reaction:add',
      summary: 'React to a message.',
      tag,
      payload,
      ack,
      errors: ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER', 'CHANNEL_ARCHIVED', 'REACTION_LIMIT'],
      limit: 'events',
      lane: { by: 'messageId' },
      async handle({ actor, payload: { messageId, emoji } }) {
        const { reactions: now } = await reactions.add(actor, messageId, emoji);
        return { reactions: now };
      },
    }),
    handler({
      event: 'reaction:remove',
      summary: 'Take a reaction back.',
      tag,
      payload,
      ack,
      errors: ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER', 'CHANNEL_ARCHIVED'],
      limit: 'events',
      lane: { by: 'messageId' },
      async handle({ actor, payload: { messageId, emoji } }) {
        const { reactions: now } = await reactions.remove(actor, messageId, emoji);
        return { reactions: now };
      },
    }),
  ];
}
