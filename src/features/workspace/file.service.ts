import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { validated } from '../../contract/schema/validation.ts';
import {
  type fileSchema,
  type mediaUrlSchema,
  uploadFieldsSchema,
  uploadNameSchema,
} from '../../contract/workspace.ts';
import { inspectFile } from '../../infrastructure/file-inspector.ts';
import type { IncomingFile } from '../../infrastructure/incoming-file.ts';
import { mediaTypeOf, withCharset } from '../../infrastructure/media-types.ts';
import {
  contentDisposition,
  mayShowInline,
  type ServedContent,
  uploadHeaders,
} from '../../infrastructure/served-content.ts';
import type { StorageAllowance } from '../blobs/allowance.ts';
import { type BlobStore, fileTooLarge, type StoredBlob } from '../blobs/blob.store.ts';
import { quotaExceeded } from '../blobs/quota.errors.ts';
import type { Context } from '../context.ts';
import type { NodeService } from './node.service.ts';
import { type NodeRecord, nodeRecord } from './node.view.ts';
import { roomForFile, type WorkspaceLimits } from './quota.ts';
import type { FileContent } from './tree-edit.ts';
import type { StoredFile, WorkspaceAccess } from './workspace.access.ts';

/** Enough to detect the types that have a signature. */
const headBytes = 4100;

/** Inspects the bytes of an upload as they pass: whether they are text, and of what type. */
class UploadProbe {
  private readonly maxTextBytes: number;
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });
  private readonly head: Buffer[] = [];
  private size = 0;
  private text = true;

  constructor(maxTextBytes: number) {
    this.maxTextBytes = maxTextBytes;
  }

  async *through(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of bytes) {
      this.look(piece);
      yield piece;
    }
    this.decode();
  }

  /** Valid UTF-8 without U+0000, and small enough to be edited. */
  get isText(): boolean {
    return this.text;
  }

  /** The type implied by the name, else that of the bytes. */
  async type(name: string): Promise<string> {
    const promised = mediaTypeOf(name);
    if (promised) return promised;
    if (this.text) return 'text/plain';
    const { mime } = await inspectFile(Buffer.concat(this.head).subarray(0, headBytes));
    return mime ?? 'application/octet-stream';
  }

  private look(piece: Buffer): void {
    if (this.size < headBytes) this.head.push(Buffer.from(piece.subarray(0, headBytes)));
    this.size += piece.length;
    if (this.size > this.maxTextBytes || piece.includes(0)) this.text = false;
    if (this.text) this.decode(piece);
  }

  private decode(piece?: Buffer): void {
    if (!this.text) return;
    try {
      this.decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      this.text = false;
    }
  }
}

/** Longer texts can only be downloaded, not edited. JSON bodies are no longer either. */
const maxTextBytes = 2 * 1024 * 1024;

type Disposition = 'inline' | 'attachment';

/** A file that is in the store, but in no folder yet. */
export interface ReceivedFile {
  name: string;
  content: FileContent;
}

interface Deps extends Pick<Context, 'database' | 'links'> {
  workspaceAccess: WorkspaceAccess;
  nodes: NodeService;
  blobs: BlobStore;
  allowance: StorageAllowance;
  uploadBytes: number;
  limits: WorkspaceLimits;
}

