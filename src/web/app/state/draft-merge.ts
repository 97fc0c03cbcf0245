import { type Attachment, maxFiles } from './attachments.ts';

/** A message that someone has begun to write. */
export interface Begun {
  content: string;
  /** To be sent with it. */
  files: readonly Attachment[];
  /** The message that it answers. */
  replyToId: string | null;
}

export const nothing: Begun = { content: '', files: [], replyToId: null };

/** Whether there is nothing to be kept: what it would answer alone is nothing. */
export const isEmpty = ({ content, files }: Begun): boolean => content === '' && files.length === 0;

export function isSame(one: Begun, other: Begun): boolean {
  if (isEmpty(one) && isEmpty(other)) return true;
  return one.content === other.content && one.replyToId === other.replyToId && isSameFiles(one.files, other.files);
}

/**
 * What becomes of two versions that were made from one: of what only one of them changed the change, of what both did both.
 * @param base what they were made from
 * @param own the version here
 * @param newer the version of the server
 */
export function merged(base: Begun, own: Begun, newer: Begun): Begun {
  return {
    content: mergedContent(base.content, own.content, newer.content),
    files: mergedFiles(base.files, own.files, newer.files),
    replyToId: own.replyToId === base.replyToId ? newer.replyToId : own.replyToId,
  };
}

function mergedContent(base: string, own: string, newer: string): string {
  if (own === base) return newer;
  return newer === base ? own : together(newer, own);
}

function mergedFiles(base: Begun['files'], own: Begun['files'], newer: Begun['files']): Begun['files'] {
  if (isSameFiles(own, base)) return newer;
  return isSameFiles(newer, base) ? own : allOf(newer, own);
}

/** Both texts, the newer one first, unless one has the other in it. */
function together(newer: string, own: string): string {
  if (newer.includes(own)) return newer;
  return own.includes(newer) ? own : `${newer}\n${own}`;
}

function isSameFiles(some: Begun['files'], others: Begun['files']): boolean {
  return some.length === others.length && some.every(({ id }, at) => others[at]?.id === id);
}

/** The files of both, as many as a message takes. */
function allOf(newer: Begun['files'], own: Begun['files']): Begun['files'] {
  const ids = new Set(newer.map(({ id }) => id));
  return [...newer, ...own.filter(({ id }) => !ids.has(id))].slice(0, maxFiles);
}
