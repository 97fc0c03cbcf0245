import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes a folder, and those above it, where they are missing. Node's own `recursive` never ends where a folder takes no
 * others and says that it is not there itself, as /proc does.
 * @param mode of those that are made
 * @throws the error of the system
 */
export function makeFolder(folder: string, mode?: number): void {
  if (existsSync(folder)) return;
  const above = path.dirname(folder);
  if (above !== folder) makeFolder(above, mode);
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    // Of processes that start together each may be the one that makes it.
    if (!existsSync(folder)) throw error;
  }
}
