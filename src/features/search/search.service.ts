import { MAX, NIL } from 'uuid';
import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { type ListPage, listPage } from '../../contract/schema/list-page.ts';
import { idCursor } from '../../contract/schema/validation.ts';
import type { foundMessageSchema, searchMessagesSchema } from '../../contract/search.ts';
import type { Reader } from '../../database/database.ts';
import type { Context } from '../context.ts';
import { concealed } from '../messages/message.reader.ts';
import { type MessageRow, messageRecord } from '../messages/message.view.ts';
import { fact } from './document.ts';
import { searchEarlier } from './earlier.ts';
import { excerptOf, Marker } from './excerpt.ts';
import type { FileTexts } from './file-texts.ts';
import { isKnownValue, narrowed } from './filters.ts';
import { fitting, isBehind, type Readable, readableChannels, readFound, type Sought } from './find.table.ts';
import { Finder, type Parts } from './finder.ts';
import type { Indexer } from './indexer.ts';
import { type Alternatives, type Operator, parsed, withoutShort, wordsParts, wordsQuery } from './query.ts';
import { inSlices, type SearchTurns } from './turns.ts';

type Query = z.output<typeof searchMessagesSchema>;
type FoundMessage = z.output<typeof foundMessageSchema>;

/** Of so many of the newest hits those that fit best are found. */
const mostFitting = 1000;
/** Up to so many places are asked for by the index, which looks for each hit in each of them. */
const mostPlaces = 8;
/** Pages that are read until one is full, where hits were deleted or edited a moment ago. */
const mostRounds = 4;

type Deps = Pick<Context, 'database' | 'serverAccess' | 'channelAccess'> & {
  indexer: Indexer;
  turns: SearchTurns;
  texts: FileTexts;
};

/** What a query comes to. */
interface Plan {
  alternatives: Alternatives;
  /** Those that may be searched, by their ids. */
  places: Map<string, Readable>;
  /** SQL of a `tsquery` of its words; null: it has none. */
  words: string | null;
  parts: Parts;
  sought: Sought;
  /** What the search by the former index takes; null: it cannot answer this. */
  earlier: { text: string; authorId: string | null } | null;
}

interface Found {
  rows: MessageRow[];
  /** There may be more, which took too long. */
  isCut: boolean;
}

/** Full-text search in the messages that the actor may read (contract §6). */
export class SearchService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * A page of messages that were found, with why.
   * @throws AppError SERVER_NOT_FOUND, CHANNEL_NOT_FOUND, NOT_A_MEMBER, INVALID_CURSOR; RATE_LIMITED while one's searches wait
   */
  messages(actor: Actor, query: Query): Promise<ListPage<FoundMessage>> {
    return this.deps.turns.run(actor.userId, async () => {
      const plan = await this.plan(actor, query);
      if (plan === null) return { records: [], hasMore: false };
      const { rows, isCut } = await this.find(plan, query);
      const { records, hasMore } = listPage(rows, query.limit, (row) => row);
      const marker = new Marker(plan.alternatives);
      const shown = await inSlices(records, async (row) => ({
        ...messageRecord(row, actor.userId),
        ...placeOf(plan.places.get(row.channel_id)),
        excerpt: await excerptOf(row, marker, this.deps.texts),
      }));
      return { records: shown, hasMore: hasMore || (isCut && shown.length > 0) };
    });
  }

  /** @returns null: there is nothing to be found */
  private async plan(actor: Actor, query: Query): Promise<Plan | null> {
    const readable = await this.where(actor, query);
    const { alternatives, operators, text } = parsed(query.query ?? '', isKnownValue);
    const given = [...operators, ...givenBy(query)];
    const words = wordsQuery(alternatives);
    if (words === null && given.length === 0) return null;
    const { database, channelAccess } = this.deps;
    const { facts, channels, isInChannels, isNothing, ...times } = await narrowed(database.rows, actor, given, {
      readable,
      timeZone: query.timeZone,
    });
    const allowed = await channelAccess.readableAmong(
      actor,
      channels.map(({ id }) => id),
    );
    if (isNothing || allowed.length === 0) return null;
    const limited = await channelAccess.limitedAmong(actor, allowed);
    // The index cannot be asked for nothing but what is not there.
    const isBound = facts.some((one) => !one.startsWith('!')) || hasWords(alternatives);
    const isNarrow = isInChannels || query.channelId !== undefined;
    const places = placesOf(actor, channels, { isNarrow, isNeeded: !isBound });
    const cursor = query.sort === 'fit' ? null : (idCursor(query.cursor)?.toLowerCase() ?? null);
    const [before = MAX] = [cursor, times.before].filter((id) => id !== null).sort();
    const others = [...facts, ...(places === null ? [] : [places])];
    return {
      alternatives,
      places: new Map(channels.map((one) => [one.id, one])),
      words,
      parts: {
        near: partsOf(alternatives, others),
        far: partsOf(withoutShort(alternatives), others),
      },
      sought: {
        channelIds: allowed,
        before,
        from: times.from ?? NIL,
        limit: query.limit + 1,
        limited: limited.length > 0 ? { channelIds: limited, bot: actor.userId } : null,
      },
      earlier: earlierOf(query, given, text),
    };
  }

  private async where(actor: Actor, query: Query): Promise<Readable[]> {
    const { serverAccess, channelAccess, database } = this.deps;
    const server = query.serverId === undefined ? null : (await serverAccess.joined(actor, query.serverId)).id;
    if (query.channelId === undefined) return readableChannels(database.rows, actor, server);
    const { id, name, serverId } = await channelAccess.readable(actor, query.channelId);
    return server === null || server === serverId ? [{ id, name, serverId }] : [];
  }

  private async find(plan: Plan, query: Query): Promise<Found> {
    const { database, indexer } = this.deps;
    await indexer.catchUp();
    return database.readCurrent(async (reader) => {
      const isFit = query.sort === 'fit' && plan.words !== null;
      const found = isFit ? await this.findFitting(reader, plan, query) : await this.findNewest(reader, plan);
      return { ...found, rows: await concealed(reader.rows, found.rows, plan.sought.limited?.bot ?? null) };
    });
  }

  private async findNewest(reader: Reader, plan: Plan): Promise<Found> {
    const { sought, earlier } = plan;
    const found: MessageRow[] = [];
    let isCut = false;
    let { before } = sought;
    for (let round = 0; round < mostRounds && found.length < sought.limit; round++) {
      const { ids, ...run } = await new Finder(reader.rows, plan.parts, { ...sought, before }).run();
      found.push(...inOrder(ids, await readFound(reader.rows, ids)));
      before = ids.at(-1) ?? before;
      isCut = run.isCut;
      if (ids.length < sought.limit) break;
    }
    if (earlier === null || !(await isBehind(reader.rows, sought.channelIds))) {
      return { rows: found.slice(0, sought.limit), isCut };
    }
    const others = await searchEarlier(reader, { ...sought, ...earlier });
    const known = new Set(found.map(({ id }) => id));
    const all = [...found, ...others.filter(({ id }) => id >= sought.from && !known.has(id))];
    return { rows: all.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, sought.limit), isCut };
  }

  private async findFitting({ rows }: Reader, plan: Plan, { cursor, limit }: Query): Promise<Found> {
    const offset = Number(cursor ?? 0);
    if (cursor !== undefined && !/^\d{1,4}$/.test(cursor)) throw new AppError('INVALID_CURSOR');
    const { ids } = await new Finder(rows, plan.parts, { ...plan.sought, limit: mostFitting }).run();
    const best = await fitting(rows, ids, plan.words ?? '', { offset, limit: limit + 1 });
    return { rows: inOrder(best, await readFound(rows, best)), isCut: false };
  }
}

