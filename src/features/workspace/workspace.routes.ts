import { z } from 'zod';
import {
  childrenBatchAnswer,
  childrenBatchSchema,
  childrenSchema,
  commandsAnswer,
  commandsSchema,
  nodeSchema,
  pasteAnswer,
  pasteSchema,
  renameWorkspaceSchema,
  treeNodeSchema,
  workspaceSchema,
  workspaceStatsSchema,
} from '../../contract/workspace.ts';
import { JsonPieces, type Route, route, slugParam } from '../../rest/route.ts';
import type { NodeService } from './node.service.ts';
import type { LongText } from './node.view.ts';
import type { WorkspaceService } from './workspace.service.ts';

const tag = 'Workspace';
const base = '/api/servers/:serverId/workspace';
const serverId = slugParam('SERVER_NOT_FOUND', 'Id or slug of the server.');

export function workspaceRoutes(workspaces: WorkspaceService, nodes: NodeService): Route[] {
  return [...readingRoutes(workspaces), ...editingRoutes(nodes)];
}

function readingRoutes(workspaces: WorkspaceService): Route[] {
  return [
    route({
      method: 'GET',
      path: base,
      summary: 'The workspace of a server.',
      tag,
      auth: 'required',
      params: { serverId },
      answer: workspaceSchema,
      errors: ['NOT_A_MEMBER', 'FORBIDDEN'],
      handle: ({ actor, params }) => workspaces.get(actor, params.serverId),
    }),
    route({
      method: 'PATCH',
      path: base,
      summary: 'Rename the workspace.',
      tag,
      auth: 'required',
      params: { serverId },
      body: renameWorkspaceSchema,
      answer: workspaceSchema,
      errors: ['NOT_A_MEMBER', 'FORBIDDEN'],
      handle: ({ actor, params, body }) => workspaces.rename(actor, params.serverId, body.name),
    }),
    route({
      method: 'GET',
      path: `${base}/tree`,
      summary: 'All folders and files, as a tree.',
      tag,
      auth: 'required',
      params: { serverId },
      answer: z.array(treeNodeSchema),
      errors: ['NOT_A_MEMBER', 'FORBIDDEN'],
      handle: async ({ actor, params }) => inPieces(await workspaces.tree(actor, params.serverId)),
    }),
    route({
      method: 'GET',
      path: `${base}/stats`,
      summary: 'How much is in the workspace.',
      tag,
      auth: 'required',
      params: { serverId },
      answer: workspaceStatsSchema,
      errors: ['NOT_A_MEMBER', 'FORBIDDEN'],
      handle: ({ actor, params }) => workspaces.stats(actor, params.serverId),
    }),
    route({
      method: 'GET',
      path: `${base}/children`,
      summary: 'What is in a folder.',
      tag,
      auth: 'required',
      params: { serverId },
      query: childrenSchema,
      answer: z.array(nodeSchema),
      errors: ['NOT_A_MEMBER', 'FORBIDDEN', 'FOLDER_NOT_FOUND'],
      handle: async ({ actor, params, query }) =>
        inPieces(await workspaces.children(actor, params.serverId, query.parentId)),
    }),
    route({
      method: 'POST',
      path: `${base}/children/batch`,
      summary: 'What is in several folders.',
      tag,
      auth: 'required',
      params: { serverId },
      body: childrenBatchSchema,
      answer: childrenBatchAnswer,
      repeats: 'never',
      errors: ['NOT_A_MEMBER', 'FORBIDDEN'],
      handle: async ({ actor, params, body }) =>
        inPieces(await workspaces.childrenOf(actor, params.serverId, body.parentIds)),
    }),
  ];
}

const inPieces = ({ pieces, closed }: LongText) => new JsonPieces(pieces, closed);

function editingRoutes(nodes: NodeService): Route[] {
  return [
    route({
      method: 'POST',
      path: `${base}/nodes/paste`,
      summary: 'Copy or move folders and files, with their contents.',
      tag,
      auth: 'required',
      params: { serverId },
      body: pasteSchema,
      answer: pasteAnswer,
      errors: [
        'NOT_A_MEMBER',
        'NODE_NOT_FOUND',
        'FOLDER_NOT_FOUND',
        'FOLDER_INTO_ITSELF',
        'FOLDER_TOO_DEEP',
        'QUOTA_EXCEEDED',
      ],
      handle: ({ actor, params, body }) => nodes.paste(actor, params.serverId, body),
    }),
    route({
      method: 'POST',
      path: `${base}/commands`,
      summary: 'Several changes, all or none, with one result for each.',
      tag,
      auth: 'required',
      params: { serverId },
      body: commandsSchema,
      answer: commandsAnswer,
      errors: [
        'NOT_A_MEMBER',
        'NODE_NOT_FOUND',
        'FOLDER_NOT_FOUND',
        'FILE_NOT_FOUND',
        'FOLDER_INTO_ITSELF',
        'FOLDER_TOO_DEEP',
        'NAME_TAKEN',
        'QUOTA_EXCEEDED',
      ],
      handle: ({ actor, params, body }) => nodes.runCommands(actor, params.serverId, body.commands),
    }),
  ];
}
