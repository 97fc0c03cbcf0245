import { AppError } from '../../contract/errors.ts';
import { maxListedNodes } from '../../contract/workspace.ts';
import { type Workspace, WorkspaceNode } from '../../database/entities/workspace.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import { mediaTypeOf } from '../../infrastructure/media-types.ts';
import { quotaExceeded } from '../blobs/quota.errors.ts';
import { beginningOf, freeName } from './names.ts';
import {
  type Ancestry,
  copyTree,
  deleteTree,
  type Extent,
  readAncestry,
  readCovered,
  readExtent,
  readNames,
} from './node.table.ts';
import { tooManyNodes, type WorkspaceLimits } from './quota.ts';
import { authorOfContent, deleteVersion, findVersion, keepVersion, makeRoomFor } from './version.table.ts';
import { lockWorkspace } from './workspace.access.ts';

/** The contents of a file: bytes in the store, and their metadata. */
export interface FileContent {
  blobId: string;
  size: number;
  mime: string;
  isText: boolean;
}

type Changed = Partial<
  Pick<WorkspaceNode, 'parentId' | 'name' | 'mime' | 'blobId' | 'sizeBytes' | 'isText' | 'contentBy' | 'contentAt'>
>;

/** Whether these users and the server have room for so many bytes. */
export type HasRoom = (userIds: string[], bytes: number) => Promise<boolean>;

interface Editor {
  /** For `createdBy`. */
  userId: string;
  limits: WorkspaceLimits;
  hasRoom: HasRoom;
}

/**
 * Edits of one workspace within one transaction. From `begin` to the commit its row is locked, so edits of one workspace
 * are serialized on all nodes: names stay unique, no folder gets into itself, counts are right.
 */
export class TreeEdit {
  /** Ids of created, changed or deleted nodes; of their contents only created ones, as far as events list them. */
  readonly touched = new Set<string>();
  /** Nodes that the answer shows, changed or not. */
  readonly shown = new Set<string>();
  /** How many bytes the edit has added so far. */
  addedBytes = 0;
  /** How many bytes of older versions it keeps. */
  keptBytes = 0;
  private readonly change: Change;
  private readonly workspace: Workspace;
  private readonly userId: string;
  private readonly limits: WorkspaceLimits;
  private readonly hasRoom: HasRoom;

  private constructor(change: Change, workspace: Workspace, { userId, limits, hasRoom }: Editor) {
    this.change = change;
    this.workspace = workspace;
    this.userId = userId;
    this.limits = limits;
    this.hasRoom = hasRoom;
  }

  /** @throws AppError SERVER_NOT_FOUND */
  static async begin(change: Change, workspaceId: string, editor: Editor): Promise<TreeEdit> {
    return new TreeEdit(change, await lockWorkspace(change, workspaceId), editor);
  }

  /** A node of this workspace; null if it has none with this id. */
  find(nodeId: string): Promise<WorkspaceNode | null> {
    // It may have been read before the workspace was locked.
    return this.change.em.findOne(WorkspaceNode, { id: nodeId, workspaceId: this.workspace.id }, { refresh: true });
  }

  /** The given nodes without those inside others of them. */
  async outermost(nodeIds: string[]): Promise<string[]> {
    const covered = await readCovered(this.change.rows, nodeIds);
    return [...new Set(nodeIds)].filter((id) => !covered.has(id));
  }

  /** Creates a folder; a name that is taken gets a number. @throws AppError FOLDER_NOT_FOUND, FOLDER_TOO_DEEP */
  async createFolder(parentId: string | null, name: string): Promise<string> {
    const ancestry = await this.ancestry(parentId);
    this.requireDepth(ancestry, 1);
    return this.insert(parentId, 'dir', name, null);
  }

  /** Creates a file; a name that is taken gets a number. @throws AppError FOLDER_NOT_FOUND, QUOTA_EXCEEDED */
  async createFile(parentId: string | null, name: string, content: FileContent): Promise<string> {
    await this.ancestry(parentId);
    return this.insert(parentId, 'file', name, content);
  }

