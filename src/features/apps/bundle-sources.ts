import type { Actor } from '../../contract/actor.ts';
import { maxHtmlBytes } from '../../contract/app.ts';
import { ifMissing } from '../../contract/errors.ts';
import { invalid } from '../../contract/schema/validation.ts';
import { isLitter, pathOf } from '../../contract/schema/zip-names.ts';
import { extensionOf } from '../../infrastructure/media-types.ts';
import type { BlobStore } from '../blobs/blob.store.ts';
import type { Context } from '../context.ts';
import { readInside } from '../workspace/node.table.ts';
import type { WorkspaceAccess } from '../workspace/workspace.access.ts';
import {
  type BundleFile,
  type BundleLimits,
  badBundle,
  requireIndex,
  requireInnerPath,
  requireSound,
} from './bundle.ts';
import { unpackBundle } from './zip-bundle.ts';

/** The content to publish, read from the workspace. */
export interface Source {
  /** That of the folder or file, without its extension. */
  name: string;
  type: 'html' | 'zip';
  files: BundleFile[];
}

interface Deps extends Pick<Context, 'database'> {
  workspaceAccess: WorkspaceAccess;
  blobs: BlobStore;
  limits: BundleLimits;
}

/** The sources of apps' files. */
export class BundleSources {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  async html(content: string): Promise<BundleFile> {
    const { id, size } = await this.deps.blobs.put(Buffer.from(content));
    return { path: 'index.html', blobId: id, size };
  }

  /**
   * The current state of a folder, the contents of a ZIP file, or one page of HTML.
   * @throws AppError FOLDER_NOT_FOUND, FILE_NOT_FOUND, BUNDLE_INVALID
   */
  async fromWorkspace(
    actor: Actor,
    serverId: string,
    { folderId, fileId }: { folderId?: string | null; fileId?: string | null },
  ): Promise<Source> {
    const workspace = await this.deps.workspaceAccess.open(actor, serverId);
    // `fileId` is an alias of `folderId` (contract §8), so it may name either.
    const folder = folderId
      ? await this.deps.workspaceAccess.folder(workspace, folderId)
      : fileId && (await this.deps.workspaceAccess.folder(workspace, fileId).catch(ifMissing));
    if (folder) {
      const files = await this.folderFiles(workspace.id, folder.id);
      requireIndex(files);
      return { name: folder.name, type: 'zip', files };
    }
    if (!fileId) throw invalid([{ path: 'folderId', message: 'is missing', code: 'invalid_type' }]);
    const file = await this.deps.workspaceAccess.file(workspace, fileId);
    const extension = extensionOf(file.name);
    const name = extension ? file.name.slice(0, -extension.length) : file.name;
    const content = { blobId: file.blobId, size: file.sizeBytes };
    if (file.mime === 'text/html') {
      if (file.sizeBytes > maxHtmlBytes) throw badBundle(`A page can have at most ${maxHtmlBytes} bytes.`);
      return { name, type: 'html', files: [{ path: 'index.html', ...content }] };
    }
    const files = await unpackBundle(this.deps.blobs, content, this.deps.limits);
    requireIndex(files);
    return { name, type: 'zip', files };
  }

  /** Nothing is copied: the app refers to the same contents. */
  private async folderFiles(workspaceId: string, folderId: string): Promise<BundleFile[]> {
    const rows = await readInside(this.deps.database.rows, workspaceId, folderId, this.deps.limits.entries + 1);
    if (rows.length > this.deps.limits.entries) {
      throw badBundle(`An app can have at most ${this.deps.limits.entries} folders and files.`);
    }
    const files = rows.flatMap(({ path, blobId, sizeBytes: size }) =>
      blobId ? [{ path: pathOf(path), blobId, size }] : [],
    );
    for (const { path } of files) requireInnerPath(path);
    requireSound(files, this.deps.limits);
    return files.filter(({ path }) => !isLitter(path));
  }
}
