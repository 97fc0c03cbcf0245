import { Parser } from 'htmlparser2';

/** A piece of HTML: a text, or an element with what is in it. */
interface Tag {
  name: string;
  given: Record<string, string>;
  inside: Markup[];
}
type Markup = string | Tag;

/** Larger pages are pasted as they are. */
const maxHtml = 400_000;
const maxDepth = 60;

/** What is copied with a text, and not part of it. */
const hidden = new Set(['head', 'title', 'meta', 'link', 'style', 'script', 'template', 'button', 'svg', 'noscript']);
const blocks = new Set([
  ...['p', 'div', 'section', 'article', 'main', 'header', 'footer', 'aside', 'figure', 'figcaption', 'address'],
  ...['dl', 'dt', 'dd', 'form', 'fieldset', 'body', 'html', 'details', 'summary', 'nav', 'center'],
]);

/** HTML from the clipboard as Markdown. @param plain the same as text, which is the answer where there is nothing to format */
export function markdownOf(html: string, plain: string): string {
  if (html.length > maxHtml) return plain;
  const root = treeOf(html);
  // Editors of code copy lines with colours: they are text.
  if (isCode(root)) return plain;
  const text = tidy(blocksOf(root.inside));
  return text === '' ? plain : text;
}

function treeOf(html: string): Tag {
  const root: Tag = { name: '', given: {}, inside: [] };
  const path = [root];
  const parser = new Parser(
    {
      onopentag(name, given) {
        const element: Tag = { name, given, inside: [] };
        // What is deeper than anyone reads is left out.
        if (path.length <= maxDepth) path.at(-1)?.inside.push(element);
        path.push(element);
      },
      ontext(text) {
        path.at(-1)?.inside.push(text);
      },
      onclosetag() {
        if (path.length > 1) path.pop();
      },
    },
    { decodeEntities: true },
  );
  parser.end(html);
  return root;
}

const styleOf = ({ given }: Tag): string => (given.style ?? '').toLowerCase().replace(/\s/g, '');
const isElement = (node: Markup): node is Tag => typeof node !== 'string';

/** Whether all that is copied is in one box of fixed width. */
function isCode({ inside }: Tag): boolean {
  const elements = inside.filter(isElement).filter(({ name }) => !hidden.has(name));
  const [only] = elements;
  if (!only || elements.length > 1 || only.name === 'pre') return false;
  if (/font-family:[^;]*(?:mono|consolas|menlo|courier)/.test(styleOf(only))) return true;
  return ['html', 'body', 'div'].includes(only.name) && isCode(only);
}

interface Block {
  text: string;
  /** How many lines end between it and its neighbours, at least. */
  gap: 1 | 2;
}

/** What stands on lines of its own, with empty lines between paragraphs. */
function blocksOf(nodes: readonly Markup[]): string {
  const found: Block[] = [];
  let line: Markup[] = [];
  const endLine = () => {
    const text = inlineOf(line)
      .replace(/ *\n */g, '\n')
      .trim();
    if (text !== '') found.push({ text, gap: 1 });
    line = [];
  };
  for (const node of nodes) {
    const block = isElement(node) ? blockOf(node) : null;
    if (block === null) line.push(node);
    else {
      endLine();
      if (block.text !== '' || isEmptyLine(node)) found.push(block);
    }
  }
  endLine();
  return found
    .map(({ text, gap }, at) => '\n'.repeat(at === 0 ? 0 : Math.max(gap, found[at - 1]?.gap ?? 0)) + text)
    .join('');
}

const isEmptyLine = (node: Markup): boolean =>
  isElement(node) && node.inside.some((inner) => isElement(inner) && inner.name === 'br');

/** An element as a block; null: it is a part of a line. */
function blockOf(element: Tag): Block | null {
  const { name, inside } = element;
  const level = /^h([1-6])$/.exec(name)?.[1];
  if (level) return { text: `${'#'.repeat(Math.min(Number(level), 4))} ${flat(inside)}`, gap: 2 };
  if (name === 'ul' || name === 'ol') return { text: listOf(element), gap: 2 };
  if (name === 'blockquote') return { text: quoted(tidy(blocksOf(inside))), gap: 2 };
  if (name === 'pre') return { text: fence(element), gap: 2 };
  if (name === 'table') return tableOf(element);
  if (name === 'hr') return { text: '---', gap: 2 };
  if (name === 'p') return { text: paragraph(element), gap: isItem(element) ? 1 : 2 };
  const isBlock = blocks.has(name) || (isWrapper(name) && inside.some((node) => isElement(node) && isApart(node)));
  return isBlock ? { text: blocksOf(inside), gap: 1 } : null;
}

/** What some put around whole documents, though it is for words. */
const isWrapper = (name: string): boolean => name === 'b' || name === 'span' || name === 'a';
const isApart = ({ name }: Tag): boolean => blocks.has(name) || /^(?:h[1-6]|ul|ol|table|pre|blockquote|hr)$/.test(name);

/** Word writes the items of its lists as paragraphs, each with its sign in a part that is to be ignored. */
const isItem = (element: Tag): boolean => /mso-list:l\d/.test(styleOf(element));

function paragraph(element: Tag): string {
  if (!isItem(element)) return blocksOf(element.inside);
  const isSign = (node: Markup): boolean =>
    isElement(node) && (styleOf(node).includes('mso-list:ignore') || node.inside.some(isSign));
  const sign = element.inside.filter(isSign).map(textOf).join('').trim();
  const level = Number(/level(\d)/.exec(styleOf(element))?.[1] ?? 1);
  const rest = element.inside.filter((node) => !isSign(node));
  const number = /^(\d+)[.)]/.exec(sign)?.[1];
  return `${'  '.repeat(level - 1)}${number ? `${number}.` : '-'} ${flat(rest)}`;
}

