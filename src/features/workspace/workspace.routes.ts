import { done } from '../../contract/schema.ts';
import { fileCalls, folderCalls, workspaceCalls } from '../../contract/workspace-calls.ts';
import { workspaceSearchCalls } from '../../contract/workspace-search.ts';
import { fileVersionCalls } from '../../contract/workspace-versions.ts';
import { contentReply } from '../../rest/content.ts';
import { JsonPieces, pageReply, RawReply, Reply, type Route, receiving, serve } from '../../rest/route.ts';
import type { ArchiveService } from './archive.ts';
import type { FileService } from './file.service.ts';
import type { NodeService } from './node.service.ts';
import type { LongText } from './node.view.ts';
import type { NodeSearch } from './search.service.ts';
import type { VersionService } from './version.service.ts';
import type { WorkspaceService } from './workspace.service.ts';

/** A record with its version as ETag, for If-Match. */
const versioned = <R extends { version: number }>(record: R, status?: number) =>
  new Reply(record, { status, headers: { ETag: `"${record.version}"` } });

export function fileRoutes(workspaces: WorkspaceService, nodes: NodeService, files: FileService): Route[] {
  return serve(fileCalls, {
    createFile: async ({ actor, params, body }) => versioned(await nodes.createFile(actor, params.serverId, body)),
    async updateFile({ actor, params, body, headers }) {
      const versions = headers['if-match'] ?? null;
      return versioned(await nodes.updateFile(actor, params.serverId, params.fileId, body, versions));
    },
    async deleteFile({ actor, params }) {
      await nodes.delete(actor, params.serverId, params.fileId, 'file');
      return done;
    },
    cloneFile: async ({ actor, params }) => versioned(await nodes.clone(actor, params.serverId, params.fileId)),
    uploadFile: receiving(
      ({ actor, params, fields, atLeast }, file) => files.receive(actor, params.serverId, file, { fields, atLeast }),
      async ({ actor, params, body, file }) =>
        versioned(await files.upload(actor, params.serverId, file, body.parentId)),
    ),
    searchFiles: ({ actor, params, query }) => workspaces.search(actor, params.serverId, 'file', query.query),
    getFile: async ({ actor, params, query }) =>
      versioned(await files.get(actor, params.serverId, params.fileId, query.version)),
    getFileLink: ({ actor, params, query }) => files.link(actor, params.serverId, params.fileId, query),
    async downloadFile({ actor, params, query, headers }) {
      const content = await files.download(actor, params.serverId, params.fileId, query);
      return contentReply(content, headers);
    },
    async openFileLink({ params, query: { token, ...media }, headers }) {
      const content = await files.openByLink(params.serverId, params.fileId, media, token);
      return contentReply(content, headers);
    },
  });
}

export function versionRoutes(files: FileService, versions: VersionService): Route[] {
  return serve(fileVersionCalls, {
    listFileVersions: ({ actor, params }) => versions.list(actor, params.serverId, params.fileId),
    replaceFile: receiving(
      ({ actor, params, atLeast }, file) => files.receiveContent(actor, params.serverId, params.fileId, file, atLeast),
      async ({ actor, params, headers, file }) => {
        const known = headers['if-match'] ?? null;
        return versioned(await files.replace(actor, params.serverId, params.fileId, file, known));
      },
    ),
    async restoreFileVersion({ actor, params: { serverId, fileId, version }, headers }) {
      const known = headers['if-match'] ?? null;
      return versioned(await versions.restore(actor, serverId, fileId, version, known));
    },
    async deleteFileVersion({ actor, params }) {
      await versions.delete(actor, params.serverId, params.fileId, params.version);
      return done;
    },
  });
}

export function searchRoutes(search: NodeSearch): Route[] {
  return serve(workspaceSearchCalls, {
    searchWorkspace: async ({ actor, params, query }) => pageReply(await search.page(actor, params.serverId, query)),
  });
}

const inPieces = ({ pieces, closed }: LongText) => new JsonPieces(pieces, closed);

export function workspaceRoutes(workspaces: WorkspaceService, nodes: NodeService): Route[] {
  return serve(workspaceCalls, {
    getWorkspace: ({ actor, params }) => workspaces.get(actor, params.serverId),
    renameWorkspace: ({ actor, params, body }) => workspaces.rename(actor, params.serverId, body.name),
    getWorkspaceTree: async ({ actor, params }) => inPieces(await workspaces.tree(actor, params.serverId)),
    getWorkspaceStats: ({ actor, params }) => workspaces.stats(actor, params.serverId),
    listFolder: async ({ actor, params, query }) =>
      inPieces(await workspaces.children(actor, params.serverId, query.parentId)),
    listFolders: async ({ actor, params, body }) =>
      inPieces(await workspaces.childrenOf(actor, params.serverId, body.parentIds)),
    pasteNodes: ({ actor, params, body }) => nodes.paste(actor, params.serverId, body),
    runWorkspaceCommands: ({ actor, params, body }) => nodes.runCommands(actor, params.serverId, body.commands),
  });
}

export function folderRoutes(workspaces: WorkspaceService, nodes: NodeService, archives: ArchiveService): Route[] {
  return serve(folderCalls, {
    createFolder: ({ actor, params, body }) => nodes.createFolder(actor, params.serverId, body),
    updateFolder: ({ actor, params, body }) => nodes.updateFolder(actor, params.serverId, params.folderId, body),
    async deleteFolder({ actor, params }) {
      await nodes.delete(actor, params.serverId, params.folderId, 'dir');
      return done;
    },
    searchFolders: ({ actor, params, query }) => workspaces.search(actor, params.serverId, 'dir', query.query),
    async downloadFolder({ actor, params }) {
      const { headers, stream } = await archives.download(actor, params.serverId, params.folderId);
      return new RawReply(200, headers, stream);
    },
    async downloadWorkspace({ actor, params }) {
      const { headers, stream } = await archives.download(actor, params.serverId, null);
      return new RawReply(200, headers, stream);
    },
  });
}
