import { Readable } from 'node:stream';
import type JSZip from 'jszip';
import type { Actor } from '../access/actor.ts';
import type { BlobStore } from '../blobs/blob.store.ts';
import type { Database } from '../database/database.ts';
import { contentDisposition } from '../infrastructure/served-content.ts';
import { freeName } from './names.ts';
import { type ArchiveRow, readInside } from './node.table.ts';
import { ReadAhead } from './read-ahead.ts';
import type { WorkspaceAccess } from './workspace.access.ts';

/** An archive being sent. */
export interface Archive {
  headers: Record<string, string>;
  stream: Readable;
}

/** Folders as ZIP files, created while they are sent (contract §8). */
export class ArchiveService {
  private readonly database: Database;
  private readonly access: WorkspaceAccess;
  private readonly blobs: BlobStore;
  private readonly maxNodes: number;

  constructor(parts: { database: Database; workspaceAccess: WorkspaceAccess; blobs: BlobStore; maxNodes: number }) {
    this.database = parts.database;
    this.access = parts.workspaceAccess;
    this.blobs = parts.blobs;
    this.maxNodes = parts.maxNodes;
  }

  /** A folder, its contents at the root of the archive; null: the whole workspace. @throws AppError FOLDER_NOT_FOUND */
  async download(actor: Actor, serverId: string, folderId: string | null): Promise<Archive> {
    const workspace = await this.access.open(actor, serverId);
    const folder = folderId === null ? null : await this.access.folder(workspace, folderId);
    const name = folder?.name ?? (await this.workspaceName(workspace.id));
    const rows = await readInside(this.database.rows, workspace.id, folder?.id ?? workspace.id, this.maxNodes);
    return {
      headers: {
        'Content-Type': 'application/zip',
        'Content-Disposition': contentDisposition('attachment', `${name}.zip`),
        'X-Content-Type-Options': 'nosniff',
        'Cache-Control': 'private, no-store',
      },
      stream: Readable.from(
        streamed(() => this.zip(rows)),
        { objectMode: false },
      ),
    };
  }

  private async workspaceName(id: string): Promise<string> {
    const [row] = await this.database.rows<{ name: string }>('SELECT name FROM workspaces WHERE id = $1', [id]);
    return row?.name ?? 'workspace';
  }

  /**
   * The list is fixed by now and contents are immutable, so the archive is a snapshot, whatever is edited while it is sent.
   */
  private async zip(rows: ArchiveRow[]): Promise<JSZip> {
    // Loaded when the first archive is asked for, as are other libraries that few need: it delays no start.
    const { default: Zip } = await import('jszip');
    const zip = new Zip();
    const renamed = namesOfDrives(rows);
    const files = rows.flatMap(({ blob_id: blobId, size_bytes: size }) => (blobId ? [{ blobId, size }] : []));
    const contents = new ReadAhead(this.blobs, files);
    let place = 0;
    for (const { path: inside, kind, blob_id: blobId, is_text: isText, updated_at: time } of rows) {
      const date = new Date(time);
      const [top = '', ...rest] = inside.split('/');
      const path = [renamed.get(top) ?? top, ...rest].join('/');
      if (kind === 'dir') zip.file(path, null, { dir: true, date });
      else if (blobId) {
        // Media are compressed already; trying again costs jszip 50 ms of this process for each MiB.
        const compression = isText ? 'DEFLATE' : 'STORE';
        zip.file(path, contents.read(place++), { date, createFolders: false, compression });
      }
    }
    return zip;
  }
}

/**
 * Other names for top-level entries such as `C:x`: unpackers read that as a path outside, and many refuse an archive that
 * has one altogether.
 */
function namesOfDrives(rows: ArchiveRow[]): Map<string, string> {
  const taken = new Set(rows.map((row) => row.path));
  const renamed = new Map<string, string>();
  for (const { path, kind } of rows) {
    if (!/^[a-z]:[^/]*$/i.test(path)) continue;
    const name = freeName(path.replace(':', '_'), kind, taken);
    taken.add(name);
    renamed.set(path, name);
  }
  return renamed;
}

/** Nothing starts before someone reads. Without sizes in advance no file has to be held in memory. */
async function* streamed(make: () => Promise<JSZip>): AsyncGenerator<Buffer> {
  const zip = await make();
  const output = zip.generateNodeStream({ streamFiles: true, platform: 'UNIX' });
  yield* new Readable().wrap(output);
}
