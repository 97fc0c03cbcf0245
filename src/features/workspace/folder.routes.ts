import { done } from '../../contract/schema.ts';
import { folderCalls } from '../../contract/workspace-calls.ts';
import { RawReply, type Route, serve } from '../../rest/route.ts';
import type { ArchiveService } from './archive.ts';
import type { NodeService } from './node.service.ts';
import type { WorkspaceService } from './workspace.service.ts';

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
