import type { Chore } from '../../cluster/chores.ts';
import { handoverCalls } from '../../contract/handover.ts';
import { done } from '../../contract/schema.ts';
import { serve } from '../../rest/route.ts';
import type { AccountsServices } from '../accounts/accounts.module.ts';
import type { AgentsServices } from '../agents/agents.module.ts';
import type { Context } from '../context.ts';
import type { ServersServices } from '../servers/servers.module.ts';
import { HandoverService } from './handover.service.ts';
import { forgetExpired } from './handover.table.ts';

export type HandoversServices = ReturnType<typeof handoversModule>['services'];

const forgetOffers: Chore = { name: 'forget expired offers', step: forgetExpired };

/** Handing servers and agents over to someone who accepts (contract §5). */
export function handoversModule(context: Context & AccountsServices & ServersServices & AgentsServices) {
  const handovers = new HandoverService(context);
  return {
    services: { handovers },
    routes: serve(handoverCalls, {
      listHandovers: ({ actor }) => handovers.list(actor),
      offerHandover: ({ actor, body }) => handovers.offer(actor, body),
      acceptHandover: async ({ actor, params }) => ({ ...done, handover: await handovers.accept(actor, params.id) }),
      async declineHandover({ actor, params }) {
        await handovers.decline(actor, params.id);
        return done;
      },
      async withdrawHandover({ actor, params }) {
        await handovers.withdraw(actor, params.id);
        return done;
      },
    }),
    chores: [forgetOffers],
  };
}
