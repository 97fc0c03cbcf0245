import { unsubscribeCalls } from '../../contract/unsubscribe.ts';
import { RawReply, type Route, serve } from '../../rest/route.ts';
import type { Context } from '../context.ts';
import type { SettingsService } from '../notifications/settings.service.ts';
import { digestTable } from './digest.table.ts';
import { askPage, donePage, unknownPage } from './unsubscribe.page.ts';
import type { UnsubscribeLinks } from './unsubscribe-links.ts';

interface Deps {
  database: Context['database'];
  links: UnsubscribeLinks;
  settings: SettingsService;
}

const shown = ({ status, headers, html }: ReturnType<typeof askPage>) => new RawReply(status, headers, html);

/** The pages are in the language of whom the link is for, else in the browser's. */
export function unsubscribeRoutes({ database, links, settings }: Deps): Route[] {
  const languageOf = (userId: string) => digestTable.language(database.rows, userId);
  return serve(unsubscribeCalls, {
    getUnsubscribePage: async ({ query, language }) => {
      const userId = links.userOf(query.token ?? '');
      return shown(userId ? askPage((await languageOf(userId)) ?? language) : unknownPage(language));
    },
    unsubscribe: async ({ query, language }) => {
      const userId = links.userOf(query.token ?? '');
      if (!userId) return shown(unknownPage(language));
      await settings.endDigests(userId);
      return shown(donePage((await languageOf(userId)) ?? language));
    },
  });
}
