import type { Chore } from '../../cluster/chores.ts';
import type { BlobsServices } from '../blobs/blobs.module.ts';
import type { Context } from '../context.ts';
import { FileTexts } from '../search/file-texts.ts';
import { Announcer } from './announcer.ts';
import { ArchiveService } from './archive.ts';
import { WorkspaceEdits } from './edits.ts';
import { FileService } from './file.service.ts';
import { NodeService } from './node.service.ts';
import { NodeIndex } from './node-index.ts';
import { NodeSearch } from './search.service.ts';
import { VersionService } from './version.service.ts';
import { forgetVersions } from './version.table.ts';
import { WorkspaceAccess } from './workspace.access.ts';
import { fileRoutes, folderRoutes, searchRoutes, versionRoutes, workspaceRoutes } from './workspace.routes.ts';
import { WorkspaceService } from './workspace.service.ts';

export type WorkspaceServices = ReturnType<typeof workspaceModule>['services'];

/** Folders and files of a server (contract §8). */
export function workspaceModule(context: Context & BlobsServices) {
  const limits = context.settings.workspace;
  const workspaceAccess = new WorkspaceAccess(context.database, context.serverAccess);
  const announcer = new Announcer(context.database);
  const parts = { ...context, workspaceAccess, announcer, limits };
  const { uploadBytes } = context.settings.limits;
  const editing = { ...parts, workspaceEdits: new WorkspaceEdits(parts) };
  const nodes = new NodeService(editing);
  const workspaces = new WorkspaceService({ ...parts, quotaBytes: limits.quotaBytes, uploadBytes });
  const files = new FileService({ ...parts, nodes, uploadBytes });
  const index = new NodeIndex(context.database, new FileTexts(context.blobs));
  const forgetting: Chore = {
    name: 'forget older versions of files',
    step: (rows) => forgetVersions(rows, limits.versionDays),
  };
  return {
    services: { workspaceAccess },
    routes: [
      ...workspaceRoutes(workspaces, nodes),
      ...folderRoutes(workspaces, nodes, new ArchiveService(parts)),
      ...fileRoutes(workspaces, nodes, files),
      ...searchRoutes(new NodeSearch({ ...parts, index })),
      ...versionRoutes(files, new VersionService(editing)),
    ],
    chores: [forgetting, index.chore],
  };
}
