/** So much is read of a text that has spoilers: they are told from the rest only with their ends. */
const spoiled = 2000;

/**
 * SQL of the beginning of what a message says: its text, or else what its poll asks, or what it forwards. Most messages cost no
 * look-up.
 * @param message the alias of its row
 */
const selectSaid = (message: string, most: number): string => `left(CASE
    WHEN ${message}.content = '' AND ${message}.has_extras
      THEN coalesce((SELECT p.question FROM polls p WHERE p.message_id = ${message}.id),
        (SELECT f.content FROM message_forwards f WHERE f.message_id = ${message}.id), '')
    ELSE ${message}.content END, ${most})`;

/** SQL of the same without what it forwards, which is its author's. */
export const selectWritten = (message: string, most: number): string => `left(CASE
    WHEN ${message}.content = '' AND ${message}.has_extras
      THEN coalesce((SELECT p.question FROM polls p WHERE p.message_id = ${message}.id), '')
    ELSE ${message}.content END, ${most})`;

/**
 * SQL for what others may quote of a message, to be shown by `quoteOf` of contract/quote.ts: the beginning of what it says,
 * with room for spoilers.
 * @param message the alias of its row
 */
export const selectQuoted = (message: string): string => `CASE
    WHEN ${message}.content = '' OR position('||' IN ${message}.content) > 0 THEN ${selectSaid(message, spoiled)}
    ELSE left(${message}.content, 201) END`;
