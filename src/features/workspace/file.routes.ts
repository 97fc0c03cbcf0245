import { z } from 'zod';
import { done, doneSchema } from '../../contract/schema.ts';
import {
  createFileSchema,
  fileSchema,
  fileVersionHeaders,
  mediaLinkSchema,
  mediaQuerySchema,
  mediaUrlSchema,
  nodeSchema,
  searchSchema,
  updateFileSchema,
  uploadFieldsSchema,
} from '../../contract/workspace.ts';
import { contentHeaders, contentReply } from '../../rest/content.ts';
import { Reply, type Route, rawAnswer, route, slugParam, uuidParam } from '../../rest/route.ts';
import type { FileService } from './file.service.ts';
import type { NodeService } from './node.service.ts';
import type { WorkspaceService } from './workspace.service.ts';

const tag = 'Workspace';
const base = '/api/servers/:serverId/workspace';
const serverId = slugParam('SERVER_NOT_FOUND', 'Id or slug of the server.');
const fileId = uuidParam('FILE_NOT_FOUND', 'Id of the file.');

/** A record with its version as ETag, for If-Match. */
const versioned = <R extends { version: number }>(record: R, status?: number) =>
  new Reply(record, { status, headers: { ETag: `"${record.version}"` } });

export function fileRoutes(workspaces: WorkspaceService, nodes: NodeService, files: FileService): Route[] {
  return [...changingRoutes(nodes, files), ...readingRoutes(workspaces, files), ...byteRoutes(files)];
}

function changingRoutes(nodes: NodeService, files: FileService): Route[] {
  return [
    route({
      method: 'POST',
      path: `${base}/files`,
      summary: 'Create a text file. If the name is taken it gets a number.',
      tag,
      auth: 'required',
      params: { serverId },
      body: createFileSchema,
      status: 201,
      answer: nodeSchema,
      errors: ['NOT_A_MEMBER', 'FORBIDDEN', 'FOLDER_NOT_FOUND', 'QUOTA_EXCEEDED'],
      handle: async ({ actor, params, body }) => versioned(await nodes.createFile(actor, params.serverId, body)),
    }),
    route({
      method: 'PATCH',
      path: `${base}/files/:fileId`,
      summary: 'Change the text of a file, its name or its place.',
      tag,
      auth: 'required',
      params: { serverId, fileId },
      headers: fileVersionHeaders,
      body: updateFileSchema,
      answer: nodeSchema,
      errors: ['NOT_A_MEMBER', 'FORBIDDEN', 'FOLDER_NOT_FOUND', 'NAME_TAKEN', 'FILE_CHANGED', 'QUOTA_EXCEEDED'],
      async handle({ actor, params, body, headers }) {
        const versions = headers['if-match'] ?? null;
        return versioned(await nodes.updateFile(actor, params.serverId, params.fileId, body, versions));
      },
    }),
    route({
      method: 'DELETE',
      path: `${base}/files/:fileId`,
      summary: 'Delete a file.',
      tag,
      auth: 'required',
      params: { serverId, fileId },
      answer: doneSchema,
      errors: ['NOT_A_MEMBER', 'FORBIDDEN'],
      async handle({ actor, params }) {
        await nodes.delete(actor, params.serverId, params.fileId, 'file');
        return done;
      },
    }),
    route({
      method: 'POST',
      path: `${base}/files/:fileId/clone`,
      summary: 'Copy a file, in the same folder.',
      tag,
      auth: 'required',
      params: { serverId, fileId },
      status: 201,
      answer: nodeSchema,
      errors: ['NOT_A_MEMBER', 'FORBIDDEN', 'QUOTA_EXCEEDED'],
      handle: async ({ actor, params }) => versioned(await nodes.clone(actor, params.serverId, params.fileId)),
    }),
    route({
      method: 'POST',
      path: `${base}/upload`,
      summary: 'Upload a file of up to 100 MiB. If the name is taken it gets a number.',
      tag,
      auth: 'required',
      limit: 'uploads',
      params: { serverId },
      body: uploadFieldsSchema,
      file: {
        description: 'The file, with its name.',
        receive: ({ actor, params, fields, atLeast }, file) =>
          files.receive(actor, params.serverId, file, { fields, atLeast }),
      },
      status: 201,
      answer: nodeSchema,
      errors: ['NOT_A_MEMBER', 'FORBIDDEN', 'FOLDER_NOT_FOUND', 'QUOTA_EXCEEDED'],
      handle: async ({ actor, params, body, file }) =>
        versioned(await files.upload(actor, params.serverId, file, body.parentId)),
    }),
  ];
}

function readingRoutes(workspaces: WorkspaceService, files: FileService): Route[] {
  return [
    route({
      method: 'GET',
      path: `${base}/files/search`,
      summary: 'Search files by a part of their name.',
      tag,
      auth: 'required',
      params: { serverId },
      query: searchSchema,
      answer: z.array(nodeSchema),
      errors: ['NOT_A_MEMBER', 'FORBIDDEN'],
      handle: ({ actor, params, query }) => workspaces.search(actor, params.serverId, 'file', query.query),
    }),
    route({
      method: 'GET',
      path: `${base}/files/:fileId`,
      summary: 'A file, with its text if it is a text file.',
      tag,
      auth: 'required',
      params: { serverId, fileId },
      answer: fileSchema,
      errors: ['NOT_A_MEMBER', 'FORBIDDEN'],
      handle: async ({ actor, params }) => versioned(await files.get(actor, params.serverId, params.fileId)),
    }),
    route({
      method: 'GET',
      path: `${base}/files/:fileId/media-url`,
      summary: 'A link to the bytes of a file that works without signing in, for ten minutes.',
      tag,
      auth: 'required',
      params: { serverId, fileId },
      query: mediaQuerySchema,
      answer: mediaUrlSchema,
      errors: ['NOT_A_MEMBER', 'FORBIDDEN'],
      handle: ({ actor, params, query }) => files.link(actor, params.serverId, params.fileId, query.disposition),
    }),
  ];
}

function byteRoutes(files: FileService): Route[] {
  return [
    route({
      method: 'GET',
      path: `${base}/files/:fileId/download`,
      summary: 'The bytes of a file. Only images, audio, video and plain text are sent inline.',
      tag,
      auth: 'required',
      params: { serverId, fileId },
      query: mediaQuerySchema,
      headers: contentHeaders,
      produces: '*/*',
      answer: rawAnswer,
      errors: ['NOT_A_MEMBER', 'FORBIDDEN'],
      async handle({ actor, params, query, headers }) {
        const content = await files.download(actor, params.serverId, params.fileId, query.disposition);
        return contentReply(content, headers);
      },
    }),
    route({
      method: 'GET',
      path: `${base}/files/:fileId/media`,
      summary: 'What a signed link leads to.',
      tag,
      auth: 'none',
      params: { serverId, fileId },
      query: mediaLinkSchema,
      headers: contentHeaders,
      produces: '*/*',
      answer: rawAnswer,
      errors: ['LINK_EXPIRED'],
      async handle({ params, query, headers }) {
        const content = await files.openByLink(params.serverId, params.fileId, query.disposition, query.token);
        return contentReply(content, headers);
      },
    }),
  ];
}
