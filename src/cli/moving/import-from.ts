import path from 'node:path';
import { isUniqueViolation } from '../../database/failures.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { Input } from '../command.ts';
import { TransferError } from '../transfer/failure.ts';
import { writeChannels } from './channels.ts';
import { type Choices, choicesSchema, type Product } from './choices.ts';
import { channelNames, finishImport, type ImportRow, importsOf, insertImport, keepReport } from './imports.table.ts';
import { openArchive } from './open-archive.ts';
import { writeEmoji } from './own-emoji.ts';
import { writePeople } from './people.ts';
import { Progress } from './progress.ts';
import { Report, reportSchema } from './report.ts';
import { Scan } from './scan.ts';
import { createServer } from './server.ts';
import { countStaged, forgetStaged } from './staging.table.ts';

/** What is to be imported, and where to. */
interface Order {
  product: Product;
  path: string;
  /** The server that it goes into; null: a new one, by the choices. */
  serverId: string | null;
  choices: Choices;
  maxBytes: number | null;
  isRehearsal: boolean;
}

type Deps = Pick<Input, 'database' | 'changes' | 'services' | 'settings' | 'print'>;

/** Ends the transaction of a dry run, so that nothing of it stays. */
class Rehearsed extends Error {}

/**
 * Takes an export of another product over into a server (docs/moving.md): a first pass reads it, a second writes it. If it is
 * ended anywhere, the same command goes on where it was.
 * @throws TransferError with one sentence for the operator, AppError
 */
export async function importFrom(deps: Deps, order: Order): Promise<void> {
  const archive = await openArchive(path.resolve(order.path), order.maxBytes);
  const progress = new Progress(deps.print);
  try {
    const { rows } = deps.database;
    const begun = order.isRehearsal
      ? undefined
      : begunOf(order, await importsOf(rows, order.product, archive.fingerprint));
    const { id, choices, report } = begun ? continued(begun, deps) : await read(deps, order, archive, progress);
    if (id === null) return show(deps, report, 'Nothing was written. The export has:');
    const serverId = begun?.serverId ?? order.serverId ?? (await created(deps, id, choices));
    const work = { ...deps, id, product: order.product, serverId, choices, report, archive, progress };
    await writePeople(work);
    const emoji = await writeEmoji(work);
    await writeChannels(work, emoji, await countStaged(rows, id, 'message'));
    await deps.database.longTransaction(
      async (rows) => {
        // Places in the export name people.
        await keepReport(rows, id, { counts: report.counts, problems: {} });
        await forgetStaged(rows, id);
        await finishImport(rows, id);
      },
      { snapshot: false },
    );
    progress.clear();
    show(deps, report, `Imported into the server ${serverId}:`);
    deps.print('docs/moving.md says how people get into their accounts.');
  } finally {
    progress.clear();
    archive.close();
  }
}

function show({ print }: Deps, report: Report, title: string): void {
  print(title);
  for (const line of report.lines()) print(line);
}

/** The import of the same export to the same place that was not finished. @throws TransferError when one was */
function begunOf({ serverId, choices }: Order, known: ImportRow[]): ImportRow | undefined {
  for (const row of known) {
    const { created } = choicesSchema.parse(row.choices);
    const isSame = serverId ? row.serverId === serverId && !created : created?.name === choices.created?.name;
    if (isSame && !row.isFinished) return row;
    if (!row.isFinished) {
      throw new TransferError(
        `This export is being imported elsewhere, by the import ${row.id}: finish that, or end it by forget-import.`,
      );
    }
    if (isSame) {
      throw new TransferError(
        `This export was imported already, into the server ${row.serverId} ("${row.serverName}").`,
      );
    }
  }
  return undefined;
}

function continued(row: ImportRow, { print }: Deps): { id: string; choices: Choices; report: Report } {
  print('This import was begun before: it goes on where it was, with the choices that it began with.');
  return { id: row.id, choices: choicesSchema.parse(row.choices), report: new Report(reportSchema.parse(row.report)) };
}

/** The first pass. @returns no id for a dry run, of which nothing stays */
async function read(
  { database, settings }: Deps,
  order: Order,
  archive: Awaited<ReturnType<typeof openArchive>>,
  progress: Progress,
): Promise<{ id: string | null; choices: Choices; report: Report }> {
  const { product, choices, serverId, isRehearsal } = order;
  const id = newId();
  const report = new Report();
  const others = serverId ? (await channelNames(database.rows, serverId)).length : 0;
  const scanning = database.longTransaction(
    async (rows) => {
      // A dry run neither waits for another nor stops it.
      const fingerprint = isRehearsal ? id : archive.fingerprint;
      await insertImport(rows, { id, product, fingerprint, serverId, choices });
      const room = Math.max(0, settings.servers.maxChannels - others);
      await new Scan(rows, id, choices, report, room).run(product, archive, progress);
      await keepReport(rows, id, { counts: report.counts, problems: report.problems });
      if (isRehearsal) throw new Rehearsed();
    },
    { snapshot: false },
  );
  await scanning.catch((error) => {
    if (isUniqueViolation(error, 'imports_unfinished')) throw new TransferError('Another run imports the same now.');
    if (!(error instanceof Rehearsed)) throw error;
  });
  progress.clear();
  return { id: isRehearsal ? null : id, choices, report };
}

async function created(deps: Deps, importId: string, { created }: Choices): Promise<string> {
  if (!created) throw new TransferError('It names no server to import into.');
  return createServer(deps, importId, created);
}
