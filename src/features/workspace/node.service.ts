import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type {
  Command,
  commandsAnswer,
  createFileSchema,
  createFolderSchema,
  pasteAnswer,
  pasteSchema,
  updateFileSchema,
  updateFolderSchema,
} from '../../contract/workspace.ts';
import { mediaTypeOf } from '../../infrastructure/media-types.ts';
import type { BlobStore } from '../blobs/blob.store.ts';
import type { WorkspaceEdits } from './edits.ts';
import type { NodeRecord } from './node.view.ts';
import type { FileContent, TreeEdit } from './tree-edit.ts';
import type { WorkspaceAccess } from './workspace.access.ts';

interface Deps {
  workspaceAccess: WorkspaceAccess;
  workspaceEdits: WorkspaceEdits;
  blobs: BlobStore;
}

/** Creates, changes, moves and deletes folders and files (contract §8). Every member may. */
export class NodeService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** A new folder; a taken name gets a number. @throws AppError FOLDER_NOT_FOUND, FOLDER_TOO_DEEP, QUOTA_EXCEEDED */
  createFolder(actor: Actor, serverId: string, input: z.output<typeof createFolderSchema>): Promise<NodeRecord> {
    return this.deps.workspaceEdits.one(actor, serverId, (edit) =>
      edit.createFolder(input.parentId ?? null, input.name),
    );
  }

  /** Renames or moves a folder. @throws AppError FOLDER_NOT_FOUND, NAME_TAKEN, FOLDER_INTO_ITSELF, FOLDER_TOO_DEEP */
  updateFolder(
    actor: Actor,
    serverId: string,
    folderId: string,
    input: z.output<typeof updateFolderSchema>,
  ): Promise<NodeRecord> {
    return this.deps.workspaceEdits.one(actor, serverId, async (edit) => {
      await requireKind(edit, folderId, 'dir');
      await relocate(edit, folderId, input);
      return folderId;
    });
  }

  /** Deletes a file, or a folder with its contents. @throws AppError FILE_NOT_FOUND, FOLDER_NOT_FOUND */
  async delete(actor: Actor, serverId: string, nodeId: string, kind: 'dir' | 'file'): Promise<void> {
    await this.deps.workspaceEdits.run(actor, serverId, async (edit) => {
      await requireKind(edit, nodeId, kind);
      await edit.remove(nodeId);
    });
  }

  /** A new text file; if the name is taken it gets a number. @throws AppError FOLDER_NOT_FOUND, QUOTA_EXCEEDED */
  async createFile(actor: Actor, serverId: string, input: z.output<typeof createFileSchema>): Promise<NodeRecord> {
    await this.deps.workspaceAccess.openToWrite(actor, serverId);
    const content = await this.textContent(input.name, input.content);
    return this.deps.workspaceEdits.one(actor, serverId, (edit) =>
      edit.createFile(input.parentId ?? null, input.name, content),
    );
  }

  /**
   * Changes the text, name or folder of a file.
   * @param versions only if it still has one of these versions; null: in any case
   * @throws AppError FILE_NOT_FOUND, FILE_CHANGED, NAME_TAKEN, QUOTA_EXCEEDED
   */
  async updateFile(
    actor: Actor,
    serverId: string,
    fileId: string,
    input: z.output<typeof updateFileSchema>,
    versions: string[] | null,
  ): Promise<NodeRecord> {
    await this.deps.workspaceAccess.openToWrite(actor, serverId);
    const content = input.content === undefined ? null : await this.textContent('', input.content);
    return this.deps.workspaceEdits.one(actor, serverId, async (edit) => {
      await requireKind(edit, fileId, 'file', versions);
      if (content) await edit.setContent(fileId, content);
      await relocate(edit, fileId, input);
      return fileId;
    });
  }

  /** A file from contents that are already in the store. */
  addFile(
    actor: Actor,
    serverId: string,
    parentId: string | null,
    file: { name: string; content: FileContent },
  ): Promise<NodeRecord> {
    return this.deps.workspaceEdits.one(actor, serverId, (edit) => edit.createFile(parentId, file.name, file.content));
  }

  /**
   * Gives a file contents that are already in the store.
   * @throws AppError FILE_NOT_FOUND, FILE_CHANGED, QUOTA_EXCEEDED
   */
  setContent(
    actor: Actor,
    serverId: string,
    fileId: string,
    content: FileContent,
    versions: string[] | null,
  ): Promise<NodeRecord> {
    return this.deps.workspaceEdits.one(actor, serverId, async (edit) => {
      await requireKind(edit, fileId, 'file', versions);
      await edit.setContent(fileId, content, content.mime);
      return fileId;
    });
  }

  /** A copy of a file beside it. */
  clone(actor: Actor, serverId: string, fileId: string): Promise<NodeRecord> {
    return this.deps.workspaceEdits.one(actor, serverId, async (edit) => {
      const file = await requireKind(edit, fileId, 'file');
      return (await edit.copy(fileId, file.parentId ?? null)).id;
    });
  }

  /** Copies or moves nodes with their contents; a node inside another one of them goes with that. */
  async paste(
    actor: Actor,
    serverId: string,
    input: z.output<typeof pasteSchema>,
  ): Promise<z.input<typeof pasteAnswer>> {
    const target = input.targetParentId ?? null;
    const { result, touched } = await this.deps.workspaceEdits.run(actor, serverId, async (edit) => {
      const pasted = { ids: [] as string[], folderIds: [] as string[], fileIds: [] as string[] };
      for (const nodeId of await edit.outermost(input.nodeIds)) {
        if (input.mode === 'cut') {
          await edit.move(nodeId, target);
          edit.shown.add(nodeId);
          pasted.ids.push(nodeId);
          continue;
        }
        const copy = await edit.copy(nodeId, target);
        pasted.ids.push(copy.id);
        pasted.folderIds.push(...copy.folderIds);
        pasted.fileIds.push(...copy.fileIds);
      }
      return pasted;
    });
    return {
      nodes: result.ids.flatMap((id) => touched.get(id) ?? []),
      createdFolderIds: result.folderIds,
      createdFileIds: result.fileIds,
    };
  }

  /** Runs steps in order, all or none. @throws AppError what a step throws, with its `index` */
  async runCommands(actor: Actor, serverId: string, commands: Command[]): Promise<z.input<typeof commandsAnswer>> {
    await this.deps.workspaceAccess.openToWrite(actor, serverId);
    const steps: { command: Command; content: FileContent | null }[] = [];
    for (const command of commands) steps.push({ command, content: await this.contentOf(command) });
    const { result, touched } = await this.deps.workspaceEdits.run(actor, serverId, async (edit) => {
      const ids: string[] = [];
      for (const [index, { command, content }] of steps.entries()) {
        const id = await runStep(edit, command, content).catch((error) => {
          throw error instanceof AppError ? withIndex(error, index) : error;
        });
        ids.push(id);
      }
      return ids;
    });
    return commands.map(({ type }, index) => {
      const nodeId = result[index] ?? '';
      return { ok: true, type, nodeId, node: touched.get(nodeId) ?? null };
    });
  }

  private async contentOf(command: Command): Promise<FileContent | null> {
    if (command.type === 'create-file') return this.textContent(command.name, command.content);
    return command.type === 'update-file' ? this.textContent('', command.content) : null;
  }

  /**
   * Text of those who may edit is stored before the edit begins: the workspace must not be locked while that waits, nor
   * block edits of others with the same text. If the edit is refused, it is deleted again.
   */
  private async textContent(name: string, text: string): Promise<FileContent> {
    const { id, size } = await this.deps.blobs.put(Buffer.from(text));
    return { blobId: id, size, mime: mediaTypeOf(name) ?? 'text/plain', isText: true };
  }
}

