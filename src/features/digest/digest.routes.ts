import { unsubscribeCalls } from '../../contract/unsubscribe.ts';
import { RawReply, type Route, serve } from '../../rest/route.ts';
import type { SettingsService } from '../notifications/settings.service.ts';
import { askPage, donePage, unknownPage } from './unsubscribe.page.ts';
import type { UnsubscribeLinks } from './unsubscribe-links.ts';

const shown = ({ status, headers, html }: ReturnType<typeof askPage>) => new RawReply(status, headers, html);

export function unsubscribeRoutes(links: UnsubscribeLinks, settings: SettingsService): Route[] {
  return serve(unsubscribeCalls, {
    getUnsubscribePage: async ({ query }) => shown(links.userOf(query.token ?? '') ? askPage() : unknownPage()),
    unsubscribe: async ({ query }) => {
      const userId = links.userOf(query.token ?? '');
      if (!userId) return shown(unknownPage());
      await settings.endDigests(userId);
      return shown(donePage());
    },
  });
}