  /** @throws AppError NODE_NOT_FOUND, NAME_TAKEN */
  async rename(nodeId: string, name: string): Promise<void> {
    const node = await this.node(nodeId);
    if (node.name === name) return;
    const taken = await this.namesLike(node.parentId ?? null, name);
    if (taken.has(name)) throw new AppError('NAME_TAKEN');
    // The type follows the new name; if that implies none, the bytes keep theirs.
    const mime = (node.kind === 'file' && mediaTypeOf(name)) || node.mime;
    await this.set(node, { name, mime });
  }

  /**
   * Moves a node with its contents; a name that is taken there gets a number.
   * @throws AppError NODE_NOT_FOUND, FOLDER_NOT_FOUND, FOLDER_INTO_ITSELF, FOLDER_TOO_DEEP
   */
  async move(nodeId: string, parentId: string | null): Promise<void> {
    const node = await this.node(nodeId);
    if ((node.parentId ?? null) === parentId) return;
    await this.requireRoomFor(node, parentId);
    const taken = await this.namesLike(parentId, beginningOf(node.name, node.kind));
    await this.set(node, { parentId, name: freeName(node.name, node.kind, taken) });
  }

  /**
   * Copies a node with its contents.
   * @returns the id of the copy, and those of everything created
   * @throws AppError as `move`, and QUOTA_EXCEEDED
   */
  async copy(nodeId: string, parentId: string | null): Promise<{ id: string; folderIds: string[]; fileIds: string[] }> {
    const node = await this.node(nodeId);
    const extent = await this.requireRoomFor(node, parentId);
    this.count(extent, 1);
    const taken = await this.namesLike(parentId, beginningOf(node.name, node.kind));
    const name = freeName(node.name, node.kind, taken);
    const copies = await copyTree(this.change.rows, node.id, { parentId, name, createdBy: this.userId });
    const id = copies[0]?.to ?? '';
    this.touch(id);
    // One more than an event lists marks the list as incomplete.
    for (const { to } of copies) if (this.touched.size <= maxListedNodes) this.touched.add(to);
    const made = (kind: string) => copies.filter((copy) => copy.kind === kind).map((copy) => copy.to);
    return { id, folderIds: made('dir'), fileIds: made('file') };
  }

  /** Deletes a node with its contents. @throws AppError NODE_NOT_FOUND */
  async remove(nodeId: string): Promise<void> {
    await this.node(nodeId);
    this.count(await readExtent(this.change.rows, nodeId), -1);
    await deleteTree(this.change.rows, nodeId);
    this.touch(nodeId);
  }

  /**
   * Gives a file new bytes; those that it had become an older version.
   * @param mime in place of the type that it has, if its name implies none
   * @throws AppError NODE_NOT_FOUND, QUOTA_EXCEEDED
   */
  async setContent(fileId: string, content: FileContent, mime: string | null = null): Promise<void> {
    const file = await this.node(fileId);
    const { blobId, size: sizeBytes, isText } = content;
    if (file.blobId === blobId) return;
    const growth = sizeBytes - file.sizeBytes;
    this.count({ folders: 0, files: 0, bytes: growth, height: 0 }, 1);
    await this.keepContent(file, growth);
    const type = mediaTypeOf(file.name) ?? mime ?? file.mime;
    await this.set(file, { blobId, sizeBytes, isText, mime: type, contentBy: this.userId, contentAt: dateNow() });
  }

  /** Gives a file the bytes of an older version. @throws AppError NODE_NOT_FOUND, FILE_VERSION_NOT_FOUND, QUOTA_EXCEEDED */
  async restore(fileId: string, version: number): Promise<void> {
    const file = await this.node(fileId);
    if (file.version === version) return;
    const kept = await findVersion(this.change.rows, fileId, version);
    if (!kept) throw new AppError('FILE_VERSION_NOT_FOUND');
    const mime = kept.mime ?? 'application/octet-stream';
    await this.setContent(fileId, { blobId: kept.blobId, size: kept.sizeBytes, isText: kept.isText, mime }, mime);
  }

  /** Deletes an older version of a file. @throws AppError FILE_VERSION_NOT_FOUND */
  async removeVersion(fileId: string, version: number): Promise<void> {
    if (!(await deleteVersion(this.change.rows, fileId, version))) throw new AppError('FILE_VERSION_NOT_FOUND');
    this.touch(fileId);
  }

  /** Deletes the oldest versions where there is no room for all files and versions of the workspace. */
  async makeRoom(): Promise<void> {
    const { quotaBytes } = this.limits;
    await makeRoomFor(this.change.rows, this.workspace.id, Math.max(quotaBytes - this.workspace.totalBytes, 0));
  }

