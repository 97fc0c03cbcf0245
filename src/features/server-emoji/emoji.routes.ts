import { done } from '../../contract/schema.ts';
import { serverEmojiCalls } from '../../contract/server-emoji.ts';
import { type Route, serve } from '../../rest/route.ts';
import type { EmojiService } from './emoji.service.ts';

export function emojiRoutes(emoji: EmojiService): Route[] {
  return serve(serverEmojiCalls, {
    listEmoji: ({ actor, params }) => emoji.list(actor, params.id),
    addEmoji: ({ actor, params, body }) => emoji.add(actor, params.id, body),
    async removeEmoji({ actor, params }) {
      await emoji.remove(actor, params.id, params.emojiId);
      return done;
    },
  });
}