/** Where something was said; a channel without a name is a direct conversation. */
export function placeOf(place: Readable | undefined): { serverId: string | null; channelName: string | null } {
  return { serverId: place?.serverId ?? null, channelName: place?.name || null };
}

function inOrder(ids: string[], rows: MessageRow[]): MessageRow[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Parameters ask as operators do. */
function givenBy(query: Query): Operator[] {
  const values = (['from', 'in', 'mentions', 'before', 'after', 'on'] as const).map(
    (name) => [name, query[name]] as const,
  );
  const lists = (['has', 'is'] as const).flatMap((name) => (query[name] ?? []).map((value) => [name, value] as const));
  const author = [['from', query.authorId] as const];
  return [...values, ...lists, ...author].flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value, isExcluded: false }],
  );
}

/**
 * SQL of the part of a query that keeps it out of places that the actor has nothing to do with; null: there are too many.
 * @param about.isNeeded nothing else limits it
 */
function placesOf(actor: Actor, channels: Readable[], about: { isNarrow: boolean; isNeeded: boolean }): string | null {
  const byChannel = channels.map(({ id }) => fact.channel(id));
  if (about.isNarrow && byChannel.length <= mostPlaces) return byChannel.join(' | ');
  const servers = new Set(channels.flatMap(({ serverId }) => serverId ?? []));
  const hasDirect = channels.some(({ serverId }) => serverId === null);
  const places = [
    ...Array.from(servers, fact.server),
    ...(hasDirect ? [fact.direct(actor.userId), fact.group(actor.userId)] : []),
  ];
  return places.length > mostPlaces && !about.isNeeded ? null : places.join(' | ');
}

/** What is excluded goes with something that is wanted: on its own it would be nearly everything. */
function partsOf(alternatives: Alternatives, facts: string[]): string[] {
  const words = wordsParts(alternatives);
  const wanted = [...(hasWords(alternatives) ? words : []), ...facts.filter((one) => !one.startsWith('!'))];
  const excluded = [...(hasWords(alternatives) ? [] : words), ...facts.filter((one) => one.startsWith('!'))];
  const [first, ...rest] = wanted;
  const together = [first, ...excluded].flatMap((part) => (part === undefined ? [] : [`(${part})`])).join(' & ');
  return [together, ...rest];
}

/** Whether all alternatives ask for some word. */
const hasWords = (alternatives: Alternatives): boolean =>
  alternatives.length > 0 && alternatives.every((terms) => terms.some(({ isExcluded }) => !isExcluded));

const earlierKnows = ['in', 'before', 'after', 'on'];

function earlierOf({ authorId, from }: Query, given: Operator[], text: string): Plan['earlier'] {
  const isAuthor = ({ name, value }: Operator) => name === 'from' && value === authorId && from === undefined;
  // The direct messages with someone are no channel that was looked up.
  const isPlace = ({ name, value }: Operator) => earlierKnows.includes(name) && !value.startsWith('@');
  const isSimple = given.every((one) => !one.isExcluded && (isPlace(one) || isAuthor(one)));
  return isSimple && text !== '' ? { text, authorId: authorId ?? null } : null;
}
