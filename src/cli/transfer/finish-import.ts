import type { Rows } from '../../database/database.ts';
import { closeUnattended } from '../../jobs/poll.jobs.ts';
import { expireUnattended } from '../../jobs/retention.jobs.ts';
import type { Settings } from '../../settings/settings.ts';
import { TransferError } from './failure.ts';
import { countImported, findWrong, hasWrongBots, isDeeper } from './import-checks.table.ts';
import type { ImportedIds } from './imported-ids.table.ts';

/** Computes counts, and runs the checks that need the whole import. @throws TransferError */
export async function finishImport(
  rows: Rows,
  imported: ImportedIds,
  serverId: string,
  { maxDepth }: Settings['workspace'],
): Promise<void> {
  if (!(await imported.isOnlyServer(serverId))) {
    throw new TransferError('servers.jsonl: it has to be the one server of the manifest.');
  }
  await countImported(rows, serverId);
  await expireUnattended(rows);
  await closeUnattended(rows);
  const sentence = await findWrong(rows, serverId);
  if (sentence) throw new TransferError(sentence);
  if (await hasWrongBots(rows)) {
    throw new TransferError('agents.jsonl: a bot is a person, or belongs to a bot.');
  }
  // Code that walks trees relies on a limited depth.
  if (await isDeeper(rows, serverId, maxDepth)) {
    throw new TransferError(`workspace-nodes.jsonl: folders are more than ${maxDepth} deep.`);
  }
}
