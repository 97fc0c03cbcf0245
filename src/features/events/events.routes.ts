import { logPageSchema, readLogSchema } from '../../contract/events.ts';
import { JsonText, Reply, type Route, route, uuidParam } from '../../rest/route.ts';
import type { EventsService } from './events.service.ts';
import { pageText } from './events.view.ts';

const tag = 'Events';

export function eventsRoutes(events: EventsService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/channels/:id/events',
      summary: "A channel's events after a position, oldest first; with `wait` a long poll.",
      tag,
      auth: 'required',
      params: { id: uuidParam('CHANNEL_NOT_FOUND', 'Id of the channel.') },
      query: readLogSchema,
      answer: logPageSchema,
      errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER'],
      handle: async ({ actor, params, query, signal }) =>
        new Reply(new JsonText(pageText(await events.ofChannel(actor, params.id, query, signal()), actor))),
    }),
    route({
      method: 'GET',
      path: '/api/events',
      summary: 'The events of your own room after a position, oldest first; with `wait` a long poll.',
      tag,
      auth: 'required',
      query: readLogSchema,
      answer: logPageSchema,
      handle: async ({ actor, query, signal }) =>
        new Reply(new JsonText(pageText(await events.ofUser(actor, query, signal()), actor))),
    }),
  ];
}
