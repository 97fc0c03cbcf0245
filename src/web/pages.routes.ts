import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ErrorCode } from '../contract/error-codes.ts';
import type { Language } from '../contract/languages.ts';
import { resetPageCalls } from '../contract/page.ts';
import { escapeHtml } from '../infrastructure/mail-templates.ts';
import type { Message } from '../languages/catalogue.ts';
import { type ServerTexts, serverTexts } from '../languages/server-texts.ts';
import { RawReply, type Route, serve } from '../rest/route.ts';

/** A self-contained page, and the policy that allows nothing else. */
interface BuiltPage {
  html: string;
  contentSecurityPolicy: string;
}

const folder = path.join(import.meta.dirname, 'pages');
const read = (file: string) => readFileSync(path.join(folder, file), 'utf8');
const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

interface Page {
  name: string;
  title: Message;
  /** Those that its script has a sentence for. */
  errors: readonly ErrorCode[];
}

/**
 * Builds a page in a language, from `<name>.html`, where texts are in `{{braces}}`, and `<name>.js`, where they are in
 * `t('…')`, and sentences for errors in `errors`, by their codes.
 */
function buildPage({ name, title, errors }: Page, said: ServerTexts): BuiltPage {
  const body = read(`${name}.html`).replace(/\{\{([^}]+)\}\}/g, (_, text: string) => escapeHtml(said.of(text)));
  const code = read(`${name}.js`);
  const [style, script] = [read('page.css'), `${wordsOf(code, errors, said)}${code}`];
  const html = `<!doctype html>
<html lang="${said.language}" dir="${said.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(said.t(title))} - Parley</title>
<link rel="icon" href="/app/icon.svg" type="image/svg+xml">
<style>${style}</style>
</head>
<body>
<main>
<p class="brand"><img src="/app/icon.svg" alt=""> Parley</p>
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

/** What a script says, in a language. */
function wordsOf(code: string, errors: readonly ErrorCode[], { of, errorOf }: ServerTexts): string {
  const texts = [...code.matchAll(/\bt\('([^']+)'\)/g)].map(([, text = '']) => [text, of(text)]);
  const sentences = Object.fromEntries(errors.map((one) => [one, errorOf(one) ?? undefined]));
  // Nothing in it may end the script.
  const json = (record: object) => JSON.stringify(record).replaceAll('<', '\\u003c');
  return [
    `const texts = ${json(Object.fromEntries(texts))};`,
    `const errors = ${json(sentences)};`,
    'const t = (text) => texts[text];\n',
  ].join('\n');
}

const resetPage: Page = {
  name: 'reset-password',
  title: 'New password',
  errors: ['PASSWORD_RESET_TOKEN_INVALID', 'ACCOUNT_SUSPENDED', 'RATE_LIMITED', 'SERVER_BUSY'],
};

/** The page of a mailed link. It does not depend on the web client. */
export function pageRoutes(): Route[] {
  const pages = new Map<Language, BuiltPage>();
  const pageIn = (language: Language): BuiltPage => {
    const page = pages.get(language) ?? buildPage(resetPage, serverTexts(language));
    pages.set(language, page);
    return page;
  };
  return serve(resetPageCalls, {
    getResetPage: async ({ language }) => {
      const page = pageIn(language ?? 'en');
      return new RawReply(200, headersOf(page), page.html);
    },
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
