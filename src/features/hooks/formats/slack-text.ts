import { type Json, objectsIn, ownIn, restOf, shownIn, textIn } from './json.ts';
import { code, inLine, link, quoted } from './marks.ts';

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

const unescaped = (text: string): string => text.replace(/&(?:amp|lt|gt);/g, (entity) => entities[entity] ?? entity);

/** What stands in angle brackets: links, people, channels and times. */
function reference(inside: string): string {
  const bar = inside.indexOf('|');
  const target = bar < 0 ? inside : inside.slice(0, bar);
  const label = bar < 0 ? '' : unescaped(inside.slice(bar + 1));
  if (target.startsWith('!date')) return label || inside;
  // They name nobody here: those who are told of everyone are not told by it.
  if (target.startsWith('!')) return label || `@${target.slice(1).split('^')[0]}`;
  if (target.startsWith('@')) return `@${label || target.slice(1)}`;
  if (target.startsWith('#')) return `#${label || target.slice(1)}`;
  return link(label, unescaped(target).replace(/^mailto:/, ''));
}

/** Slack's `mrkdwn` as Markdown. What is code stays as it is. */
export function fromMrkdwn(text: string): string {
  const parts = text.split(/(```[\s\S]*?```|`[^`\n]+`)/);
  return parts.map((part, index) => (index % 2 === 1 ? unescaped(part) : marked(part))).join('');
}

function marked(text: string): string {
  const pieces = text.split(/(<[^<>\n]+>)/);
  const emphasised = pieces.map((piece, index) => {
    if (index % 2 === 1) return reference(piece.slice(1, -1));
    const bold = piece.replace(/(^|[\s(>_~])\*(?=\S)([^*\n]*[^*\s])\*(?=$|[\s).,:;!?<_~])/g, '$1**$2**');
    return unescaped(bold.replace(/(^|[\s(>_*])~(?=\S)([^~\n]*[^~\s])~(?=$|[\s).,:;!?<_*])/g, '$1~~$2~~'));
  });
  return emphasised.join('');
}

/** A text object of Slack's blocks, or a bare text. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return fromMrkdwn(value);
  const [object] = objectsIn([value]);
  const text = textIn(object?.text);
  return object?.type === 'plain_text' ? text : fromMrkdwn(text);
}

/** Elements of `rich_text` by their types. */
const elements: Record<string, (element: Json) => string> = {
  text: ({ text, style }) => styled(textIn(text), style),
  link: ({ url, text }) => link(textIn(text), textIn(url)),
  user: ({ user_id: id }) => `@${textIn(id)}`,
  usergroup: ({ usergroup_id: id }) => `@${textIn(id)}`,
  team: ({ team_id: id }) => `@${textIn(id)}`,
  channel: ({ channel_id: id }) => `#${textIn(id)}`,
  broadcast: ({ range }) => `@${textIn(range)}`,
  emoji: ({ name }) => `:${textIn(name)}:`,
  color: ({ value }) => textIn(value),
  date: ({ fallback, timestamp }) => textIn(fallback) || shownIn(timestamp),
};

function styled(text: string, style: unknown): string {
  const [of = {}] = objectsIn([style]);
  const inner = text.trim();
  if (inner === '') return text;
  const start = text.length - text.trimStart().length;
  let marked = of.code === true ? code(inner) : inner;
  if (of.bold === true) marked = `**${marked}**`;
  if (of.italic === true) marked = `_${marked}_`;
  if (of.strike === true) marked = `~~${marked}~~`;
  return text.slice(0, start) + marked + text.slice(start + inner.length);
}

const inRow = (value: unknown): string =>
  objectsIn(value)
    .map((element) => ownIn(elements, textIn(element.type))?.(element) ?? restOf(element, new Set()).join(', '))
    .join('');

/** The parts of a `rich_text` block by their types. */
const sections: Record<string, (section: Json) => string> = {
  rich_text_section: ({ elements: inner }) => inRow(inner),
  rich_text_quote: ({ elements: inner }) => quoted(inRow(inner)),
  rich_text_preformatted: ({ elements: inner }) => `\`\`\`\n${inRow(inner)}\n\`\`\``,
  rich_text_list: ({ elements: inner, style, indent }) => {
    const before = '  '.repeat(typeof indent === 'number' ? Math.min(Math.max(indent, 0), 8) : 0);
    const items = objectsIn(inner).map((item, index) => {
      const text = inLine(inRow(item.elements));
      return `${before}${style === 'ordered' ? `${index + 1}.` : '-'} ${text}`;
    });
    return items.join('\n');
  },
};

export function richText(value: unknown): string {
  const parts = objectsIn(value).map(
    (section) => ownIn(sections, textIn(section.type))?.(section) ?? restOf(section, new Set()).join('\n'),
  );
  return parts.join('\n');
}
