/**
 * Letters of scripts without spaces between words (Chinese, Japanese), or with suffixes on words (Korean). Each letter
 * counts as a word, so that a search finds a message by any piece of it.
 */
const letters = ['\\u3005-\\u3007', '\\u3040-\\u30ff', '\\u3400-\\u4dbf', '\\u4e00-\\u9fff', '\\uac00-\\ud7af']
  .concat('\\uf900-\\ufaff', '\\uff66-\\uff9f')
  .join('');
const rare = { sql: '\\U00020000-\\U000323af', js: '\\u{20000}-\\u{323af}' };

/** PostgreSQL takes this for the beginning of a tag, and skips all words up to its end, as in `Promise<void>`. */
const tagBegins = '<[a-zA-Z/!?_:]';

/** SQL: whether a text has such letters or tags. The index covers only messages that do. */
export const hasUnspaced = (text: string): string => `${text} ~ '[${letters}${rare.sql}]|${tagBegins}'`;

/** SQL: a message's words with each such letter as one, those in tags too, and the id of its channel (see Message.search). */
export const unspacedWords = (content: string, channelId: string): string =>
  `(to_tsvector('simple'::regconfig, regexp_replace(${content}, '([${letters}${rare.sql}]|</?)', ' \\1 ', 'g'))
    || array_to_tsvector(array[(${channelId})::text]))`;

/**
 * Several minus signs before a word, with only characters between them that PostgreSQL skips: a line, as in `--help`.
 * Each sign would negate the next, and PostgreSQL refuses more than 32.
 */
const lines = /(?<![\p{L}\p{N}])-(?:[\s!&|():]*-)+/gu;

/** A search query, without characters that would form tags, and without lines. */
export const plainQuery = (query: string): string =>
  query.replace(/-<\/?/g, '-').replace(/<\/?/g, ' ').replace(lines, ' ');

const runs = new RegExp(`"|[${letters}${rare.js}]+`, 'gu');
const letter = new RegExp(`[${letters}${rare.js}]`, 'u');

/**
 * A search query, with each run of such letters as a phrase: `東京 -大阪` becomes `"東 京" -"大 阪"`.
 * @returns null where there are none
 */
export function unspacedQuery(query: string): string | null {
  if (!letter.test(query)) return null;
  let inPhrase = false;
  return query.replace(runs, (piece, at: number) => {
    if (piece === '"') {
      inPhrase = !inPhrase;
      return piece;
    }
    const phrase = [...piece].join(' ');
    if (inPhrase) return ` ${phrase} `;
    return query[at - 1] === '-' ? `"${phrase}" ` : ` "${phrase}" `;
  });
}
