/**
 * A text of the web client, in English, which is its key: the other languages are in a file each. German stands for all of
 * them, since a test compares their keys.
 */
export type Message = keyof typeof import('./de.json', { with: { type: 'json' }})['texts'];
