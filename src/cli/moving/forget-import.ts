import { isUuid } from '../../contract/schema.ts';
import type { Database } from '../../database/database.ts';
import { TransferError } from '../transfer/failure.ts';
import { deleteImport, deleteUnfinished, importById, importChannels } from './imports.table.ts';

/** Removes what an import that was not finished has read, and the messages of channels that are not complete. @throws TransferError */
export async function forgetImport(database: Database, id: string): Promise<void> {
  const { rows } = database;
  const row = isUuid(id) ? await importById(rows, id) : undefined;
  if (!row) throw new TransferError(`There is no import ${id}.`);
  if (row.isFinished)
    throw new TransferError('This import is finished: it stays known, so that placeholders can be claimed.');
  const channels = (await importChannels(rows, id)).filter(({ state }) => state === 'writing');
  for (const { channelId } of channels) {
    while ((await database.transaction((transaction) => deleteUnfinished(transaction.rows, channelId))) > 0);
  }
  await deleteImport(rows, id);
}
