import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, open, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { EmbeddedPostgresError } from './failure.ts';

/** The passwords of one cluster. Nobody can open it without one. */
export interface Passwords {
  /** Of the role that nodes use. */
  application: string;
  /** Of the superuser, which only the start of PostgreSQL uses. */
  superuser: string;
  /** Whether the superuser's is in its file; else it is yet to be set (`ensureSuperuser`). */
  isKept: boolean;
}

/** The files in the data folder; nodes of earlier versions read the first, for both roles. */
const applicationFile = 'postgres-password';
const superuserFile = 'postgres-superuser-password';

export const passwordFiles = (dataDir: string) => ({
  application: path.join(dataDir, applicationFile),
  superuser: path.join(dataDir, superuserFile),
});

/**
 * The passwords in the data folder, made once for a new cluster. A cluster of an earlier version has only the first,
 * which was the superuser's too.
 * @throws EmbeddedPostgresError when there is a cluster and the file of its nodes' password is gone
 */
export async function openPasswords(dataDir: string, clusterExists: boolean): Promise<Passwords> {
  const files = passwordFiles(dataDir);
  const application = await readPassword(files.application);
  if (!application && clusterExists) {
    throw new EmbeddedPostgresError(
      `The file ${files.application} is missing or empty; restore it from the backup of the data folder.`,
    );
  }
  const superuser = await readPassword(files.superuser);
  const passwords = { application: application || fresh(), superuser: superuser || fresh(), isKept: superuser !== '' };
  if (clusterExists) return passwords;
  await writePassword(files.application, passwords.application);
  await writePassword(files.superuser, passwords.superuser);
  return { ...passwords, isKept: true };
}

/** Writes the superuser's password of a cluster that has it now. @param cluster the cluster's folder */
export async function keepSuperuserPassword(cluster: string, passwords: Passwords): Promise<void> {
  await writePassword(passwordFiles(path.dirname(cluster)).superuser, passwords.superuser);
  passwords.isKept = true;
}

/** Gives the files to the user that PostgreSQL runs as, who reads one when a cluster is made. */
export async function givePasswords(dataDir: string, owner: { uid: number; gid: number }): Promise<void> {
  for (const file of Object.values(passwordFiles(dataDir))) {
    if (existsSync(file)) await chown(file, owner.uid, owner.gid);
  }
}

async function readPassword(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined);
  if (!found) return '';
  // A copy may have been made without regard to modes.
  if ((found.mode & 0o077) !== 0) await chmod(file, 0o600);
  return (await readFile(file, 'utf8')).trim();
}

const fresh = () => randomBytes(24).toString('base64url');

async function writePassword(file: string, password: string): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    await handle.writeFile(`${password}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
