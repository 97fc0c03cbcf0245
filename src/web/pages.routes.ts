import { RawReply, type Route, rawAnswer, route } from '../rest/route.ts';
import { type BuiltPage, buildPage } from './pages.ts';

/** The pages that mails and sign-ins at other services lead to. */
export function pageRoutes(): Route[] {
  return [
    pageRoute(
      '/app/reset-password',
      'Where a mailed link leads: set a new password.',
      'reset-password',
      'New password',
    ),
    pageRoute('/app/login', 'Where a failed sign-in at another service ends; `error` says why.', 'login', 'Sign in'),
    pageRoute(
      '/app/oauth-callback',
      'Where a sign-in at another service ends; the tokens are in the fragment, which servers never see.',
      'oauth-callback',
      'Signed in',
    ),
  ];
}

function pageRoute(path: string, summary: string, name: string, title: string): Route {
  const page = buildPage(name, `${title} - Parley`);
  return route({
    method: 'GET',
    path,
    summary,
    tag: 'Pages',
    entrance: 'anyone',
    produces: 'text/html',
    answer: rawAnswer,
    handle: async () => new RawReply(200, headersOf(page), page.html),
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
