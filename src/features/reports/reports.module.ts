import { reportCalls } from '../../contract/report.ts';
import { pageReply, Reply, serve } from '../../rest/route.ts';
import type { AccountsServices } from '../accounts/accounts.module.ts';
import type { AppsServices } from '../apps/apps.module.ts';
import type { Context } from '../context.ts';
import type { MessagesServices } from '../messages/messages.module.ts';
import type { Module } from '../module.ts';
import type { ServersServices } from '../servers/servers.module.ts';
import { DecisionService } from './decision.service.ts';
import { reportFlagged } from './flagging.ts';
import { ReportService } from './report.service.ts';
import { ReportedObjects } from './reported.ts';
import { forgetSnapshots } from './snapshot.table.ts';

export type ReportsServices = ReturnType<typeof reportsModule>['services'];

/** Reports of messages, people, servers and apps, and the decisions about them (contract §5). */
export function reportsModule(context: Context & AccountsServices & ServersServices & MessagesServices & AppsServices) {
  const reports = new ReportService({ ...context, reported: new ReportedObjects(context) });
  const decisions = new DecisionService({ ...context, reports });
  return {
    services: { reports, decisions },
    routes: serve(reportCalls, {
      async report({ actor, body }) {
        const { report, isNew } = await reports.report(actor, body);
        return isNew ? report : new Reply(report, { status: 200 });
      },
      listReports: async ({ actor, params, query }) => pageReply(await reports.ofServer(actor, params.id, query)),
      getReport: ({ actor, params }) => reports.get(actor, params.id),
      decideReport: ({ actor, params, body }) => decisions.decide(actor, params.id, body),
      escalateReport: ({ actor, params }) => decisions.escalate(actor, params.id),
    }),
    jobs: [reportFlagged],
    chores: [forgetSnapshots(context.settings.accounts.reportDays)],
  } satisfies Module;
}
