import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { validated } from '../../contract/schema/validation.ts';
import {
  type fileSchema,
  type mediaQuerySchema,
  type mediaUrlSchema,
  uploadFieldsSchema,
  uploadNameSchema,
} from '../../contract/workspace.ts';
import type { IncomingFile } from '../../infrastructure/incoming-file.ts';
import { withCharset } from '../../infrastructure/media-types.ts';
import {
  contentDisposition,
  mayShowInline,
  pdfHeaders,
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
import { UploadProbe } from './upload-probe.ts';
import { findVersion } from './version.table.ts';
import type { OpenWorkspace, StoredFile, WorkspaceAccess } from './workspace.access.ts';

/** Longer texts can only be downloaded, not edited. JSON bodies are no longer either. */
const maxTextBytes = 2 * 1024 * 1024;

type Media = z.output<typeof mediaQuerySchema>;

const pdf = 'application/pdf';

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

  /** A file with its text, now or as an older version. @throws AppError FILE_NOT_FOUND, FILE_VERSION_NOT_FOUND */
  async get(actor: Actor, serverId: string, fileId: string, version?: number): Promise<z.input<typeof fileSchema>> {
    const workspace = await this.deps.workspaceAccess.open(actor, serverId);
    const row = await this.asOf(await this.deps.workspaceAccess.file(workspace, fileId), version);
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
    return { name, content: await this.content(actor, workspace, { name, bytes: file.bytes, atLeast }, null) };
  }

  /** The same for the new content of a file. @throws AppError FILE_NOT_FOUND, and as `receive` */
  async receiveContent(
    actor: Actor,
    serverId: string,
    fileId: string,
    { bytes }: IncomingFile,
    atLeast: number,
  ): Promise<FileContent> {
    const workspace = await this.deps.workspaceAccess.openToWrite(actor, serverId);
    const { name, sizeBytes } = await this.deps.workspaceAccess.file(workspace, fileId);
    return this.content(actor, workspace, { name, bytes, atLeast }, sizeBytes);
  }

  private async content(
    { userId }: Actor,
    { id, serverId }: OpenWorkspace,
    { name, bytes, atLeast }: { name: string; bytes: AsyncIterable<Buffer>; atLeast: number },
    replaced: number | null,
  ): Promise<FileContent> {
    const room = await this.deps.database.read((em) => roomForFile(em, id, this.deps.limits, replaced));
    if (atLeast > this.deps.uploadBytes) throw fileTooLarge(this.deps.uploadBytes);
    if (atLeast > room) throw this.full(room);
    const probe = new UploadProbe(maxTextBytes);
    const admitted = this.deps.allowance.admitted({ userId, serverId }, bytes, atLeast);
    const blob = await this.store(probe.through(admitted), room);
    return { blobId: blob.id, size: blob.size, mime: await probe.type(name), isText: probe.isText };
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

  /** Puts received bytes into a file. @param versions as of `updateFile` @throws AppError FILE_CHANGED, QUOTA_EXCEEDED */
  replace(
    actor: Actor,
    serverId: string,
    fileId: string,
    content: FileContent,
    versions: string[] | null,
  ): Promise<NodeRecord> {
    return this.deps.nodes.setContent(actor, serverId, fileId, content, versions);
  }

  /**
   * A file's bytes, for the browser to show or save.
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, FILE_NOT_FOUND, FILE_VERSION_NOT_FOUND
   */
  async download(actor: Actor, serverId: string, fileId: string, media: Media): Promise<ServedContent> {
    const workspace = await this.deps.workspaceAccess.open(actor, serverId);
    const file = await this.deps.workspaceAccess.file(workspace, fileId);
    return this.served(await this.asOf(file, media.version), media.disposition);
  }

  /** A link to a file's bytes that works without signing in, for ten minutes. */
  async link(actor: Actor, serverId: string, fileId: string, media: Media): Promise<z.input<typeof mediaUrlSchema>> {
    const workspace = await this.deps.workspaceAccess.open(actor, serverId);
    const file = await this.asOf(await this.deps.workspaceAccess.file(workspace, fileId), media.version);
    const { token, expiresAt } = this.deps.links.sign(subject(workspace.serverId, file.id, media), actor.userId);
    const path = `/api/servers/${workspace.serverId}/workspace/files/${file.id}/media`;
    const version = media.version === undefined ? '' : `&version=${media.version}`;
    return {
      url: `${path}?disposition=${media.disposition}${version}&token=${token}`,
      expiresAt: expiresAt.toISOString(),
    };
  }

  /** A file for the holder of a signed link. @throws AppError LINK_EXPIRED, FILE_NOT_FOUND, FILE_VERSION_NOT_FOUND */
  async openByLink(serverId: string, fileId: string, media: Media, token: string): Promise<ServedContent> {
    const isValid = await this.deps.links.verify(subject(serverId, fileId, media), token);
    if (!isValid) throw new AppError('LINK_EXPIRED');
    const file = await this.deps.workspaceAccess.linkedFile(serverId, fileId);
    return this.served(await this.asOf(file, media.version), media.disposition);
  }

  /** A file with the bytes of one of its versions. @throws AppError FILE_VERSION_NOT_FOUND */
  private async asOf(file: StoredFile, version: number | undefined): Promise<StoredFile> {
    if (version === undefined || version === file.version) return file;
    const kept = await findVersion(this.deps.database.rows, file.id, version);
    if (!kept) throw new AppError('FILE_VERSION_NOT_FOUND');
    const { blobId, sizeBytes, mime, isText, savedAt } = kept;
    return { ...file, version, blobId, sizeBytes, mime, isText, updatedAt: savedAt };
  }

  private served(file: StoredFile, disposition: Media['disposition']): Promise<ServedContent> {
    const mime = file.mime ?? '';
    const inline = disposition === 'inline' && (mayShowInline(mime) || mime === pdf);
    return this.deps.blobs.served(
      { id: file.blobId, size: file.sizeBytes },
      {
        'Content-Type': inline ? withCharset(mime) : 'application/octet-stream',
        'Content-Disposition': contentDisposition(inline ? 'inline' : 'attachment', file.name),
        ...(inline && mime === pdf ? pdfHeaders : uploadHeaders),
        'Cache-Control': 'private, no-cache',
      },
    );
  }
}

function subject(serverId: string, fileId: string, { disposition, version }: Media): string {
  const of = `workspace-file ${serverId} ${fileId} ${disposition}`;
  return version === undefined ? of : `${of} ${version}`;
}
