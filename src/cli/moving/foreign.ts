/** What is read of an export, whatever product it is of: one stream of records, which one writer takes (docs/moving.md). */
export type ForeignRecord =
  | ForeignPerson
  | ForeignChannel
  | ForeignMembership
  | ForeignEmoji
  | ForeignThread
  | ForeignMessage
  | ForeignProblem;

/** Someone who wrote, reacted or was named there. A second record of the same key changes nothing. */
export interface ForeignPerson {
  kind: 'person';
  key: string;
  username: string;
  displayName: string;
  email: string | null;
  isBot: boolean;
  /** They had left: they are an author here, and no member. */
  isGone: boolean;
}

/** `unknown`: the export does not say who could read it. */
export type ForeignAccess = 'open' | 'private' | 'direct' | 'unknown';

/** It comes before all that belongs to it. */
export interface ForeignChannel {
  kind: 'channel';
  key: string;
  name: string;
  description: string;
  access: ForeignAccess;
  isArchived: boolean;
  /** The heading that it is listed under, by its name. */
  category?: string;
  /** Milliseconds since 1970. */
  createdAt: number | null;
}

interface ForeignMembership {
  kind: 'membership';
  channel: string;
  person: string;
}

interface ForeignEmoji {
  kind: 'emoji';
  name: string;
  /** Its picture in the archive. */
  file: string;
}

/** The name that someone gave to the thread of a message. */
interface ForeignThread {
  kind: 'thread';
  channel: string;
  root: string;
  name: string;
}

export interface ForeignFile {
  name: string;
  /** Where it is in the archive; null: it is not there. */
  path: string | null;
  /** Where it was, to be shown if it is not there. */
  url: string;
  isSpoiler: boolean;
}

export interface ForeignReaction {
  /** An emoji, or a name between colons. */
  emoji: string;
  people: string[];
  /** How many there were of whom the export does not say who they are. */
  nameless: number;
}

export interface ForeignMessage {
  kind: 'message';
  key: string;
  channel: string;
  author: string;
  /** Our Markdown, with marks for people and channels (marks.ts). */
  text: string;
  /** Milliseconds since 1970. */
  at: number;
  editedAt: number | null;
  /** The message from which the thread starts that it is in. */
  root: string | null;
  replyTo: string | null;
  isPinned: boolean;
  files: ForeignFile[];
  reactions: ForeignReaction[];
  /** It stands for one that may come elsewhere, which then counts. It comes after all others. */
  isSubstitute?: boolean;
}

/** Something that could not be taken; the import goes on. */
export interface ForeignProblem {
  kind: 'problem';
  /** What is wrong, in words that are the same for all of the kind. */
  what: string;
  place: string;
}

export const problem = (what: string, place: string): ForeignProblem => ({ kind: 'problem', what, place });

/** Nothing but what the message says of itself. */
export function plainMessage(
  said: Pick<ForeignMessage, 'key' | 'channel' | 'author' | 'text' | 'at'> & Partial<ForeignMessage>,
): ForeignMessage {
  const nothing = { editedAt: null, root: null, replyTo: null, isPinned: false, files: [], reactions: [] };
  return { ...nothing, ...said, kind: 'message' };
}
