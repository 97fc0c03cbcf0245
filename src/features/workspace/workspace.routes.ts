import { workspaceCalls } from '../../contract/workspace-calls.ts';
import { JsonPieces, type Route, serve } from '../../rest/route.ts';
import type { NodeService } from './node.service.ts';
import type { LongText } from './node.view.ts';
import type { WorkspaceService } from './workspace.service.ts';

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
