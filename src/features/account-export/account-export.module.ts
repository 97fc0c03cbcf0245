import type { AccountsServices } from '../accounts/accounts.module.ts';
import type { BlobsServices } from '../blobs/blobs.module.ts';
import type { Context } from '../context.ts';
import type { Module } from '../module.ts';
import { accountExportRoutes } from './account-export.routes.ts';
import { AccountExportService } from './account-export.service.ts';
import { exportWork } from './export.jobs.ts';
import { ExportMails } from './export.mails.ts';
import { forgetExports } from './export.table.ts';

/** Everything that an account has here, as a ZIP file for its owner (contract §3). */
export function accountExportModule(context: Context & BlobsServices & AccountsServices) {
  const mails = new ExportMails(context);
  return {
    routes: accountExportRoutes(new AccountExportService(context)),
    jobs: [exportWork({ ...context, mails }), mails.work()],
    chores: [{ name: 'forget exports of accounts', step: forgetExports }],
  } satisfies Module;
}
