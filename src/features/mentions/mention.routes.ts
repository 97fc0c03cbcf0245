import { resolvedSchema, resolveSchema, suggestionsSchema, suggestQuerySchema } from '../../contract/mention.ts';
import { type Route, route } from '../../rest/route.ts';
import type { MentionService } from './mention.service.ts';

const tag = 'Mentions';

export function mentionRoutes(mentions: MentionService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/mentions/suggest',
      summary: 'Who or what could be meant by the beginning of a name.',
      tag,
      auth: 'required',
      query: suggestQuerySchema,
      answer: suggestionsSchema,
      errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'FORBIDDEN'],
      handle: async ({ actor, query }) => ({ suggestions: await mentions.suggest(actor, query) }),
    }),
    route({
      method: 'POST',
      path: '/api/mentions/resolve',
      summary: 'The mentions in a text, as they would be if it were sent.',
      tag,
      auth: 'required',
      body: resolveSchema,
      answer: resolvedSchema,
      errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'FORBIDDEN'],
      handle: async ({ actor, body }) => ({ mentions: await mentions.resolve(actor, body.channelId, body.content) }),
    }),
  ];
}
