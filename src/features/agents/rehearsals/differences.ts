import type { z } from 'zod';
import type { differenceSchema } from '../../../contract/rehearsal.ts';
import { isoTime } from '../../../contract/schema.ts';
import type { Said } from './rehearsal.table.ts';

type DifferenceRecord = z.input<typeof differenceSchema>;

/** What a bot has sent, and what a new version of it would have in its place; one of them may be missing. */
export interface Difference extends Pick<DifferenceRecord, 'channelId' | 'threadId' | 'answersTo' | 'kind'> {
  before: Said | null;
  after: Said | null;
}

/**
 * Pairs what a bot has sent with what a new version of it would have: by what they answer, and where several answer the same,
 * or nothing, by their turn in the conversation.
 */
export function differencesOf(before: Said[], after: Said[]): Difference[] {
  const pairs = new Map<string, { before?: Said; after?: Said }>();
  for (const [key, said] of keyed(before)) pairs.set(key, { before: said });
  for (const [key, said] of keyed(after)) pairs.set(key, { ...pairs.get(key), after: said });
  return [...pairs.values()].flatMap(differenceOf).sort(inOrder);
}

function keyed(all: Said[]): [string, Said][] {
  const turns = new Map<string, number>();
  return all.map((said) => {
    const place = `${said.channelId} ${said.threadId ?? ''} ${said.answersTo ?? ''}`;
    const turn = (turns.get(place) ?? 0) + 1;
    turns.set(place, turn);
    return [`${place} ${turn}`, said];
  });
}

function differenceOf({ before = null, after = null }: Partial<Pick<Difference, 'before' | 'after'>>): Difference[] {
  const said = before ?? after;
  if (!said) return [];
  const { channelId, threadId, answersTo } = said;
  return [{ channelId, threadId, answersTo, kind: kindOf(before, after), before, after }];
}

function kindOf(before: Said | null, after: Said | null): Difference['kind'] {
  if (!after) return 'missing';
  if (!before) return 'added';
  return before.digest === after.digest ? 'same' : 'changed';
}

/** The record of one, without the text of what was deleted meanwhile. @param texts by the ids of messages */
export function differenceRecord({ before, after, ...rest }: Difference, texts: Map<string, string>): DifferenceRecord {
  const shown = (said: Said | null) =>
    said && { messageId: said.id, content: texts.get(said.id) ?? '', createdAt: isoTime(said.createdAt) };
  return { ...rest, before: shown(before), after: shown(after) };
}

/** By channel, and there by what they answer; what answers nothing comes last. */
function inOrder(one: Difference, other: Difference): number {
  if (one.channelId !== other.channelId) return one.channelId < other.channelId ? -1 : 1;
  return (one.answersTo ?? Number.MAX_SAFE_INTEGER) - (other.answersTo ?? Number.MAX_SAFE_INTEGER);
}
