import { RawReply, type Route, rawAnswer, route } from '../rest/route.ts';
import { type BuiltPage, buildPage } from './pages.ts';

/** The page that a mailed link leads to; it works by itself, whatever becomes of the web client. */
export function pageRoutes(): Route[] {
  const page = buildPage('reset-password', 'New password - Parley');
  return [
    route({
      method: 'GET',
      path: '/app/reset-password',
      summary: 'Where a mailed link leads: set a new password.',
      tag: 'Pages',
      auth: 'none',
      produces: 'text/html',
      answer: rawAnswer,
      handle: async () => new RawReply(200, headersOf(page), page.html),
    }),
  ];
}

/** The link of the mail is in the address, so nobody else is to see or keep that. */
function headersOf({ contentSecurityPolicy }: BuiltPage): Record<string, string> {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy,
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  };
}
