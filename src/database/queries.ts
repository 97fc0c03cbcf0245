import { type EntityManager, type InferClassEntityDB, LockMode } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import type { entities } from './entities.ts';

/** Tables go by the names of their entities, columns by those of the properties. */
const naming = {
  tableNamingStrategy: 'entity',
  columnNamingStrategy: 'property',
  convertValues: true,
} as const;

type Tables = InferClassEntityDB<(typeof entities)[number], typeof naming>;

/** Typed queries on the tables of entities: for lists and joins, where no rule needs the entities themselves. */
export type Queries = Kysely<Tables>;

/** Queries on the connection of an entity manager. */
export function queriesOf(em: EntityManager): Queries {
  return em.getKysely<Tables>(naming);
}

/** Locks a row until the commit. It is read as it is then, also where the same change has read it before. */
export const forUpdate = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;
