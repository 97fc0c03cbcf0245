import { z } from 'zod';
import { done, doneSchema } from '../../contract/schema.ts';
import { createFolderSchema, nodeSchema, searchSchema, updateFolderSchema } from '../../contract/workspace.ts';
import { RawReply, type Route, rawAnswer, route, slugParam, uuidParam } from '../../rest/route.ts';
import type { ArchiveService } from './archive.ts';
import type { NodeService } from './node.service.ts';
import type { WorkspaceService } from './workspace.service.ts';

const tag = 'Workspace';
const base = '/api/servers/:serverId/workspace';
const serverId = slugParam('SERVER_NOT_FOUND', 'Id or slug of the server.');
const folderId = uuidParam('FOLDER_NOT_FOUND', 'Id of the folder.');

export function folderRoutes(workspaces: WorkspaceService, nodes: NodeService, archives: ArchiveService): Route[] {
  return [...changingRoutes(nodes), ...findingRoutes(workspaces, archives)];
}

function changingRoutes(nodes: NodeService): Route[] {
  return [
    route({
      method: 'POST',
      path: `${base}/folders`,
      summary: 'Create a folder. If the name is taken it gets a number.',
      tag,
      auth: 'required',
      params: { serverId },
      body: createFolderSchema,
      status: 201,
      answer: nodeSchema,
      errors: ['NOT_A_MEMBER', 'FORBIDDEN', 'FOLDER_NOT_FOUND', 'FOLDER_TOO_DEEP', 'QUOTA_EXCEEDED'],
      handle: ({ actor, params, body }) => nodes.createFolder(actor, params.serverId, body),
    }),
    route({
      method: 'PATCH',
      path: `${base}/folders/:folderId`,
      summary: 'Rename a folder, or move it.',
      tag,
      auth: 'required',
      params: { serverId, folderId },
      body: updateFolderSchema,
      answer: nodeSchema,
      errors: ['NOT_A_MEMBER', 'FORBIDDEN', 'NAME_TAKEN', 'FOLDER_INTO_ITSELF', 'FOLDER_TOO_DEEP'],
      handle: ({ actor, params, body }) => nodes.updateFolder(actor, params.serverId, params.folderId, body),
    }),
    route({
      method: 'DELETE',
      path: `${base}/folders/:folderId`,
      summary: 'Delete a folder with its contents.',
      tag,
      auth: 'required',
      params: { serverId, folderId },
      answer: doneSchema,
      errors: ['NOT_A_MEMBER', 'FORBIDDEN'],
      async handle({ actor, params }) {
        await nodes.delete(actor, params.serverId, params.folderId, 'dir');
        return done;
      },
    }),
  ];
}

function findingRoutes(workspaces: WorkspaceService, archives: ArchiveService): Route[] {
  return [
    route({
      method: 'GET',
      path: `${base}/folders/search`,
      summary: 'Search folders by a part of their name.',
      tag,
      auth: 'required',
      params: { serverId },
      query: searchSchema,
      answer: z.array(nodeSchema),
      errors: ['NOT_A_MEMBER', 'FORBIDDEN'],
      handle: ({ actor, params, query }) => workspaces.search(actor, params.serverId, 'dir', query.query),
    }),
    route({
      method: 'GET',
      path: `${base}/folders/:folderId/download`,
      summary: 'A folder as a ZIP file.',
      tag,
      auth: 'required',
      params: { serverId, folderId },
      produces: 'application/zip',
      answer: rawAnswer,
      errors: ['NOT_A_MEMBER', 'FORBIDDEN'],
      async handle({ actor, params }) {
        const { headers, stream } = await archives.download(actor, params.serverId, params.folderId);
        return new RawReply(200, headers, stream);
      },
    }),
    route({
      method: 'GET',
      path: `${base}/download`,
      summary: 'The whole workspace as a ZIP file.',
      tag,
      auth: 'required',
      params: { serverId },
      produces: 'application/zip',
      answer: rawAnswer,
      errors: ['NOT_A_MEMBER', 'FORBIDDEN'],
      async handle({ actor, params }) {
        const { headers, stream } = await archives.download(actor, params.serverId, null);
        return new RawReply(200, headers, stream);
      },
    }),
  ];
}