/** Contents of files: upload, reading and download (contract §8, §12, §13). */
export class FileService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** A file with its text. @throws AppError FILE_NOT_FOUND */
  async get(actor: Actor, serverId: string, fileId: string): Promise<z.input<typeof fileSchema>> {
    const workspace = await this.deps.workspaceAccess.open(actor, serverId);
    const row = await this.deps.workspaceAccess.file(workspace, fileId);
    return { ...nodeRecord(row), content: row.isText ? await text(this.deps.blobs.read(row.blobId)) : null };
  }

  /**
   * Receives the bytes of an upload, no more than there is room for. Everything that is known by then is checked before
   * any of them is stored.
   * @param known the form's fields before the file, and how many bytes the file has at least
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, FOLDER_NOT_FOUND, BODY_TOO_LARGE, QUOTA_EXCEEDED, VALIDATION_FAILED
   */
  async receive(
    actor: Actor,
    serverId: string,
    file: IncomingFile,
    { fields, atLeast }: { fields: Record<string, string>; atLeast: number },
  ): Promise<ReceivedFile> {
    const workspace = await this.deps.workspaceAccess.openToWrite(actor, serverId);
    const { name } = validated(uploadNameSchema, { name: file.name });
    const { parentId } = validated(uploadFieldsSchema, fields);
    if (parentId) await this.deps.workspaceAccess.folder(workspace, parentId);
    const room = await this.deps.database.read((em) => roomForFile(em, workspace.id, this.deps.limits));
    if (atLeast > this.deps.uploadBytes) throw fileTooLarge(this.deps.uploadBytes);
    if (atLeast > room) throw this.full(room);
    const probe = new UploadProbe(maxTextBytes);
    const storing = { userId: actor.userId, serverId: workspace.serverId };
    const blob = await this.store(probe.through(this.deps.allowance.admitted(storing, file.bytes, atLeast)), room);
    const content = { blobId: blob.id, size: blob.size, mime: await probe.type(name), isText: probe.isText };
    return { name, content };
  }

  private async store(bytes: AsyncIterable<Uint8Array>, room: number): Promise<StoredBlob> {
    if (room >= this.deps.uploadBytes) return this.deps.blobs.write(bytes, this.deps.uploadBytes);
    return this.deps.blobs.write(bytes, room).catch((error) => {
      if (!(error instanceof AppError) || error.code !== 'BODY_TOO_LARGE') throw error;
      throw this.full(room, error);
    });
  }

  private full(room: number, cause?: AppError): AppError {
    const { quotaBytes } = this.deps.limits;
    return quotaExceeded('workspace', quotaBytes - room, quotaBytes, cause);
  }

  /** Puts a received file into a folder. @throws AppError FOLDER_NOT_FOUND, QUOTA_EXCEEDED */
  upload(actor: Actor, serverId: string, file: ReceivedFile, parentId: string | null): Promise<NodeRecord> {
    return this.deps.nodes.addFile(actor, serverId, parentId, file);
  }

  /** A file's bytes, for the browser to show or save. @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, FILE_NOT_FOUND */
  async download(actor: Actor, serverId: string, fileId: string, disposition: Disposition): Promise<ServedContent> {
    const workspace = await this.deps.workspaceAccess.open(actor, serverId);
    return this.served(await this.deps.workspaceAccess.file(workspace, fileId), disposition);
  }

  /** A link to a file's bytes that works without signing in, for ten minutes. */
  async link(
    actor: Actor,
    serverId: string,
    fileId: string,
    disposition: Disposition,
  ): Promise<z.input<typeof mediaUrlSchema>> {
    const workspace = await this.deps.workspaceAccess.open(actor, serverId);
    const file = await this.deps.workspaceAccess.file(workspace, fileId);
    const { token, expiresAt } = this.deps.links.sign(subject(workspace.serverId, file.id, disposition), actor.userId);
    const path = `/api/servers/${workspace.serverId}/workspace/files/${file.id}/media`;
    return { url: `${path}?disposition=${disposition}&token=${token}`, expiresAt: expiresAt.toISOString() };
  }

  /** A file for the holder of a signed link. @throws AppError LINK_EXPIRED, FILE_NOT_FOUND */
  async openByLink(serverId: string, fileId: string, disposition: Disposition, token: string): Promise<ServedContent> {
    const isValid = await this.deps.links.verify(subject(serverId, fileId, disposition), token);
    if (!isValid) throw new AppError('LINK_EXPIRED');
    return this.served(await this.deps.workspaceAccess.linkedFile(serverId, fileId), disposition);
  }

  private served(file: StoredFile, disposition: Disposition): Promise<ServedContent> {
    const inline = disposition === 'inline' && mayShowInline(file.mime ?? '');
    return this.deps.blobs.served(
      { id: file.blobId, size: file.sizeBytes },
      {
        'Content-Type': inline ? withCharset(file.mime ?? '') : 'application/octet-stream',
        'Content-Disposition': contentDisposition(inline ? 'inline' : 'attachment', file.name),
        ...uploadHeaders,
        'Cache-Control': 'private, no-cache',
      },
    );
  }
}

function subject(serverId: string, fileId: string, disposition: Disposition): string {
  return `workspace-file ${serverId} ${fileId} ${disposition}`;
}
