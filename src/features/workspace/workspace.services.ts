import type { ServerAccess } from '../../access/server.access.ts';
import type { Database } from '../../database/database.ts';
import type { Changes } from '../../delivery/changes.ts';
import type { SignedLinks } from '../../infrastructure/signed-links.ts';
import type { Settings } from '../../settings/settings.ts';
import type { StorageAllowance } from '../blobs/allowance.ts';
import type { BlobStore } from '../blobs/blob.store.ts';
import { Announcer } from './announcer.ts';
import { ArchiveService } from './archive.ts';
import { WorkspaceEdits } from './edits.ts';
import { FileService } from './file.service.ts';
import { NodeService } from './node.service.ts';
import { WorkspaceAccess } from './workspace.access.ts';
import { WorkspaceService } from './workspace.service.ts';

/** The services of workspaces that handlers use. */
export interface WorkspaceServices {
  workspaces: WorkspaceService;
  nodes: NodeService;
  files: FileService;
  archives: ArchiveService;
}

/** Builds the services of this feature. */
export function createWorkspace(foundation: {
  settings: Settings;
  database: Database;
  changes: Changes;
  serverAccess: ServerAccess;
  blobs: BlobStore;
  allowance: StorageAllowance;
  links: SignedLinks;
}) {
  const { settings, database, changes, blobs, allowance, links } = foundation;
  const limits = settings.workspace;
  const { quotaBytes } = limits;
  const { uploadBytes } = settings.limits;
  const workspaceAccess = new WorkspaceAccess(database, foundation.serverAccess);
  const announcer = new Announcer(database);
  const workspaceEdits = new WorkspaceEdits({ changes, workspaceAccess, announcer, allowance, limits });
  const nodes = new NodeService({ workspaceAccess, workspaceEdits, blobs });
  const services: WorkspaceServices = {
    workspaces: new WorkspaceService({ database, changes, workspaceAccess, announcer, quotaBytes }),
    nodes,
    files: new FileService({ database, workspaceAccess, nodes, blobs, allowance, links, uploadBytes, limits }),
    archives: new ArchiveService({ database, workspaceAccess, blobs, limits }),
  };
  return { services, workspaceAccess };
}
