import type { Chore } from '../../cluster/chores.ts';
import { auditCalls } from '../../contract/audit.ts';
import { clock } from '../../infrastructure/clock.ts';
import { pageReply, RawReply, serve } from '../../rest/route.ts';
import type { Context } from '../context.ts';
import { AuditService } from './audit.service.ts';
import { forgetAudit } from './audit.table.ts';

/** How many entries a step deletes. */
const batch = 500;

const forgetEntries = (days: number): Chore => ({
  name: 'forget old entries of the audit log',
  step: (rows) => forgetAudit(rows, days, clock.now(), batch),
});

export type AuditServices = ReturnType<typeof auditModule>['services'];

/** Who did what to whom (contract §5, Audit log). */
export function auditModule(context: Context) {
  const audit = new AuditService(context);
  return {
    services: { audit },
    routes: serve(auditCalls, {
      listAuditLog: async ({ actor, params, query }) => pageReply(await audit.list(actor, params.id, query)),
      async exportAuditLog({ actor, params, query }) {
        const { headers, stream } = await audit.export(actor, params.id, query);
        return new RawReply(200, headers, stream);
      },
    }),
    chores: [forgetEntries(context.settings.audit.keepDays)],
  };
}
