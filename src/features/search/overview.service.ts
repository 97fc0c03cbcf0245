import { MAX, NIL } from 'uuid';
import type { z } from 'zod';
import { barredServers } from '../../access/policy.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { isoTime } from '../../contract/schema.ts';
import type { overviewSchema, searchOverviewSchema } from '../../contract/search.ts';
import { usernameKey } from '../../contract/username.ts';
import type { Rows } from '../../database/database.ts';
import { userOf } from '../accounts/account.view.ts';
import type { Context } from '../context.ts';
import { attachmentRecord, type MessageRow } from '../messages/message.view.ts';
import { fact } from './document.ts';
import { filesFound } from './excerpt.ts';
import { type Readable, readableChannels, readFound } from './find.table.ts';
import { Finder } from './finder.ts';
import type { Indexer } from './indexer.ts';
import { peopleNamed } from './overview.table.ts';
import { type Alternatives, parsed, withoutShort, wordsParts } from './query.ts';
import { inSlices, type SearchTurns } from './turns.ts';
import { tokensOf } from './words.ts';

type Query = z.output<typeof searchOverviewSchema>;
type Overview = z.output<typeof overviewSchema>;

const mostWords = 20;

type Deps = Pick<Context, 'database' | 'serverAccess' | 'channelAccess'> & { indexer: Indexer; turns: SearchTurns };

/** People, channels and files, beside the messages that a search finds (contract §6). */
export class OverviewService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER; RATE_LIMITED while one's searches wait */
  find(actor: Actor, query: Query): Promise<Overview> {
    return this.deps.turns.run(actor.userId, () => this.findNow(actor, query));
  }

  private async findNow(actor: Actor, query: Query): Promise<Overview> {
    const { database, serverAccess, channelAccess, indexer } = this.deps;
    const serverId = query.serverId === undefined ? null : (await serverAccess.joined(actor, query.serverId)).id;
    const { alternatives } = parsed(query.query, () => false);
    if (alternatives.length === 0) return { people: [], channels: [], files: [] };
    const readable = await readableChannels(database.rows, actor, serverId);
    const allowed = new Set(
      await channelAccess.readableAmong(
        actor,
        readable.map(({ id }) => id),
      ),
    );
    const channels = readable.filter(({ id }) => allowed.has(id));
    await indexer.catchUp();
    return {
      people: await this.people(actor, query, serverId, readable),
      channels: (await channelsNamed(channels, query.query)).slice(0, query.limit).map(channelRecord),
      files: await this.files(actor, channels, alternatives, query.limit),
    };
  }

  private async people(
    actor: Actor,
    { query, limit }: Query,
    serverId: string | null,
    readable: Readable[],
  ): Promise<Overview['people']> {
    const typed = query.replace(/^@/, '');
    // Display names are not folded: both ways of writing are asked for.
    const all = tokensOf(typed, mostWords).filter(({ kind }) => kind !== 'pair');
    const words = all.map(({ word, start, end }) => {
      const raw = typed
        .slice(start, end)
        .normalize('NFC')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\p{M}]/gu, '');
      return `('${word}':* | '${raw || word}':*)`;
    });
    const name = { prefix: usernameKey(typed), words: words.join(' & ') };
    const found = await this.deps.database.readCurrent(async ({ rows }) => {
      const among = actor.user.isBot ? await seenByBot(rows, actor.userId, readable) : null;
      return peopleNamed(rows, name, { userId: actor.userId, serverId, limit, among });
    });
    return found.map((row) => userOf(row.id, row));
  }

  private async files(
    actor: Actor,
    channels: Readable[],
    alternatives: Alternatives,
    limit: number,
  ): Promise<Overview['files']> {
    const channelIds = channels.map(({ id }) => id);
    if (channelIds.length === 0) return [];
    const limited = await this.deps.channelAccess.limitedAmong(actor, channelIds);
    const bot = limited.length > 0 ? { channelIds: limited, bot: actor.userId } : null;
    const sought = { channelIds, before: MAX, from: NIL, limit: 4 * limit, limited: bot };
    const parts = [...wordsParts(withoutShort(alternatives)), fact.has('file')];
    const found = await this.deps.database.readCurrent(async ({ rows }) => {
      const { ids } = await new Finder(rows, { near: parts, far: parts }, sought).run();
      return readFound(rows, ids);
    });
    const newest = found.sort((a, b) => (a.id < b.id ? 1 : -1));
    const files = await inSlices(newest, (row) => filesFound(row, alternatives).map((file) => fileRecord(row, file)));
    return files.flat().slice(0, limit);
  }
}

/** Channels in which each word begins a word of the name. */
async function channelsNamed(channels: Readable[], typed: string): Promise<Readable[]> {
  const wanted = tokensOf(typed, mostWords);
  const fits = ({ name, serverId }: Readable) => {
    if (serverId === null) return false;
    const words = tokensOf(name, mostWords).map(({ word }) => word);
    return wanted.every(({ word }) => words.some((one) => one.startsWith(word)));
  };
  return (await inSlices(channels, (one) => (fits(one) ? [one] : []))).flat();
}

const channelRecord = ({ id, serverId, name }: Readable): Overview['channels'][number] => ({ id, serverId, name });

function fileRecord(row: MessageRow, file: Parameters<typeof attachmentRecord>[0]): Overview['files'][number] {
  return {
    ...attachmentRecord(file),
    messageId: row.id,
    channelId: row.channel_id,
    threadId: row.thread_id,
    author: userOf(row.author_id, row),
    sentAt: isoTime(row.created_at),
  };
}

/** The servers whose members a bot may see. */
async function seenByBot(rows: Rows, userId: string, readable: Readable[]): Promise<string[]> {
  const servers = [...new Set(readable.flatMap(({ serverId }) => serverId ?? []))];
  const barred = await barredServers(rows, userId, servers);
  return servers.filter((id) => !barred.has(id));
}
