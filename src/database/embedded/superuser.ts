import type { Cluster } from './cluster.ts';
import { EmbeddedPostgresError } from './failure.ts';
import { keepSuperuserPassword } from './passwords.ts';
import { superuser } from './roles.ts';
import { complaintOf } from './runner.ts';

/**
 * Gives a cluster whose superuser's password is in no file a superuser with a new one: a cluster of an earlier version,
 * or one whose file was not in the backup. Who owns the files may do that without a password, while no server runs
 * (`postgres --single`). The file is written last, so that an interrupted start does it again.
 * @throws EmbeddedPostgresError when PostgreSQL does not open the cluster
 */
export async function ensureSuperuser({ folder, programs, runner, passwords }: Cluster): Promise<void> {
  if (passwords.isKept) return;
  const args = ['--single', '-D', folder, '-c', 'lc_messages=C', '-c', 'log_min_messages=fatal', 'postgres'];
  const child = runner.spawn(programs.postgres, args, { stdio: ['pipe', 'ignore', 'pipe'] });
  // Without it the program has ended, and says why.
  child.stdin?.on('error', () => {});
  // The first one fails where the role is there; the program goes on with the next line.
  child.stdin?.end(
    `CREATE ROLE ${superuser}\nALTER ROLE ${superuser} SUPERUSER LOGIN PASSWORD '${passwords.superuser}'\n`,
  );
  const complaint = await complaintOf(child);
  if (complaint !== undefined) {
    throw new EmbeddedPostgresError(`PostgreSQL did not open ${folder} to make its superuser: ${complaint}`);
  }
  await keepSuperuserPassword(folder, passwords);
}
