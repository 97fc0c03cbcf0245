import type {
  appDetailSchema,
  appListSchema,
  appSchema,
  createAppSchema,
  listAppsSchema,
  publishAppSchema,
  updateAppSchema,
} from '../../contract/app.ts';
import type {
  commandsAnswer,
  createFileSchema,
  createFolderSchema,
  fileSchema,
  mediaUrlSchema,
  nodeSchema,
  pasteAnswer,
  pasteSchema,
  treeNodeSchema,
  updateFileSchema,
  updateFolderSchema,
  workspaceSchema,
} from '../../contract/workspace.ts';
import type { Answer, Body, Done, Query } from './shapes.ts';

/** Files and apps of servers. */
export interface WorkspaceCalls {
  'GET /api/servers/:serverId/workspace': { answer: Answer<typeof workspaceSchema> };
  'GET /api/servers/:serverId/workspace/tree': { answer: Answer<typeof treeNodeSchema>[] };
  'GET /api/servers/:serverId/workspace/children': {
    query: { parentId?: string | null };
    answer: Answer<typeof nodeSchema>[];
  };
  'POST /api/servers/:serverId/workspace/folders': {
    body: Body<typeof createFolderSchema>;
    answer: Answer<typeof nodeSchema>;
  };
  'DELETE /api/servers/:serverId/workspace/folders/:folderId': { answer: Done };
  'POST /api/servers/:serverId/workspace/upload': { form: FormData; answer: Answer<typeof nodeSchema> };
  'DELETE /api/servers/:serverId/workspace/files/:fileId': { answer: Done };
  'GET /api/servers/:serverId/workspace/files/:fileId/media-url': { answer: Answer<typeof mediaUrlSchema> };
  'GET /api/servers/:serverId/apps': { query: Query<typeof listAppsSchema>; answer: Answer<typeof appListSchema> };

  'PATCH /api/servers/:serverId/workspace/folders/:folderId': {
    body: Body<typeof updateFolderSchema>;
    answer: Answer<typeof nodeSchema>;
  };
  'GET /api/servers/:serverId/workspace/folders/:folderId/download': { answer: Blob };
  'GET /api/servers/:serverId/workspace/download': { answer: Blob };
  'GET /api/servers/:serverId/workspace/files/search': {
    query: { query: string };
    answer: Answer<typeof nodeSchema>[];
  };
  'POST /api/servers/:serverId/workspace/files': {
    body: Body<typeof createFileSchema>;
    answer: Answer<typeof nodeSchema>;
  };
  'GET /api/servers/:serverId/workspace/files/:fileId': { answer: Answer<typeof fileSchema> };
  'PATCH /api/servers/:serverId/workspace/files/:fileId': {
    body: Body<typeof updateFileSchema>;
    /** The version to be changed; 412 when the current one differs. */
    headers: { 'if-match': string };
    answer: Answer<typeof nodeSchema>;
  };
  'POST /api/servers/:serverId/workspace/nodes/paste': {
    body: Body<typeof pasteSchema>;
    answer: Answer<typeof pasteAnswer>;
  };
  'POST /api/servers/:serverId/workspace/commands': {
    body: {
      commands: { type: 'delete' | 'move' | 'rename'; nodeId: string; name?: string; parentId?: string | null }[];
    };
    answer: Answer<typeof commandsAnswer>;
  };

  'GET /api/servers/:serverId/apps/homepage': { answer: Answer<typeof appSchema> };
  'GET /api/servers/:serverId/apps/:appId': { answer: Answer<typeof appDetailSchema> };
  'POST /api/servers/:serverId/apps': { body: Body<typeof createAppSchema>; answer: Answer<typeof appSchema> };
  'POST /api/servers/:serverId/apps/publish': { body: Body<typeof publishAppSchema>; answer: Answer<typeof appSchema> };
  'PATCH /api/servers/:serverId/apps/:appId': {
    body: Body<typeof updateAppSchema>;
    answer: Answer<typeof appSchema>;
  };
  'DELETE /api/servers/:serverId/apps/:appId': { answer: Done };
}