function listOf({ name, given, inside }: Tag): string {
  let number = Number(given.start) || 1;
  const lines = inside.filter(isElement).map((item) => {
    // A list directly within a list belongs to the item before.
    if (item.name === 'ul' || item.name === 'ol') return indented(listOf(item), '  ');
    const sign = name === 'ol' ? `${number++}.` : '-';
    const text = tidy(blocksOf(item.inside)).replace(/\n{2,}/g, '\n');
    return `${sign} ${boxOf(item)}${indented(text, '   '.slice(0, sign.length + 1)).trimStart()}`;
  });
  return lines.filter((line) => line.trim() !== '').join('\n');
}

/** The box of an item that can be ticked. */
function boxOf({ inside }: Tag): string {
  const box = inside.filter(isElement).find(({ name, given }) => name === 'input' && given.type === 'checkbox');
  return box ? `[${'checked' in box.given ? 'x' : ' '}] ` : '';
}

const indented = (text: string, by: string): string => text.replace(/^(?=.)/gm, by);
const quoted = (text: string): string => text.replace(/^/gm, '> ');

function fence(element: Tag): string {
  const within = element.inside.filter(isElement).find(({ name }) => name === 'code');
  const classes = `${element.given.class ?? ''} ${within?.given.class ?? ''}`;
  const language = /(?:language|lang|highlight-source)-([\w+#-]+)/.exec(classes)?.[1] ?? '';
  return `\`\`\`${language}\n${textOf(element).replace(/\n$/, '')}\n\`\`\``;
}

/** A table with one cell is only there to place something. */
function tableOf(table: Tag): Block {
  const rows = found(table, 'tr').map((row) =>
    row.inside
      .filter(isElement)
      .filter(({ name }) => name === 'td' || name === 'th')
      .map(({ inside }) => flat(inside).replaceAll('|', '\\|')),
  );
  const width = Math.max(0, ...rows.map(({ length }) => length));
  if (width < 2) return { text: blocksOf(found(table, 'td').flatMap(({ inside }) => inside)), gap: 1 };
  const line = (cells: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, at) => cells[at] ?? '').join(' | ')} |`;
  const [head = [], ...rest] = rows;
  return { text: [line(head), line(Array(width).fill('---')), ...rest.map(line)].join('\n'), gap: 2 };
}

function found(element: Tag, name: string): Tag[] {
  return element.inside
    .filter(isElement)
    .flatMap((one) => (one.name === name ? [one] : one.name === 'table' ? [] : found(one, name)));
}

/** On one line. */
const flat = (nodes: readonly Markup[]): string => blocksOf(nodes).replace(/\s+/g, ' ').trim();

function inlineOf(nodes: readonly Markup[]): string {
  return nodes.map((node) => (isElement(node) ? wordsOf(node) : node.replace(/[\s\u00a0]+/g, ' '))).join('');
}

function wordsOf(element: Tag): string {
  const { name, given, inside } = element;
  if (name === 'br') return '\n';
  if (hidden.has(name)) return '';
  // The emoji of servers are pictures that are called as they are written.
  if (name === 'img') return /^:[a-z\d_+-]+:$/.test(given.alt ?? '') ? (given.alt ?? '') : '';
  if (/^(?:code|kbd|samp|tt)$/.test(name)) return coded(textOf(element));
  const text = inlineOf(inside);
  if (name === 'a') return linkOf(text, given);
  const style = styleOf(element);
  const isBold = /^(?:b|strong)$/.test(name)
    ? !/font-weight:(?:normal|400)/.test(style)
    : /font-weight:(?:bold|[6-9]00)/.test(style);
  const isItalic = /^(?:i|em)$/.test(name) ? !/font-style:normal/.test(style) : /font-style:italic/.test(style);
  const isStruck = /^(?:s|strike|del)$/.test(name) || style.includes('line-through');
  const signs = `${isStruck ? '~~' : ''}${isBold ? '**' : ''}${isItalic ? '*' : ''}`;
  return wrapped(text, signs);
}

/** Signs count beside letters alone, and on one line. */
function wrapped(text: string, signs: string): string {
  if (signs === '') return text;
  const end = [...signs].reverse().join('');
  return text.replace(/[^\n]+/g, (line) => {
    const inner = line.trim();
    return inner === '' ? line : line.replace(inner, () => `${signs}${inner}${end}`);
  });
}

function coded(text: string): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  if (plain === '') return '';
  return plain.includes('`') ? `\`\` ${plain} \`\`` : `\`${plain}\``;
}

function linkOf(text: string, { href = '', class: kind = '' }: Record<string, string>): string {
  const label = text.trim();
  if (label === '' || !/^https?:\/\//i.test(href) || kind.split(' ').includes('mention')) return text;
  if (label === href || `${label}/` === href) return text.replace(label, () => href);
  // Such a label could not be told from the end of the link.
  if (/[[\]\n]/.test(label)) return text;
  return text.replace(label, () => `[${label}](${href.replaceAll('(', '%28').replaceAll(')', '%29')})`);
}

function textOf(node: Markup): string {
  if (!isElement(node)) return node;
  if (node.name === 'br') return '\n';
  return hidden.has(node.name) ? '' : node.inside.map(textOf).join('');
}

const tidy = (text: string): string =>
  text
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
