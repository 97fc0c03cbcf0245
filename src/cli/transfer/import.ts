import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Database, Rows } from '../../database/database.ts';
import { newWebhookSecret } from '../../features/agents/webhooks/signature.ts';
import type { BlobStore } from '../../features/blobs/blob.store.ts';
import { SealedText } from '../../infrastructure/sealed-text.ts';
import type { Settings } from '../../settings/settings.ts';
import { type Content, ExportFile } from './export-file.ts';
import { TransferError } from './failure.ts';
import { finishImport } from './finish-import.ts';
import { ImportedIds } from './imported-ids.table.ts';
import type { Manifest } from './manifest.ts';
import { fileOf, type Place } from './part.ts';
import { PartWriter } from './part-writer.ts';
import { parts } from './parts.ts';

/** Contents up to this size are stored in one piece. */
const smallBytes = 64 * 1024;

/**
 * Restores a server from a file that `exportServer` wrote, with the same ids, numbers and times: all of it, or nothing if
 * anything is wrong or exists already (docs/export-format.md).
 * @param maxBytes how much may be unpacked from the file
 * @param blobsOver the store of files, as part of a transaction
 * @throws TransferError with one sentence for the operator
 */
export async function importServer(
  database: Database,
  settings: Settings,
  path: string,
  maxBytes: number,
  blobsOver: (rows: Rows) => BlobStore,
): Promise<Manifest> {
  const file = await ExportFile.open(path, maxBytes);
  try {
    await database.longTransaction((rows) => fill(rows, file, settings, blobsOver(rows)), { snapshot: false });
    return file.manifest;
  } finally {
    file.close();
  }
}

async function fill(rows: Rows, file: ExportFile, settings: Settings, store: BlobStore): Promise<void> {
  const imported = await ImportedIds.open(rows);
  let contents = 0;
  for await (const content of file.contents()) {
    await takeIn(store, imported, content);
    contents++;
  }
  requireCount(file.manifest, 'blobs', contents);
  const place = placeOf(settings);
  for (const part of parts) {
    const name = fileOf(part);
    const written = await new PartWriter(rows, imported, part, place).write(file.lines(name));
    requireCount(file.manifest, name, written);
  }
  await finishImport(rows, imported, file.manifest.server.id, settings.workspace);
}

function placeOf({ accounts, newAccountTier, jwtSecrets }: Settings): Place {
  const tiers = new Set(accounts.tiers.map(({ id }) => id));
  const sealed = new SealedText(jwtSecrets);
  return {
    tierOf: (tier) => (typeof tier === 'string' && tiers.has(tier) ? tier : newAccountTier),
    unknownSecret: () => sealed.seal(newWebhookSecret()),
  };
}

async function takeIn(store: BlobStore, imported: ImportedIds, { sha256, size, bytes }: Content): Promise<void> {
  const isSmall = size <= smallBytes;
  const blob = isSmall
    ? await store.put(await buffer(Readable.from(bytes, { objectMode: false })))
    : await store.write(bytes, size);
  if (blob.hash !== sha256) throw new TransferError(`blobs/${sha256}: it has other bytes than its name says.`);
  await imported.addContent(sha256, blob.id);
}

/** A file with missing lines is as wrong as one with extra lines. */
function requireCount({ counts }: Manifest, name: string, count: number): void {
  const announced = counts[name] ?? 0;
  if (announced === count) return;
  throw new TransferError(`${name}: there are ${count} of them, but the manifest says ${announced}.`);
}
