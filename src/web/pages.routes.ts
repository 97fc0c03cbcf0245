import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { resetPageCalls } from '../contract/page.ts';
import { RawReply, type Route, serve } from '../rest/route.ts';

/** A self-contained page, and the policy that allows nothing else. */
export interface BuiltPage {
  html: string;
  contentSecurityPolicy: string;
}

const folder = path.join(import.meta.dirname, 'pages');
const read = (file: string) => readFileSync(path.join(folder, file), 'utf8');
const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Builds a page from `<name>.html` and `<name>.js` of the folder `pages`. */
export function buildPage(name: string, title: string): BuiltPage {
  const [style, body, script] = [read('page.css'), read(`${name}.html`), read(`${name}.js`)];
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="/app/icon.svg" type="image/svg+xml">
<style>${style}</style>
</head>
<body>
<main>
${body}</main>
<script>${script}</script>
</body>
</html>
`;
  const contentSecurityPolicy = [
    "default-src 'none'",
    `style-src ${hash(style)}`,
    `script-src ${hash(script)}`,
    "connect-src 'self'",
    "img-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html, contentSecurityPolicy };
}

/** The page of a mailed link. It does not depend on the web client. */
export function pageRoutes(): Route[] {
  const page = buildPage('reset-password', 'New password - Parley');
  return serve(resetPageCalls, {
    getResetPage: async () => new RawReply(200, headersOf(page), page.html),
  });
}

/** The address contains the secret of the mail, so nobody else may see or store it. */
function headersOf({ contentSecurityPolicy }: BuiltPage): Record<string, string> {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy,
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  };
}
