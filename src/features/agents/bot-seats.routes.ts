import { botSeatCalls } from '../../contract/bot-seat.ts';
import { done } from '../../contract/schema.ts';
import { type Route, serve } from '../../rest/route.ts';
import type { BotSeats } from './bot-seats.ts';

export function botSeatRoutes(seats: BotSeats): Route[] {
  return serve(botSeatCalls, {
    keepBot: ({ actor, params }) => seats.keep(actor, params.id, params.agentId),
    async releaseBot({ actor, params }) {
      await seats.release(actor, params.id, params.agentId);
      return done;
    },
    setBotRights: ({ actor, params, body }) => seats.setRights(actor, params.id, params.agentId, body.workspaceWrite),
  });
}
