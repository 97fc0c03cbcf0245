import { Readable } from 'node:stream';
import type { Actor } from '../../contract/actor.ts';
import { Workspace } from '../../database/entities/workspace.entity.ts';
import { contentDisposition } from '../../infrastructure/served-content.ts';
import { type ZipEntry, zipBytes } from '../../infrastructure/zip-writer.ts';
import type { BlobStore } from '../blobs/blob.store.ts';
import type { Context } from '../context.ts';
import { LargeReads } from './large-reads.ts';
import { freeName } from './names.ts';
import { type ArchiveRow, readAllInside } from './node.table.ts';
import type { WorkspaceAccess } from './workspace.access.ts';

/** Larger files are read separately, as they are consumed. */
const smallBytes = 32 * 1024;
/** How many small files are read at once, and how many bytes of them. */
const most = { files: 200, bytes: 256 * 1024 };

interface StoredFile {
  blobId: string;
  size: number;
}

/**
 * Contents of many files that are read one after the other: each statement brings several small ones. Only what the last
 * one brought is held.
 */
class ReadAhead {
  private readonly blobs: BlobStore;
  private readonly files: StoredFile[];
  private held = new Map<string, Buffer>();

  /** @param files in the order of reading, where that is known */
  constructor(blobs: BlobStore, files: StoredFile[]) {
    this.blobs = blobs;
    this.files = files;
  }

  /** The contents of the file at an index of the list: whole if it is small, else read as they are consumed. */
  async read(place: number): Promise<Buffer | Readable> {
    const file = this.files[place];
    if (!file) throw new RangeError(`There is no file ${place}.`);
    if (file.size === 0) return Buffer.alloc(0);
    if (file.size > smallBytes) return this.blobs.read(file.blobId);
    if (!this.held.has(file.blobId)) this.held = await this.blobs.readSmall(this.from(place));
    const content = this.held.get(file.blobId);
    if (!content) throw new Error(`The blob ${file.blobId} is gone.`);
    return content;
  }

  /** The contents of the file and of as many small ones after it as are read at once. */
  private from(place: number): string[] {
    const ids = new Set<string>();
    let bytes = 0;
    for (let at = place; at < this.files.length && ids.size < most.files; at++) {
      const file = this.files[at];
      if (!file || file.size > smallBytes || ids.has(file.blobId)) continue;
      bytes += file.size;
      if (bytes > most.bytes && ids.size > 0) break;
      ids.add(file.blobId);
    }
    return [...ids];
  }
}

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
