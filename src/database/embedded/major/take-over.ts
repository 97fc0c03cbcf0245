import path from 'node:path';
import { dateNow } from '../../../infrastructure/clock.ts';
import { type Cluster, majorOf } from '../cluster.ts';
import { draftsOf, makeDraft, removeDrafts } from '../draft.ts';
import { EmbeddedPostgresError } from '../failure.ts';
import { startOnFreePort } from '../first-start.ts';
import { guardFolder } from '../guard.ts';
import { endOrphan } from '../orphan.ts';
import { type EmbeddedLog, type Postmaster, spawnPostmaster } from '../postmaster.ts';
import type { Programs } from '../programs.ts';
import { ensureDatabase, superuserUrl } from '../roles.ts';
import { chooseRunner } from '../runner.ts';
import { ensureSuperuser } from '../superuser.ts';
import { type DumpTools, findDumpTools, findOldPrograms, whatIsMissing } from './old-programs.ts';
import { requireSpace } from './space.ts';
import { swap } from './swap.ts';
import { transferAll } from './transfer.ts';

/** Nothing may change in what is left. */
const oldSettings = { default_transaction_read_only: 'on', autovacuum: 'off' };

/** Rows of tables made in the same transaction are then written once. The copy is thrown away if it is interrupted. */
const newSettings = { wal_level: 'minimal', max_wal_senders: '0', synchronous_commit: 'off', autovacuum: 'off' };

/**
 * Takes data of an earlier major version over by dump and restore, unasked: into a new cluster beside the old one, which
 * takes its place when all of it is there. The old one is kept under another name. A crash at any step leaves one of the
 * two complete. Only for the holder of the folder's lock, while no server runs.
 * @param namedOld the folder of old programs that the operator names
 * @throws EmbeddedPostgresError with what to do when programs or room are missing; nothing was changed then
 */
export async function takeMajorOver(cluster: Cluster, namedOld: string | null, log: EmbeddedLog): Promise<void> {
  const { folder, programs } = cluster;
  const major = majorOf(folder);
  if (major === programs.version.major) return;
  if (major > programs.version.major) {
    throw new EmbeddedPostgresError(
      `The data in ${folder} is of PostgreSQL ${major}, which the programs of version ${programs.version.text} in ${programs.folder} cannot read; use those of version ${major} or newer. Nothing was changed.`,
    );
  }
  const { old, tools } = await findAll(cluster, major, namedOld);
  await requireSpace(folder);
  const versions = { from: old.programs.version.text, to: programs.version.text };
  log.warn(versions, `The data is taken over from PostgreSQL ${versions.from} to ${versions.to}; do not interrupt it.`);
  const begun = performance.now();
  await ensureSuperuser(old);
  // A process that was killed may have left its server running on the copy.
  for (const draft of await draftsOf(folder)) await endOrphan(draft, log);
  const draft = await makeDraft(cluster);
  try {
    await copy(old, { ...cluster, folder: draft }, tools);
  } catch (error) {
    await removeDrafts(folder);
    throw error;
  }
  const kept = `${folder}-${major}-kept-${dateNow()
    .toISOString()
    .replaceAll(/[-:]|\..*/g, '')}`;
  await swap(folder, draft, kept);
  const seconds = Math.round((performance.now() - begun) / 1000);
  log.warn(
    { ...versions, kept, seconds },
    `The data is now of PostgreSQL ${versions.to}; the old one is kept in ${kept}, delete it when all is well.`,
  );
}

async function findAll(
  cluster: Cluster,
  major: number,
  namedOld: string | null,
): Promise<{ old: Cluster; tools: DumpTools }> {
  const { folder, programs } = cluster;
  const oldPrograms: Programs | undefined = findOldPrograms(major, namedOld);
  if (!oldPrograms) throw new EmbeddedPostgresError(whatIsMissing(folder, major, programs, 'programs'));
  const tools = findDumpTools(oldPrograms, programs);
  if (!tools) throw new EmbeddedPostgresError(whatIsMissing(folder, major, programs, 'tools'));
  const runner = await chooseRunner(oldPrograms.postgres, path.dirname(folder), folder);
  return { old: { ...cluster, programs: oldPrograms, runner }, tools };
}

async function copy(old: Cluster, fresh: Cluster, tools: DumpTools): Promise<void> {
  await using closing = new AsyncDisposableStack();
  const [from, to] = [await serve(old, oldSettings, closing), await serve(fresh, newSettings, closing)];
  await ensureDatabase(to, fresh.passwords);
  const urlOf = (port: number) => new URL(superuserUrl(port, fresh.passwords.superuser));
  await transferAll({ from: urlOf(from), to: urlOf(to), tools });
}

/** Starts a server until the end of the copying. Its end writes all it has to the disk. @returns its port */
async function serve(
  cluster: Cluster,
  settings: Record<string, string>,
  closing: AsyncDisposableStack,
): Promise<number> {
  closing.defer(guardFolder(cluster.folder));
  const spawn = (port: number): Postmaster => spawnPostmaster(cluster, port, settings, () => {});
  const [server, port] = await startOnFreePort(spawn);
  closing.defer(() => server.stop());
  return port;
}
