import { AppError } from '../../contract/errors.ts';
import { maxListedNodes } from '../../contract/workspace.ts';
import type { Rows } from '../../database/database.ts';
import { newId } from '../../infrastructure/ids.ts';
import { mediaTypeOf } from '../../infrastructure/media-types.ts';
import { beginningOf, freeName } from './names.ts';
import { type Ancestry, type Extent, readAncestry, readCovered, readExtent, readNodes } from './node.table.ts';
import type { PlacedRow } from './node.view.ts';
import { selectTotals, type Totals, tooManyNodes, type WorkspaceLimits } from './quota.ts';
import type { OpenWorkspace } from './workspace.access.ts';

/** The contents of a file: bytes in the store, and their metadata. */
export interface FileContent {
  blobId: string;
  size: number;
  mime: string;
  isText: boolean;
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
  private readonly rows: Rows;
  private readonly workspace: OpenWorkspace;
  private readonly limits: WorkspaceLimits;
  private readonly totals: Totals;
  private readonly userId: string;

  private constructor(rows: Rows, workspace: OpenWorkspace, userId: string, limits: WorkspaceLimits, totals: Totals) {
    this.rows = rows;
    this.workspace = workspace;
    this.userId = userId;
    this.limits = limits;
    this.totals = totals;
  }

  /** @param userId the editor, for `createdBy` */
  static async begin(rows: Rows, workspace: OpenWorkspace, userId: string, limits: WorkspaceLimits): Promise<TreeEdit> {
    const [totals] = await rows<Totals>(`${selectTotals} FOR NO KEY UPDATE`, [workspace.id]);
    if (!totals) throw new AppError('SERVER_NOT_FOUND');
    return new TreeEdit(rows, workspace, userId, limits, totals);
  }

  /** Writes the counts. The last step of an edit. */
  async finish(): Promise<void> {
    if (this.touched.size === 0) return;
    const { folderCount, fileCount, totalBytes } = this.totals;
    await this.rows(
      `UPDATE workspaces SET folder_count = $2, file_count = $3, total_bytes = $4, updated_at = now() WHERE id = $1`,
      [this.workspace.id, folderCount, fileCount, totalBytes],
    );
  }

  /** A node of this workspace; undefined if it has none with this id. */
  async find(nodeId: string): Promise<PlacedRow | undefined> {
    const [row] = await readNodes(this.rows, this.workspace.id, [nodeId]);
    return row;
  }

  /** The given nodes without those inside others of them. */
  async outermost(nodeIds: string[]): Promise<string[]> {
    const covered = await readCovered(this.rows, nodeIds);
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
    const taken = await this.namesLike(node.parent_id, name);
    if (taken.has(name)) throw new AppError('NAME_TAKEN');
    await this.place(nodeId, node.parent_id, name);
    // The type follows the new name; if that implies none, the bytes keep theirs.
    const mime = node.kind === 'file' ? mediaTypeOf(name) : null;
    if (mime) await this.rows('UPDATE workspace_nodes SET mime = $2 WHERE id = $1', [nodeId, mime]);
  }

  /**
   * Moves a node with its contents; a name that is taken there gets a number.
   * @throws AppError NODE_NOT_FOUND, FOLDER_NOT_FOUND, FOLDER_INTO_ITSELF, FOLDER_TOO_DEEP
   */
  async move(nodeId: string, parentId: string | null): Promise<void> {
    const node = await this.node(nodeId);
    if (node.parent_id === parentId) return;
    await this.requireRoomFor(node, parentId);
    const taken = await this.namesLike(parentId, beginningOf(node.name, node.kind));
    await this.place(nodeId, parentId, freeName(node.name, node.kind, taken));
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
    return this.duplicate(node, parentId, freeName(node.name, node.kind, taken));
  }

  /** Deletes a node with its contents. @throws AppError NODE_NOT_FOUND */
  async remove(nodeId: string): Promise<void> {
    await this.node(nodeId);
    this.count(await readExtent(this.rows, nodeId), -1);
    await this.rows(
      `WITH RECURSIVE inside AS (
         SELECT id FROM workspace_nodes WHERE id = $1
         UNION ALL SELECT c.id FROM inside JOIN workspace_nodes c ON c.parent_id = inside.id
       ) DELETE FROM workspace_nodes USING inside WHERE workspace_nodes.id = inside.id`,
      [nodeId],
    );
    this.touched.add(nodeId);
  }

