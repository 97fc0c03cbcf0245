import { usersByIds } from '../../access/user.table.ts';
import type { SmallUser } from '../../contract/actor.ts';
import { BatchedRead } from '../../database/batched-read.ts';
import type { Cache } from '../../infrastructure/cache.ts';
import { userCache } from '../accounts/identity.ts';
import type { Context } from '../context.ts';

/**
 * Authors of messages, also of those whose account is gone. Pages of a channel have few authors, most of whom wrote other
 * pages too: from here they cost nothing, and a join of their rows costs as much as the page.
 */
export class Authors {
  private readonly known: Cache<SmallUser>;
  private readonly reading: BatchedRead<SmallUser>;

  constructor({ caches, database }: Pick<Context, 'caches' | 'database'>) {
    this.known = caches.create('authors', 50_000, { clearedWith: [userCache] });
    this.reading = new BatchedRead((ids) => usersByIds(database.committedRows, ids));
  }

  /** By id. Those that are not known are read in one statement. */
  async of(ids: Iterable<string>): Promise<ReadonlyMap<string, SmallUser>> {
    const authors = new Map<string, SmallUser>();
    const missing: Promise<unknown>[] = [];
    for (const id of new Set(ids)) {
      const author = this.known.get(id, () => this.reading.read(id));
      if (author instanceof Promise) missing.push(author.then((read) => read && authors.set(id, read)));
      else if (author) authors.set(id, author);
    }
    await Promise.all(missing);
    return authors;
  }
}
