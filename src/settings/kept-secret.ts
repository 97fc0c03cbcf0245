import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from './make-folder.ts';
import { SettingsError } from './settings-error.ts';

/**
 * A secret of 32 bytes made at the first start and kept, so that what depends on it survives a restart (contract §11).
 * @param name of its file in the data folder
 * @throws SettingsError when the data folder cannot be used
 */
export function keptSecret(dataDir: string, name: string): string {
  const file = path.join(dataDir, name);
  try {
    makeFolder(dataDir);
    if (!existsSync(file)) makeOnce(file);
    const secret = readFileSync(file, 'utf8').trim();
    if (secret === '') throw new Error(`${file} is empty, remove it for a new one`);
    return secret;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SettingsError(`The data folder ${dataDir} cannot be used; set DATA_DIR to one that can: ${reason}.`);
  }
}

/** The file appears complete and at once: processes that start together all read the same one, and none reads half. */
function makeOnce(file: string): void {
  const own = `${file}.${randomUUID()}`;
  writeFileSync(own, randomBytes(32).toString('base64url'), { mode: 0o600, flush: true });
  try {
    linkSync(own, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(own, { force: true });
  }
}