async function runStep(edit: TreeEdit, command: Command, content: FileContent | null): Promise<string> {
  switch (command.type) {
    case 'create-folder':
      return edit.createFolder(command.parentId, command.name);
    case 'create-file':
      if (!content) throw new Error('A file without its content.');
      return edit.createFile(command.parentId, command.name, content);
    case 'rename':
      await edit.rename(command.nodeId, command.name);
      break;
    case 'move':
      await edit.move(command.nodeId, command.parentId);
      break;
    case 'delete':
      await edit.remove(command.nodeId);
      return command.nodeId;
    case 'update-file':
      if (!content) throw new Error('A file without its content.');
      await requireKind(edit, command.nodeId, 'file');
      await edit.setContent(command.nodeId, content);
  }
  edit.shown.add(command.nodeId);
  return command.nodeId;
}

function withIndex(error: AppError, index: number): AppError {
  return new AppError(error.code, { message: error.message, extra: { ...error.extra, index }, cause: error });
}

/** A node of the kind that the address names. @throws AppError FOLDER_NOT_FOUND, FILE_NOT_FOUND, FILE_CHANGED */
export async function requireKind(
  edit: TreeEdit,
  nodeId: string,
  kind: 'dir' | 'file',
  versions: string[] | null = null,
) {
  const node = await edit.find(nodeId);
  if (node?.kind !== kind) throw new AppError(kind === 'dir' ? 'FOLDER_NOT_FOUND' : 'FILE_NOT_FOUND');
  if (versions !== null && !versions.includes(String(node.version))) {
    throw new AppError('FILE_CHANGED', { extra: { version: node.version } });
  }
  return node;
}

interface Relocation {
  name?: string;
  parentId?: string | null;
  targetParentId?: string | null;
}

async function relocate(edit: TreeEdit, nodeId: string, { name, parentId, targetParentId }: Relocation): Promise<void> {
  const target = parentId !== undefined ? parentId : targetParentId;
  if (target !== undefined) await edit.move(nodeId, target);
  if (name !== undefined) await edit.rename(nodeId, name);
}
