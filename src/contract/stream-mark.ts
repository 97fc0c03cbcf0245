/** The key in a message's `metadata` of a reply that ended before its end. The web client imports it without zod. */
export const streamMark = 'stream';