  /** Nobody is refused a change since there is no room for what was there before: that is gone then. */
  private async keepContent(file: WorkspaceNode, growth: number): Promise<void> {
    const { sizeBytes } = file;
    const { versions, quotaBytes } = this.limits;
    if (versions === 0 || sizeBytes === 0 || this.workspace.totalBytes + sizeBytes > quotaBytes) return;
    const author = await authorOfContent(this.change.rows, file.id);
    const payers = [...new Set([this.userId, ...(author ? [author] : [])])];
    if (!(await this.hasRoom(payers, sizeBytes + Math.max(growth, 0)))) return;
    await keepVersion(this.change.rows, file.id, versions);
    this.keptBytes += sizeBytes;
  }

  private async node(nodeId: string): Promise<WorkspaceNode> {
    const node = await this.find(nodeId);
    if (!node) throw new AppError('NODE_NOT_FOUND');
    return node;
  }

  private async ancestry(folderId: string | null): Promise<Ancestry> {
    const ancestry = await readAncestry(this.change.rows, this.workspace.id, folderId);
    if (!ancestry) throw new AppError('FOLDER_NOT_FOUND');
    return ancestry;
  }

  private async requireRoomFor(node: WorkspaceNode, parentId: string | null): Promise<Extent> {
    const ancestry = await this.ancestry(parentId);
    if (ancestry.ids.includes(node.id)) throw new AppError('FOLDER_INTO_ITSELF');
    const extent = await readExtent(this.change.rows, node.id);
    this.requireDepth(ancestry, extent.height);
    return extent;
  }

  private requireDepth(ancestry: Ancestry, height: number): void {
    if (ancestry.ids.length + height > this.limits.maxDepth && height > 0) {
      throw new AppError('FOLDER_TOO_DEEP', {
        message: `Folders can be at most ${this.limits.maxDepth} deep in one another.`,
      });
    }
  }

  /** @throws AppError QUOTA_EXCEEDED when something is added that there is no room for */
  private count({ folders, files, bytes }: Extent, sign: 1 | -1): void {
    this.workspace.folderCount += sign * folders;
    this.workspace.fileCount += sign * files;
    this.workspace.totalBytes += sign * bytes;
    this.addedBytes += sign * bytes;
    if (sign < 0) return;
    const { quotaBytes, maxNodes } = this.limits;
    const { folderCount, fileCount, totalBytes } = this.workspace;
    if (bytes > 0 && totalBytes > quotaBytes) {
      throw quotaExceeded('workspace', totalBytes - bytes, quotaBytes);
    }
    if (folders + files > 0 && folderCount + fileCount > maxNodes) throw tooManyNodes(this.limits);
  }

  private async insert(
    parentId: string | null,
    kind: 'dir' | 'file',
    name: string,
    content: FileContent | null,
  ): Promise<string> {
    const bytes = content?.size ?? 0;
    this.count({ folders: kind === 'dir' ? 1 : 0, files: kind === 'file' ? 1 : 0, bytes, height: 0 }, 1);
    const taken = await this.namesLike(parentId, beginningOf(name, kind));
    const node = this.change.em.create(WorkspaceNode, {
      id: newId(),
      workspaceId: this.workspace.id,
      parentId,
      kind,
      name: freeName(name, kind, taken),
      mime: content?.mime ?? null,
      sizeBytes: bytes,
      isText: content?.isText ?? false,
      blobId: content?.blobId ?? null,
      createdBy: this.userId,
      ...(content && { contentBy: this.userId, contentAt: dateNow() }),
    });
    this.touch(node.id);
    await this.change.em.flush();
    return node.id;
  }

  private async set(node: WorkspaceNode, changed: Changed): Promise<void> {
    Object.assign(node, changed);
    node.version++;
    node.updatedAt = dateNow();
    this.touch(node.id);
    await this.change.em.flush();
  }

  private touch(nodeId: string): void {
    this.touched.add(nodeId);
    this.workspace.updatedAt = dateNow();
  }

  /** The names in a folder with this prefix. */
  private namesLike(parentId: string | null, beginning: string): Promise<Set<string>> {
    return readNames(this.change.rows, parentId ?? this.workspace.id, beginning);
  }
}
