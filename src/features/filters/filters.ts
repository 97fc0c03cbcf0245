import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ChannelWithRights } from '../../access/channel.access.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { HeldReason } from '../../contract/held.ts';
import { may } from '../../contract/roles.ts';
import { BatchedRead } from '../../database/batched-read.ts';
import { atMost, type Cache } from '../../infrastructure/cache.ts';
import type { Context } from '../context.ts';
import { type FilterEntry, type FilterFacts, joinedLately, readFilters } from './filter.table.ts';
import { type FilterScan, type Finding, ServerFilters } from './server-filters.ts';

/** What is to happen to something that others would see; nothing, where there is no verdict. */
export interface Verdict {
  action: 'refuse' | 'hold' | 'flag';
  reason: HeldReason;
  /** Null: it is held for its author alone. */
  entry: FilterEntry | null;
}

/** The place where something is said, with what the actor may do there. */
type Place = Pick<ChannelWithRights, 'serverId' | 'rights'>;

const cacheName = 'server-filters';
const maxServers = 20_000;
const maxBytes = 128 * 1024 * 1024;

/** A verdict on what is being written, piece by piece. */
export interface Watched {
  scan(): FilterScan;
  /** @returns whether what was found keeps it from others */
  bars(found: Finding): boolean;
}

/**
 * The word and link filters of servers (contract §6, Filters). Everything that others see as text asks here before it is
 * written. A server without filters costs one look-up in a cache.
 */
export class Filters {
  private readonly deps: Pick<Context, 'database' | 'caches'>;
  private readonly cache: Cache<ServerFilters>;
  private readonly reads: BatchedRead<FilterFacts>;
  /** The same filters as before need not be made ready anew when they are read again. */
  private readonly made = new LRUCache<string, { digest: string; filters: ServerFilters }>(atMost(1000));

  constructor(deps: Pick<Context, 'database' | 'caches'>) {
    this.deps = deps;
    this.reads = new BatchedRead((ids) => readFilters(deps.database.committedRows, ids));
    const load = (id: string) => this.load(id);
    // What was judged by other filters is judged again before it is committed.
    const facts = { load, lessened: () => true };
    this.cache = deps.caches.create(cacheName, maxServers, { facts, size: { max: maxBytes, of: ({ size }) => size } });
  }

  /**
   * What is to happen to texts of one message.
   * @param texts only asked for where there are filters
   */
  judge(actor: Actor, place: Place, texts: () => string[]): Verdict | null | Promise<Verdict | null> {
    const { serverId } = place;
    if (serverId === null || may(place.rights, 'message:skip-filters')) return null;
    const filters = this.of(serverId);
    if (filters instanceof Promise) return filters.then((found) => this.verdict(actor, serverId, found, texts));
    return this.verdict(actor, serverId, filters, texts);
  }

  /**
   * For what cannot wait for a moderator, such as names: what would be held is refused too.
   * @returns that it is flagged, or null
   * @throws AppError MESSAGE_REFUSED
   */
  async require(actor: Actor, place: Place, texts: string[]): Promise<Verdict | null> {
    const verdict = await this.judge(actor, place, () => texts);
    if (verdict && verdict.action !== 'flag') throw new AppError('MESSAGE_REFUSED');
    return verdict;
  }

  /** How to judge what an actor writes piece by piece; null: it may write anything. */
  async watch(actor: Actor, { serverId, rights }: Place): Promise<Watched | null> {
    if (serverId === null || may(rights, 'message:skip-filters')) return null;
    const filters = await this.of(serverId);
    if (filters === undefined || filters.isEmpty) return null;
    const isNew = filters.hours > 0 && (await this.isNew(serverId, actor.userId, filters.hours));
    return {
      scan: () => filters.scan(),
      bars: ({ entry, hasLink }) => (hasLink && isNew) || (entry !== null && entry.action !== 'flag'),
    };
  }

  /** The filters of a server; undefined: it is gone. */
  of(serverId: string): ServerFilters | undefined | Promise<ServerFilters | undefined> {
    return this.cache.get(serverId, () => this.load(serverId));
  }

  /** Makes all nodes reread the filters of a server. */
  forget(serverId: string): Promise<void> {
    return this.deps.caches.forget(cacheName, [serverId]);
  }

  private verdict(
    actor: Actor,
    serverId: string,
    filters: ServerFilters | undefined,
    texts: () => string[],
  ): Verdict | null | Promise<Verdict | null> {
    if (filters === undefined || filters.isEmpty) return null;
    const { entry, hasLink } = filters.find(texts());
    const own = entry && entry.action !== 'allow' ? ({ action: entry.action, reason: 'filter', entry } as const) : null;
    if (!hasLink || filters.hours === 0 || own?.action === 'refuse' || own?.action === 'hold') return own;
    const held = { action: 'hold', reason: 'new-member-link', entry: null } as const;
    return this.isNew(serverId, actor.userId, filters.hours).then((isNew) => (isNew ? held : own));
  }

  private isNew(serverId: string, userId: string, hours: number): Promise<boolean> {
    return joinedLately(this.deps.database.committedRows, serverId, userId, hours);
  }

  private async load(serverId: string): Promise<ServerFilters | undefined> {
    const facts = await this.reads.read(serverId);
    if (!facts) return undefined;
    const digest = createHash('sha256').update(JSON.stringify(facts)).digest('base64');
    const known = this.made.get(serverId);
    if (known?.digest === digest) return known.filters;
    const filters = await ServerFilters.of(facts);
    this.made.set(serverId, { digest, filters });
    return filters;
  }
}

/** The texts in a JSON value with the names in it, however deep they are; clients may show them. */
export function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  const waiting = [value];
  // It grows meanwhile.
  for (const one of waiting) {
    if (typeof one === 'string') texts.push(one);
    if (typeof one !== 'object' || one === null) continue;
    for (const [name, inner] of Object.entries(one)) {
      if (!Array.isArray(one)) texts.push(name);
      waiting.push(inner);
    }
  }
  return texts;
}
