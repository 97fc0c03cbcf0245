import { existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { passwordFiles } from './passwords.ts';
import { readPidFile } from './postmaster.ts';
import { servesFolder } from './processes.ts';
import { embeddedUrl } from './roles.ts';

/**
 * The URL of the embedded PostgreSQL that another process runs on this data folder, if any: for programs that run
 * beside a server.
 */
export function runningDatabaseUrl(dataDir: string): string | null {
  const passwordFile = passwordFiles(dataDir).application;
  if (!existsSync(passwordFile)) return null;
  const folder = path.join(realpathSync(dataDir), 'postgres');
  const lines = readPidFile(folder);
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  const isReady = lines[7]?.startsWith('ready') ?? false;
  if (!isReady || !port || !servesFolder(pid, folder)) return null;
  const password = readFileSync(passwordFile, 'utf8').trim();
  return embeddedUrl(port, password);
}
