import { isoTime } from '../../contract/schema.ts';
import { escapeHtml } from '../../infrastructure/mail-templates.ts';
import { mayShowInline } from '../../infrastructure/served-content.ts';
import type { ServerTexts } from '../../languages/server-texts.ts';
import { columnTitle } from './columns.ts';

/** A row as it is in the JSON files. */
export type ExportRecord = Record<string, unknown>;

/** A link within the archive. */
export interface PageLink {
  href: string;
  text: string;
}

/** A list of the archive, on its first page. */
export interface ListedSection {
  title: string;
  count: number;
  pages: PageLink[];
  data: PageLink[];
}

/** Nothing is loaded, and nothing runs, whatever is in the texts. */
const policy = "default-src 'none'; style-src 'unsafe-inline'";
const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1f2937}
table{border-collapse:collapse;width:100%;font-size:14px}th,td{border:1px solid #d1d5db;padding:4px 8px;text-align:start;vertical-align:top}
td,p{white-space:pre-wrap;overflow-wrap:anywhere}article{border-top:1px solid #e5e7eb;padding:8px 0}p{margin:4px 0}
.faint{color:#6b7280;font-size:14px}nav{margin:1rem 0}li{margin:4px 0}`;

/** A page that needs no network and no script. @param body HTML */
export function page({ language, direction }: ServerTexts, title: string, body: string): string {
  const shown = escapeHtml(title);
  return `<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<title>${shown}</title>
<style>${style}</style>
</head>
<body>
<h1>${isolated(title)}</h1>
${body}
</body>
</html>
`;
}

/** A page of a list, with the way back. @param content HTML */
export function listPage(said: ServerTexts, title: string, content: string): string {
  return page(said, title, `<nav><a href="../index.html">${escapeHtml(said.t('Everything'))}</a></nav>\n${content}`);
}

/** The first page. */
export function indexPage(
  said: ServerTexts,
  about: { username: string; site: string; at: Date },
  listed: ListedSection[],
): string {
  const { t } = said;
  const items = listed.map(({ title, count, pages, data }) => {
    const links = [...pages, ...data].map(({ href, text }) => `<a href="${escapeHtml(href)}">${escapeHtml(text)}</a>`);
    return `<li>${isolated(title)} <span class="faint">(${count})</span> ${links.join(' ')}</li>`;
  });
  const names = { username: aside(about.username), site: aside(about.site), time: aside(isoTime(about.at)) };
  const intro = [
    t('Everything that @{username} has at {site}, as of {time}.', names),
    t('Each list is a page to read, and JSON for programs. There are no passwords, tokens or other secrets in it.'),
    t('Files that you uploaded, or created in workspaces that you can read, are in the folder “files”.'),
    t('Keep it where only you can read it.'),
  ];
  return page(said, t('Your account'), `<p>${escapeHtml(intro.join(' '))}</p>\n<ul>\n${items.join('\n')}\n</ul>`);
}

/** The beginning of a table with these columns. */
export function tableHead(said: ServerTexts, columns: string[]): string {
  return `<table>\n<tr>${columns.map((name) => `<th>${escapeHtml(columnTitle(said, name))}</th>`).join('')}</tr>`;
}

export const tableEnd = '</table>';

export function tableRow(said: ServerTexts, record: ExportRecord): string {
  return `<tr>${Object.values(record)
    .map((value) => `<td dir="auto">${escapeHtml(textOf(said, value))}</td>`)
    .join('')}</tr>`;
}

/** A message, with its files. */
export interface ShownMessage {
  author: string;
  content: string;
  isEdited: boolean;
  createdAt: string;
  files: ShownFile[];
  forwarded: { author: string; content: string } | null;
}

interface ShownFile {
  filename: string;
  contentType: string;
  /** Where it is in the archive; null: it is not. */
  file: string | null;
}

export function messageArticle(
  { t }: ServerTexts,
  { author, content, isEdited, createdAt, files, forwarded }: ShownMessage,
): string {
  const edited = isEdited ? ` ${escapeHtml(t('(edited)'))}` : '';
  const head = `<div class="faint"><b>${isolated(author)}</b> ${isolated(createdAt)}${edited}</div>`;
  const listed = files.map((file) => `<div>${fileLink(file)}</div>`);
  const quoted = forwarded
    ? `<blockquote dir="auto">${isolated(forwarded.author)}: ${escapeHtml(forwarded.content)}</blockquote>`
    : '';
  return `<article>${head}<p dir="auto">${escapeHtml(content)}</p>${quoted}${listed.join('')}</article>`;
}

/** Only what cannot run anything is a link: other files are named, to be opened from the folder by whoever trusts them. */
function fileLink({ filename, contentType, file }: ShownFile): string {
  const name = isolated(filename);
  if (file === null) return name;
  const href = `../${file.split('/').map(encodeURIComponent).join('/')}`;
  return mayShowInline(contentType) ? `<a href="${escapeHtml(href)}">${name}</a>` : `${name} (${escapeHtml(file)})`;
}

/** Text whose direction says nothing about what is beside it. */
const isolated = (text: string): string => `<bdi>${escapeHtml(text)}</bdi>`;

/** The same within a sentence that is not HTML yet. */
const aside = (text: string): string => `\u2068${text}\u2069`;

function textOf({ t }: ServerTexts, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
