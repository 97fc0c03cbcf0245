import { resetPageCalls } from '../contract/page.ts';
import { RawReply, type Route, serve } from '../rest/route.ts';
import { type BuiltPage, buildPage } from './pages.ts';

/** The page that a mailed link leads to; it works by itself, whatever becomes of the web client. */
export function pageRoutes(): Route[] {
  const page = buildPage('reset-password', 'New password - Parley');
  return serve(resetPageCalls, {
    getResetPage: async () => new RawReply(200, headersOf(page), page.html),
  });
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