  /** Gives a file new bytes. @throws AppError NODE_NOT_FOUND, QUOTA_EXCEEDED */
  async setContent(fileId: string, content: FileContent): Promise<void> {
    const file = await this.node(fileId);
    if (file.blob_id === content.blobId) return;
    this.count({ folders: 0, files: 0, bytes: content.size - file.size_bytes, height: 0 }, 1);
    await this.rows(
      `UPDATE workspace_nodes SET blob_id = $2, size_bytes = $3, is_text = $4, version = version + 1, updated_at = now()
       WHERE id = $1`,
      [fileId, content.blobId, content.size, content.isText],
    );
    this.touched.add(fileId);
  }

  private async node(nodeId: string): Promise<PlacedRow> {
    const row = await this.find(nodeId);
    if (!row) throw new AppError('NODE_NOT_FOUND');
    return row;
  }

  private async ancestry(folderId: string | null): Promise<Ancestry> {
    const ancestry = await readAncestry(this.rows, this.workspace.id, folderId);
    if (!ancestry) throw new AppError('FOLDER_NOT_FOUND');
    return ancestry;
  }

  private async requireRoomFor(node: PlacedRow, parentId: string | null): Promise<Extent> {
    const ancestry = await this.ancestry(parentId);
    if (ancestry.ids.includes(node.id)) throw new AppError('FOLDER_INTO_ITSELF');
    const extent = await readExtent(this.rows, node.id);
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
    this.totals.folderCount += sign * folders;
    this.totals.fileCount += sign * files;
    this.totals.totalBytes += sign * bytes;
    this.addedBytes += sign * bytes;
    if (sign < 0) return;
    const { quotaBytes, maxNodes } = this.limits;
    const { folderCount, fileCount, totalBytes } = this.totals;
    if (bytes > 0 && totalBytes > quotaBytes) {
      throw new AppError('QUOTA_EXCEEDED', { extra: { totalBytes: totalBytes - bytes, quotaBytes } });
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
    const id = newId();
    await this.rows(
      `INSERT INTO workspace_nodes (id, workspace_id, parent_id, kind, name, mime, size_bytes, is_text, blob_id,
         created_by, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now(), now())`,
      [
        id,
        this.workspace.id,
        parentId,
        kind,
        freeName(name, kind, taken),
        content?.mime ?? null,
        bytes,
        content?.isText ?? false,
        content?.blobId ?? null,
        this.userId,
      ],
    );
    this.touched.add(id);
    return id;
  }

  private async duplicate(node: PlacedRow, parentId: string | null, name: string) {
    const inside = await this.rows<{ id: string; kind: string }>(
      `WITH RECURSIVE inside AS (
         SELECT id, kind FROM workspace_nodes WHERE id = $1
         UNION ALL SELECT c.id, c.kind FROM inside JOIN workspace_nodes c ON c.parent_id = inside.id
       ) SELECT id, kind FROM inside`,
      [node.id],
    );
    const copies = inside.map(({ id, kind }) => ({ from: id, to: newId(), kind }));
    await this.rows(
      `WITH pairs AS MATERIALIZED (SELECT * FROM unnest($1::uuid[], $2::uuid[]) AS pair (old, new))
       INSERT INTO workspace_nodes (id, workspace_id, parent_id, kind, name, mime, size_bytes, is_text, blob_id,
         created_by, created_at, updated_at)
       SELECT pairs.new, n.workspace_id, coalesce(above.new, $3), n.kind, CASE WHEN n.id = $4 THEN $5 ELSE n.name END,
         n.mime, n.size_bytes, n.is_text, n.blob_id, $6, now(), now()
       FROM pairs JOIN workspace_nodes n ON n.id = pairs.old LEFT JOIN pairs above ON above.old = n.parent_id`,
      [copies.map((copy) => copy.from), copies.map((copy) => copy.to), parentId, node.id, name, this.userId],
    );
    const id = copies[0]?.to ?? '';
    this.touched.add(id);
    // One more than an event lists marks the list as incomplete.
    for (const { to } of copies) if (this.touched.size <= maxListedNodes) this.touched.add(to);
    const made = (kind: string) => copies.filter((copy) => copy.kind === kind).map((copy) => copy.to);
    return { id, folderIds: made('dir'), fileIds: made('file') };
  }

  private async place(nodeId: string, parentId: string | null, name: string): Promise<void> {
    await this.rows(
      `UPDATE workspace_nodes SET parent_id = $2, name = $3, version = version + 1, updated_at = now() WHERE id = $1`,
      [nodeId, parentId, name],
    );
    this.touched.add(nodeId);
  }

  /** The names in a folder with this prefix. */
  private async namesLike(parentId: string | null, beginning: string): Promise<Set<string>> {
    const found = await this.rows<{ name: string }>(
      `SELECT name FROM workspace_nodes WHERE coalesce(parent_id, workspace_id) = $1 AND starts_with(name, $2)`,
      [parentId ?? this.workspace.id, beginning],
    );
    return new Set(found.map((row) => row.name));
  }
}
