import { mentionCalls } from '../../contract/mention.ts';
import { type Route, serve } from '../../rest/route.ts';
import type { MentionService } from './mention.service.ts';

export function mentionRoutes(mentions: MentionService): Route[] {
  return serve(mentionCalls, {
    suggestMentions: async ({ actor, query }) => ({ suggestions: await mentions.suggest(actor, query) }),
    resolveMentions: async ({ actor, body }) => ({
      mentions: await mentions.resolve(actor, body.channelId, body.content),
    }),
  });
}
