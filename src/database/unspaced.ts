/**
 * Letters of writing that puts no spaces between words (Chinese, Japanese), or grows its words at their ends (Korean).
 * There each letter counts as a word, so that a message is found by any piece of it.
 */
const letters = ['\\u3005-\\u3007', '\\u3040-\\u30ff', '\\u3400-\\u4dbf', '\\u4e00-\\u9fff', '\\uac00-\\ud7af']
  .concat('\\uf900-\\ufaff', '\\uff66-\\uff9f')
  .join('');
const rare = { sql: '\\U00020000-\\U000323af', js: '\\u{20000}-\\u{323af}' };

/** What PostgreSQL takes for the beginning of a tag: it leaves out all words up to its end, as in `Promise<void>`. */
const tagBegins = '<[a-zA-Z/!?_:]';

/** SQL: whether there are such letters or tags in a text. The index has only the messages in which there are. */
export const hasUnspaced = (text: string): string => `${text} ~ '[${letters}${rare.sql}]|${tagBegins}'`;

/** SQL: a message's words with each such letter as one, those in tags too, and the id of its channel (see Message.search). */
export const unspacedWords = (content: string, channelId: string): string =>
  `(to_tsvector('simple'::regconfig, regexp_replace(${content}, '([${letters}${rare.sql}]|</?)', ' \\1 ', 'g'))
    || array_to_tsvector(array[(${channelId})::text]))`;

/**
 * Several minus signs before a word, with nothing between them but what PostgreSQL passes over: a line, as in `--help`. Each of
 * them would negate the one after it, and PostgreSQL refuses more than 32.
 */
const lines = /(?<![\p{L}\p{N}])-(?:[\s!&|():]*-)+/gu;

/** What somebody looks for, without what would make tags of it, and without lines. */
export const plainQuery = (query: string): string =>
  query.replace(/-<\/?/g, '-').replace(/<\/?/g, ' ').replace(lines, ' ');

const runs = new RegExp(`"|[${letters}${rare.js}]+`, 'gu');
const letter = new RegExp(`[${letters}${rare.js}]`, 'u');

/**
 * What somebody looks for, with each run of such letters as a phrase of them: `東京 -大阪` becomes `"東 京" -"大 阪"`.
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
