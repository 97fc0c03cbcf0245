import type { z } from 'zod';
import { barredServers } from '../../access/policy.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { type ListPage, listPage } from '../../contract/schema/list-page.ts';
import type { overviewSchema, SearchKind, searchOverviewSchema } from '../../contract/search.ts';
import { usernameKey } from '../../contract/username.ts';
import type { Rows } from '../../database/database.ts';
import { userOf } from '../accounts/account.view.ts';
import type { Context } from '../context.ts';
import type { FileFinder } from './file-finder.ts';
import { type Readable, readableChannels } from './find.table.ts';
import type { Indexer } from './indexer.ts';
import { peopleNamed } from './overview.table.ts';
import { type Alternatives, parsed, shortestPrefix } from './query.ts';
import { inSlices, type SearchTurns } from './turns.ts';
import { tokensOf } from './words.ts';

type Overview = z.output<typeof overviewSchema>;
type Query = z.output<typeof searchOverviewSchema>;

const mostWords = 20;

type Deps = Pick<Context, 'database' | 'serverAccess' | 'channelAccess'> & {
  indexer: Indexer;
  turns: SearchTurns;
  files: FileFinder;
};

/** What a search is in. */
interface Place {
  serverId: string | null;
  /** Channels that the actor is in. */
  readable: Readable[];
  /** Those of them that it may read. */
  channels: Readable[];
  /** Never empty. */
  alternatives: Alternatives;
}

/** People, channels and files, beside the messages that a search finds (contract §6). */
export class OverviewService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * The first of each kind.
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER; RATE_LIMITED while one's searches wait
   */
  async all(actor: Actor, query: Query): Promise<Overview> {
    const nothing: Overview = { people: [], channels: [], files: [] };
    const found = await this.in(actor, query, async (place) => {
      await this.deps.indexer.catchUp();
      const { limit } = query;
      return {
        people: (await this.people(actor, query.query, place, { limit, offset: 0 })).slice(0, limit),
        channels: (await channelsNamed(place.channels, query.query)).slice(0, limit).map(channelRecord),
        files: (await this.deps.files.page(actor, place.channels, place.alternatives, { limit })).records,
      };
    });
    return found ?? nothing;
  }

  /**
   * Those with such a name whom the actor shares a server or direct messages with.
   * @throws AppError like `all`, and INVALID_CURSOR
   */
  async peoplePage(actor: Actor, asked: SearchKind): Promise<ListPage<Overview['people'][number]>> {
    const offset = offsetOf(asked.cursor);
    const { limit } = asked;
    const found = await this.in(actor, asked, (place) => this.people(actor, asked.query, place, { limit, offset }));
    return listPage(found ?? [], limit, (one) => one);
  }

  /**
   * Channels with such a name, that the actor may read.
   * @throws AppError like `all`, and INVALID_CURSOR
   */
  async channelsPage(actor: Actor, asked: SearchKind): Promise<ListPage<Overview['channels'][number]>> {
    const offset = offsetOf(asked.cursor);
    const found = await this.in(actor, asked, (place) => channelsNamed(place.channels, asked.query));
    return listPage((found ?? []).slice(offset, offset + asked.limit + 1), asked.limit, channelRecord);
  }

  /**
   * Files with such a name or text, that the actor may read.
   * @throws AppError like `all`, and INVALID_CURSOR
   */
  async filesPage(actor: Actor, asked: SearchKind): Promise<ListPage<Overview['files'][number]>> {
    const found = await this.in(actor, asked, async ({ channels, alternatives }) => {
      await this.deps.indexer.catchUp();
      return this.deps.files.page(actor, channels, alternatives, asked);
    });
    return found ?? { records: [], hasMore: false };
  }

  /** @returns null: the query has no words */
  private in<T>(
    actor: Actor,
    query: { query: string; serverId?: string | undefined },
    search: (place: Place) => Promise<T>,
  ): Promise<T | null> {
    return this.deps.turns.run(actor.userId, async () => {
      const { database, serverAccess, channelAccess } = this.deps;
      const serverId = query.serverId === undefined ? null : (await serverAccess.joined(actor, query.serverId)).id;
      const { alternatives } = parsed(query.query, () => false);
      if (alternatives.length === 0) return null;
      const readable = await readableChannels(database.rows, actor, serverId);
      const allowed = new Set(
        await channelAccess.readableAmong(
          actor,
          readable.map(({ id }) => id),
        ),
      );
      return search({ serverId, readable, alternatives, channels: readable.filter(({ id }) => allowed.has(id)) });
    });
  }

  /** One more than `limit`. */
  private async people(
    actor: Actor,
    query: string,
    { serverId, readable }: Place,
    page: { limit: number; offset: number },
  ): Promise<Overview['people']> {
    const typed = query.replace(/^@/, '');
    // Display names are not folded: both ways of writing are asked for.
    const all = tokensOf(typed, mostWords).filter(({ kind }) => kind !== 'pair');
    const words = all.map(({ word, kind, start, end }) => {
      const raw = typed
        .slice(start, end)
        .normalize('NFC')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\p{M}]/gu, '');
      // As in texts, short words are whole ones; a letter of Chinese, Japanese or Korean begins names, and is no word in the index.
      const lexeme = (one: string) => `'${one}'${kind === 'letter' || one.length >= shortestPrefix ? ':*' : ''}`;
      return `(${lexeme(word)} | ${lexeme(raw || word)})`;
    });
    const name = { prefix: usernameKey(typed), words: words.join(' & ') };
    const found = await this.deps.database.readCurrent(async ({ rows }) => {
      const among = actor.user.isBot ? await seenByBot(rows, actor.userId, readable) : null;
      return peopleNamed(rows, name, { userId: actor.userId, serverId, among, ...page });
    });
    return found.map((row) => userOf(row.id, row));
  }
}

/** How many came before. */
function offsetOf(cursor = '0'): number {
  if (!/^\d{1,4}$/.test(cursor)) throw new AppError('INVALID_CURSOR');
  return Number(cursor);
}

/** Channels in which each word begins a word of the name, by their names. */
async function channelsNamed(channels: Readable[], typed: string): Promise<Readable[]> {
  const wanted = tokensOf(typed, mostWords);
  const fits = ({ name, serverId }: Readable) => {
    if (serverId === null) return false;
    const words = tokensOf(name, mostWords).map(({ word }) => word);
    return wanted.every(({ word }) => words.some((one) => one.startsWith(word)));
  };
  const found = (await inSlices(channels, (one) => (fits(one) ? [one] : []))).flat();
  return found.sort((a, b) => (a.name === b.name ? (a.id < b.id ? -1 : 1) : a.name < b.name ? -1 : 1));
}

const channelRecord = ({ id, serverId, name }: Readable): Overview['channels'][number] => ({ id, serverId, name });

/** The servers whose members a bot may see. */
async function seenByBot(rows: Rows, userId: string, readable: Readable[]): Promise<string[]> {
  const servers = [...new Set(readable.flatMap(({ serverId }) => serverId ?? []))];
  const barred = await barredServers(rows, userId, servers);
  return servers.filter((id) => !barred.has(id));
}
