import { eventsCalls } from '../../contract/events.ts';
import { JsonText, Reply, type Route, serve } from '../../rest/route.ts';
import type { EventsService } from './events.service.ts';
import { pageText } from './events.view.ts';

export function eventsRoutes(events: EventsService): Route[] {
  return serve(eventsCalls, {
    readChannelLog: async ({ actor, params, query, signal }) =>
      new Reply(new JsonText(pageText(await events.ofChannel(actor, params.id, query, signal()), actor))),
    readOwnLog: async ({ actor, query, signal }) =>
      new Reply(new JsonText(pageText(await events.ofUser(actor, query, signal()), actor))),
  });
}
