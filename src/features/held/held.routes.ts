import { heldCalls } from '../../contract/held.ts';
import { done } from '../../contract/schema.ts';
import { pageReply, type Route, serve } from '../../rest/route.ts';
import type { HeldService } from './held.service.ts';

export function heldRoutes(held: HeldService): Route[] {
  return serve(heldCalls, {
    listHeld: async ({ actor, params, query }) => pageReply(await held.queue(actor, params.id, query)),
    listOwnHeld: ({ actor, params }) => held.own(actor, params.id),
    approveHeld: ({ actor, params }) => held.approve(actor, params.id),
    rejectHeld: ({ actor, params }) => held.reject(actor, params.id),
    async withdrawHeld({ actor, params }) {
      await held.withdraw(actor, params.id);
      return done;
    },
  });
}
