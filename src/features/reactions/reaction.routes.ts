import { z } from 'zod';
import { keptEmojiSchema, reactionCalls, type reactionSchema } from '../../contract/reaction.ts';
import { validated } from '../../contract/schema/validation.ts';
import { emojiMeant } from '../../contract/unicode/emoji.ts';
import { Reply, type Route, serve } from '../../rest/route.ts';
import type { ReactionService } from './reaction.service.ts';

export function reactionRoutes(reactions: ReactionService): Route[] {
  return serve(reactionCalls, {
    async addReaction({ actor, params, body }) {
      const { reactions: now, changed } = await reactions.add(actor, params.id, body.emoji);
      return new Reply(answer(params.id, body.emoji, now), { status: changed ? 201 : 200 });
    },
    async removeReaction({ actor, params }) {
      const { emoji } = validated(z.object({ emoji: keptEmojiSchema }), { emoji: params.emoji });
      const { reactions: now } = await reactions.remove(actor, params.id, emoji);
      return answer(params.id, emojiMeant(emoji), now);
    },
    listReactions: ({ actor, params }) => reactions.list(actor, params.id),
  });
}

function answer(messageId: string, emoji: string, reactions: z.input<typeof reactionSchema>[]) {
  return { ok: true as const, success: true as const, messageId, emoji, reactions };
}
