import { reactionClientEvents } from '../../contract/reaction.ts';
import { type Handler, handlers } from '../../gateway/handler.ts';
import type { ReactionService } from './reaction.service.ts';

export function reactionHandlers(reactions: ReactionService): Handler[] {
  return handlers(reactionClientEvents, {
    async 'reaction:add'({ actor, payload: { messageId, emoji } }) {
      const { reactions: now } = await reactions.add(actor, messageId, emoji);
      return { reactions: now };
    },
    async 'reaction:remove'({ actor, payload: { messageId, emoji } }) {
      const { reactions: now } = await reactions.remove(actor, messageId, emoji);
      return { reactions: now };
    },
  });
}
