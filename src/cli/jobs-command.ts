import { z } from 'zod';
import { validated } from '../contract/schema/validation.ts';
import { idSchema } from '../contract/schema.ts';
import type { Rows } from '../database/database.ts';
import { jobTable } from '../jobs/job.table.ts';
import { type Command, requiredArgument } from './command.ts';

const limitSchema = z.object({ limit: z.coerce.number().int().min(1).max(10_000).default(50) });
const actionSchema = z.object({ action: z.enum(['retry', 'discard']).optional() });
const idsSchema = z.object({ id: idSchema });

/** What waits in the queue of jobs, and what was given up. */
export const jobsCommand: Command = {
  usage: 'jobs [retry|discard] [id|all] [--limit <number>]',
  summary: 'list how many jobs wait and which are dead; run a dead one again, or all; delete one',
  async run({ args, options, database: { rows }, services: { jobDesk }, print }) {
    const { action } = validated(actionSchema, { action: args[0] });
    if (action === undefined) return list(rows, validated(limitSchema, { limit: options.limit }).limit, print);
    const name = requiredArgument(args, 1, 'id');
    if (action === 'retry') {
      const id = name === 'all' ? null : validated(idsSchema, { id: name }).id;
      const count = await jobDesk.retry('cli', id);
      print(count === 1 ? 'One dead job runs again.' : `${count} dead jobs run again.`);
      return;
    }
    await jobDesk.discard('cli', validated(idsSchema, { id: name }).id);
    print('The dead job is deleted.');
  },
};

async function list(rows: Rows, most: number, print: (line: string) => void): Promise<void> {
  const kinds = await jobTable.summary(rows);
  for (const { kind, waiting, failing, dead, oldestSeconds } of kinds) {
    const age = `oldest ${Math.round(oldestSeconds)} s`;
    print([kind, `${waiting} waiting`, `${failing} of them failing`, age, `${dead} dead`].join('  '));
  }
  if (kinds.length === 0) print('There are none.');
  for (const { id, kind, diedAt, attempts, error } of await jobTable.dead(rows, most)) {
    print([id, kind, diedAt, `${attempts} attempts`, error ?? ''].join('  '));
  }
}
