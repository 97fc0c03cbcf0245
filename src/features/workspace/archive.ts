import { Readable } from 'node:stream';
import type { Actor } from '../../contract/actor.ts';
import { Workspace } from '../../database/entities/workspace.entity.ts';
import { contentDisposition } from '../../infrastructure/served-content.ts';
import { type ZipEntry, zipBytes } from '../../infrastructure/zip-writer.ts';
import type { BlobStore } from '../blobs/blob.store.ts';
import { ReadAhead } from '../blobs/read-ahead.ts';
import type { Context } from '../context.ts';
import { LargeReads } from './large-reads.ts';
import { freeName } from './names.ts';
import { type ArchiveRow, readAllInside } from './node.table.ts';
import type { WorkspaceAccess } from './workspace.access.ts';

/** An archive being sent. */
export interface Archive {
  headers: Record<string, string>;
  stream: Readable;
}

const folderMode = 0o040755;
const fileMode = 0o100644;

interface Deps extends Pick<Context, 'database'> {
  workspaceAccess: WorkspaceAccess;
  blobs: BlobStore;
  limits: { maxNodes: number; downloads: number; downloadsPerUser: number };
}

/** Folders as ZIP files, created while they are sent (contract §8). */
export class ArchiveService {
  private readonly deps: Deps;
  private readonly maxNodes: number;
  private readonly downloads: LargeReads;

  constructor(deps: Deps) {
    this.deps = deps;
    this.maxNodes = deps.limits.maxNodes;
    const { downloads: total, downloadsPerUser: perUser } = deps.limits;
    const message = 'You are downloading several ZIP files already; wait until one of them is there.';
    this.downloads = new LargeReads({ total, perUser }, message);
  }

  /**
   * A folder, its contents at the root of the archive; null: the whole workspace. It is being sent until its stream closes.
   * @throws AppError FOLDER_NOT_FOUND; RATE_LIMITED or SERVER_BUSY while too many others are being sent
   */
  async download(actor: Actor, serverId: string, folderId: string | null): Promise<Archive> {
    const workspace = await this.deps.workspaceAccess.open(actor, serverId);
    const folder = folderId === null ? null : await this.deps.workspaceAccess.folder(workspace, folderId);
    const name = folder?.name ?? (await this.workspaceName(workspace.id));
    const leave = this.downloads.enter(actor.userId);
    const bytes = zipBytes(this.entries(workspace.id, folder?.id ?? workspace.id));
    // Nothing starts before the stream is read.
    const stream = Readable.from(bytes, { objectMode: false }).once('close', leave);
    return {
      headers: {
        'Content-Type': 'application/zip',
        'Content-Disposition': contentDisposition('attachment', `${name}.zip`),
        'X-Content-Type-Options': 'nosniff',
        'Cache-Control': 'private, no-store',
      },
      stream,
    };
  }

  private async workspaceName(id: string): Promise<string> {
    const workspace = await this.deps.database.read((em) => em.findOne(Workspace, id));
    return workspace?.name ?? 'workspace';
  }

  /**
   * The list is that of one moment and contents are immutable, so the archive is a snapshot, whatever is edited while
   * it is sent.
   */
  private async *entries(workspaceId: string, folderId: string): AsyncGenerator<ZipEntry> {
    const rows = await this.deps.database.readCurrent((reader) =>
      readAllInside(reader, workspaceId, folderId, this.maxNodes),
    );
    const renamed = namesOfDrives(rows);
    const files = rows.flatMap(({ blobId, sizeBytes: size }) => (blobId ? [{ blobId, size }] : []));
    const contents = new ReadAhead(this.deps.blobs, files);
    let place = 0;
    for (const { path: inside, kind, blobId, isText, updatedAt: at } of rows) {
      const time = new Date(at);
      const [top = '', ...rest] = inside.split('/');
      const path = [renamed.get(top) ?? top, ...rest].join('/');
      if (kind === 'dir') yield { path: `${path}/`, time, mode: folderMode, content: null, level: 0 };
      else if (blobId) {
        // Media are compressed already: a high compression level gains nothing.
        yield { path, time, mode: fileMode, content: await contents.read(place++), level: isText ? 6 : 1 };
      }
    }
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
