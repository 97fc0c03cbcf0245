import { banCalls } from '../../contract/ban.ts';
import { done } from '../../contract/schema.ts';
import { pageReply, type Route, serve } from '../../rest/route.ts';
import type { BanService } from './ban.service.ts';

export function banRoutes(bans: BanService): Route[] {
  return serve(banCalls, {
    banUser: ({ actor, params, body }) => bans.ban(actor, params.id, body),
    listBans: async ({ actor, params, query }) => pageReply(await bans.list(actor, params.id, query)),
    async liftBan({ actor, params }) {
      await bans.lift(actor, params.id, params.userId);
      return done;
    },
  });
}
