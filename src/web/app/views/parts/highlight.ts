import highlighter from 'highlight.js/lib/common';

/** A piece of code of one kind; null: nothing special. */
export interface Token {
  text: string;
  kind: string | null;
}

/** Beyond this many pieces a page would take long to draw them. */
const maxTokens = 2500;

const piece = /<span class="([^"]*)">|<\/span>|([^<]+)/g;
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };
const entity = /&(amp|lt|gt|quot|#x27);/g;

/** The name of a language as people write it; null: it is not known. */
export const nameOf = (language: string): string | null => highlighter.getLanguage(language)?.name ?? null;

/**
 * Code in pieces. The library writes them as markup, which is taken apart here: nothing is ever parsed as HTML.
 * @returns null for a language that is not known, and for what has too many pieces
 */
export function tokensOf(code: string, language: string): Token[] | null {
  if (!highlighter.getLanguage(language)) return null;
  const { value } = highlighter.highlight(code, { language, ignoreIllegals: true });
  const tokens: Token[] = [];
  const kinds: string[] = [];
  for (const [, opened, text] of value.matchAll(piece)) {
    if (opened !== undefined) kinds.push(opened.split(' ')[0] ?? '');
    else if (text === undefined) kinds.pop();
    else
      tokens.push({
        text: text.replace(entity, (_, name: string) => entities[name] ?? ''),
        kind: kinds.at(-1) ?? null,
      });
    if (tokens.length > maxTokens) return null;
  }
  return tokens;
}
