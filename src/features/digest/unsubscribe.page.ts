import { createHash } from 'node:crypto';
import type { Language } from '../../contract/languages.ts';
import { escapeHtml } from '../../infrastructure/mail-templates.ts';
import type { Message } from '../../languages/catalogue.ts';
import { serverTexts } from '../../languages/server-texts.ts';

/** The looks of the web client (src/web/app/style/base.css). */
const style = `:root{color-scheme:light dark}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:24px 16px;box-sizing:border-box;background:light-dark(#edf4f2,#182328);color:light-dark(#15262b,#e3edee);font:.9375rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:26rem;padding:32px;border:1px solid light-dark(#d7e2e0,#2c3b41);border-radius:24px;background:light-dark(#fff,#1f2c32)}
h1{font-size:1.25rem;line-height:1.3;margin:0 0 .5rem}
button{font:inherit;font-weight:600;padding:11px 16px;border:1px solid transparent;border-radius:10px;background:light-dark(#00736f,#66c4be);color:light-dark(#fff,#0b1719);cursor:pointer}
button:focus-visible{outline:2px solid light-dark(#00736f,#66c4be);outline-offset:2px}`;

const styleHash = createHash('sha256').update(style).digest('base64');

/** The address contains what ends the mails, so nobody else may see or store it. A form is all that the page can do. */
const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

/** A page as it is answered. */
interface Page {
  status: number;
  headers: Record<string, string>;
  html: string;
}

interface Texts {
  title: Message;
  text: Message;
  /** Of the button that sends the form; the form goes to the page's own address. */
  button?: Message;
}

/** Asks first: what looks at links in mails only opens them. */
export const askPage = (language: Language | null): Page =>
  page(language, 200, {
    title: 'No more mails about what you missed?',
    text: 'You will still find everything in Parley. You can turn them on again in your settings.',
    button: 'Send no more',
  });

export const donePage = (language: Language | null): Page =>
  page(language, 200, {
    title: 'You get no more of these mails',
    text: 'You can turn them on again in your settings, under “Notifications”.',
  });

export const unknownPage = (language: Language | null): Page =>
  page(language, 404, {
    title: 'This link is not complete',
    text: 'Open it from the mail once more, or turn these mails off in your settings, under “Notifications”.',
  });

function page(language: Language | null, status: number, { title, text, button }: Texts): Page {
  const { language: spoken, direction, t } = serverTexts(language);
  const say = (message: Message) => escapeHtml(t(message));
  const form = button === undefined ? '' : `<form method="post"><button type="submit">${say(button)}</button></form>`;
  const html = `<!doctype html>
<html lang="${spoken}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${say(title)} - Parley</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${say(title)}</h1>
<p>${say(text)}</p>
${form}
</main>
</body>
</html>
`;
  return { status, headers, html };
}
