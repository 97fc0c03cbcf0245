import { maxCategories } from '../../contract/category.ts';
import { AppError } from '../../contract/errors.ts';
import { nameFrom } from '../../contract/schema.ts';
import { Category } from '../../database/entities/channel.entity.ts';
import { Server } from '../../database/entities/server.entity.ts';
import { forUpdate } from '../../database/queries.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { Work } from './work.ts';

/**
 * Makes the categories that channels of an export are in, below those of the server; one that has the name there is taken.
 * @returns finds the id of a category by its name in the export; null: none
 */
export async function writeCategories(work: Work, names: string[]): Promise<(name: string | null) => string | null> {
  const { changes, services, serverId } = work;
  const wanted = [...new Set(names.map(nameOf))].filter((name) => name !== '');
  const known = await changes.run(async (change) => {
    const server = await change.em.findOne(Server, serverId, forUpdate);
    if (!server) throw new AppError('SERVER_NOT_FOUND');
    const there = await change.em.find(Category, { serverId }, { orderBy: { position: 'asc' } });
    const byName = new Map(there.map(({ name, id }) => [name, id]));
    const missing = wanted.filter((name) => !byName.has(name));
    const room = Math.max(0, maxCategories - there.length);
    const first = (there.at(-1)?.position ?? -1) + 1;
    for (const [at, name] of missing.slice(0, room).entries()) {
      const made = change.em.create(Category, { id: newId(), serverId, name, position: first + at });
      byName.set(name, made.id);
    }
    if (missing.length > 0 && room > 0) {
      server.categoriesVersion++;
      await change.em.flush();
      await services.audience.publish(change, { serverId, channelId: null });
    }
    return byName;
  });
  for (const name of wanted.filter((one) => !known.has(one)))
    work.report.problem(`a category was left out: a server has at most ${maxCategories}`, name);
  return (name) => (name === null ? null : (known.get(nameOf(name)) ?? null));
}

const nameOf = (name: string): string => nameFrom(name, 100);
