import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { calls, slugParam, textParam, uuidParam } from './call.ts';
import { doneSchema, idSchema, record, timeSchema } from './schema.ts';
import { fileVersionHeaders, nodeSchema } from './workspace.ts';

export const fileVersionSchema = record('WorkspaceFileVersion', {
  fileId: idSchema,
  version: z.number().int().describe('The last `version` of the file that had this content.'),
  isCurrent: z.boolean().describe('The file has this content now.'),
  sizeBytes: z.number().int(),
  mime: z.string().nullable(),
  isText: z.boolean(),
  savedBy: smallUserSchema.nullable().describe('Null: nobody knows.'),
  savedAt: timeSchema,
  keptUntil: timeSchema
    .nullable()
    .describe('It goes then, or before where room is needed; null: it is the current one.'),
});

const serverId = slugParam('SERVER_NOT_FOUND', 'Id or slug of the server.');
const fileId = uuidParam('FILE_NOT_FOUND', 'Id of the file.');
const version = textParam('FILE_VERSION_NOT_FOUND', 'Number of the version.');

export const fileVersionCalls = calls('Workspace', {
  listFileVersions: {
    method: 'GET',
    path: '/api/servers/:serverId/workspace/files/:fileId/versions',
    summary: 'What a file contained before, newest first; the first one is what it contains now.',
    params: { serverId, fileId },
    answer: z.array(fileVersionSchema),
    errors: ['NOT_A_MEMBER', 'FORBIDDEN'],
  },
  replaceFile: {
    method: 'POST',
    path: '/api/servers/:serverId/workspace/files/:fileId/upload',
    summary: 'Upload a new version of a file, of up to 100 MiB. Its name stays.',
    limit: 'uploads',
    params: { serverId, fileId },
    headers: fileVersionHeaders,
    file: 'The new content.',
    answer: nodeSchema,
    errors: ['NOT_A_MEMBER', 'TIMED_OUT', 'FORBIDDEN', 'FILE_CHANGED', 'QUOTA_EXCEEDED'],
  },
  restoreFileVersion: {
    method: 'POST',
    path: '/api/servers/:serverId/workspace/files/:fileId/versions/:version/restore',
    summary: 'Give a file the content of an older version. What it contains now becomes an older version.',
    params: { serverId, fileId, version },
    headers: fileVersionHeaders,
    answer: nodeSchema,
    errors: ['NOT_A_MEMBER', 'TIMED_OUT', 'FORBIDDEN', 'FILE_CHANGED', 'QUOTA_EXCEEDED'],
  },
  deleteFileVersion: {
    method: 'DELETE',
    path: '/api/servers/:serverId/workspace/files/:fileId/versions/:version',
    summary: 'Delete an older version of a file.',
    params: { serverId, fileId, version },
    answer: doneSchema,
    errors: ['NOT_A_MEMBER', 'TIMED_OUT', 'FORBIDDEN'],
  },
});
