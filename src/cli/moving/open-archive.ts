import { lstatSync, statSync } from 'node:fs';
import { TransferError } from '../transfer/failure.ts';
import type { Archive } from './archive.ts';
import { folderArchive } from './folder-archive.ts';
import { zipArchive } from './zip-archive.ts';

const gibibyte = 1024 ** 3;

/**
 * Opens an export.
 * @param maxBytes how much may come out of it; null: 50 times the size of a ZIP file and 1 GiB, and any folder
 * @throws TransferError
 */
export async function openArchive(path: string, maxBytes: number | null): Promise<Archive> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) throw new TransferError(`There is no file or folder ${path}.`);
  const isFolder = statSync(path).isDirectory();
  if (!isFolder && /\.zip$/i.test(path)) {
    return zipArchive(path, { bytes: maxBytes ?? 50 * statSync(path).size + gibibyte });
  }
  return folderArchive(path, { bytes: maxBytes ?? Number.POSITIVE_INFINITY });
}
