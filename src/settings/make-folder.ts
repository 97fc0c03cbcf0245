import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes a folder, and its missing parents. Node's own `recursive` never ends in a folder that takes no others and
 * reports that it does not exist itself, as /proc does.
 * @param mode of the new folders
 * @throws the error of the system
 */
export function makeFolder(folder: string, mode?: number): void {
  if (existsSync(folder)) return;
  const above = path.dirname(folder);
  if (above !== folder) makeFolder(above, mode);
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    // Any of several processes that start together may make it.
    if (!existsSync(folder)) throw error;
  }
}
