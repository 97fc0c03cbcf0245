import { bootstrapQuerySchema, bootstrapSchema } from '../../contract/bootstrap.ts';
import { type Route, route, uuidParam } from '../../rest/route.ts';
import type { BootstrapService } from './bootstrap.service.ts';

export function bootstrapRoutes(bootstrap: BootstrapService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/channels/:id/bootstrap',
      summary: 'Everything needed to show a channel, in one call.',
      tag: 'Channels',
      auth: 'required',
      params: { id: uuidParam('CHANNEL_NOT_FOUND', 'Id of the channel.') },
      query: bootstrapQuerySchema,
      answer: bootstrapSchema,
      errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER'],
      handle: ({ actor, params, query }) => bootstrap.open(actor, params.id, query.messagesLimit),
    }),
  ];
}
