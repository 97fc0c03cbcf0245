import { operatorCalls } from '../../contract/operator.ts';
import { done } from '../../contract/schema.ts';
import { pageReply, serve } from '../../rest/route.ts';
import type { AccountsServices } from '../accounts/accounts.module.ts';
import type { AuditServices } from '../audit/audit.module.ts';
import type { Context } from '../context.ts';
import type { Module } from '../module.ts';
import type { ReportsServices } from '../reports/reports.module.ts';
import { OperatorDesk } from './operator-desk.ts';

/** What operators do from within the installation: reports, suspensions and bans (contract §3). */
export function operatorsModule(context: Context & AccountsServices & ReportsServices & AuditServices) {
  const { reports, decisions } = context;
  const operatorDesk = new OperatorDesk(context);
  return {
    services: { operatorDesk },
    routes: serve(operatorCalls, {
      listOperatorReports: async ({ actor, query }) => pageReply(await reports.ofOperators(actor, query)),
      getOperatorReport: ({ actor, params }) => reports.getForOperator(actor, params.id),
      decideOperatorReport: ({ actor, params, body }) => decisions.decideAsOperator(actor, params.id, body),
      searchUsers: ({ actor, query }) => operatorDesk.users(actor, query),
      async suspendUser({ actor, params, body }) {
        await operatorDesk.suspend(actor, params.id, body);
        return done;
      },
      async endSuspension({ actor, params }) {
        await operatorDesk.unsuspend(actor, params.id);
        return done;
      },
      listInstanceBans: async ({ actor, query }) => pageReply(await operatorDesk.bansFor(actor, query)),
      listOperatorAudit: async ({ actor, query }) => pageReply(await operatorDesk.log(actor, query)),
      banFromInstance: ({ actor, body }) => operatorDesk.ban(actor, body),
      async liftInstanceBan({ actor, params }) {
        await operatorDesk.lift(actor, params.id);
        return done;
      },
    }),
  } satisfies Module;
}
