import { accountExportCalls } from '../../contract/account-export.ts';
import { contentReply } from '../../rest/content.ts';
import { type Route, serve } from '../../rest/route.ts';
import type { AccountExportService } from './account-export.service.ts';

export function accountExportRoutes(exports: AccountExportService): Route[] {
  return serve(accountExportCalls, {
    getAccountExport: ({ actor, query }) => exports.state(actor, query.begin !== 'false'),
    beginAccountExport: ({ actor }) => exports.begin(actor),
    downloadAccountExport: async ({ actor, headers }) => contentReply(await exports.open(actor), headers),
    getAccountExportLink: ({ actor }) => exports.link(actor),
    openAccountExportLink: async ({ params, query, headers }) =>
      contentReply(await exports.openByLink(params.id, query.token), headers),
  });
}
