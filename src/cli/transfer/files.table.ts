import { z } from 'zod';
import { appStatuses, appTypes } from '../../contract/app.ts';
import { nodeNameSchema } from '../../contract/names.ts';
import { pictureName, pictureSizes } from '../../contract/picture.ts';
import { withDefault } from '../../contract/schema.ts';
import { slugSchema } from '../../contract/server.ts';
import {
  count,
  description,
  id,
  label,
  mediaType,
  part,
  pictureUrl,
  sha256,
  smallCount,
  time,
  times,
  url,
} from './part.ts';
import { people, shownPictures } from './selections.table.ts';

export const workspaces = part({
  table: 'workspaces',
  shape: z.object({ id, serverId: id, name: label(100), ...times }),
  from: 'workspaces t WHERE t.server_id = $1',
  refers: { serverId: 'servers' },
});

export const nodes = part({
  table: 'workspace_nodes',
  shape: z.object({
    id,
    workspaceId: id,
    parentId: id.nullable(),
    kind: z.enum(['dir', 'file']),
    name: nodeNameSchema,
    mime: mediaType.nullable(),
    sizeBytes: count,
    isText: z.boolean(),
    sha256: sha256.nullable(),
    version: smallCount,
    createdBy: id.nullable(),
    contentBy: withDefault(id.nullable(), null),
    contentAt: time.nullish(),
    ...times,
  }),
  // Folders before their contents.
  from: `(WITH RECURSIVE tree AS (
      SELECT n.*, 0 AS depth FROM workspace_nodes n JOIN workspaces w ON w.id = n.workspace_id
      WHERE w.server_id = $1 AND n.parent_id IS NULL
      UNION ALL SELECT n.*, tree.depth + 1 FROM workspace_nodes n JOIN tree ON n.parent_id = tree.id
    ) SELECT * FROM tree) AS t LEFT JOIN blobs b ON b.id = t.blob_id ORDER BY t.depth, t.id`,
  select: { sha256: 'b.hash', contentBy: '(SELECT u.id FROM users u WHERE u.id = t.content_by)' },
  refers: { workspaceId: 'workspaces', parentId: 'workspace_nodes', createdBy: 'users', contentBy: 'users' },
});

/** What files contained before. */
export const fileVersions = part({
  table: 'workspace_versions',
  shape: z.object({
    id,
    nodeId: id,
    workspaceId: id,
    version: smallCount,
    sha256,
    sizeBytes: count,
    mime: mediaType.nullable(),
    isText: z.boolean(),
    savedBy: id.nullable(),
    savedAt: time,
    replacedAt: time,
  }),
  from: `workspace_versions t JOIN workspaces w ON w.id = t.workspace_id JOIN blobs b ON b.id = t.blob_id
    WHERE w.server_id = $1 ORDER BY t.node_id, t.version`,
  select: { sha256: 'b.hash' },
  refers: { nodeId: 'workspace_nodes', workspaceId: 'workspaces', savedBy: 'users' },
});

export const apps = part({
  table: 'apps',
  shape: z.object({
    id,
    serverId: id,
    name: label(200),
    slug: slugSchema,
    type: z.enum(appTypes),
    status: z.enum(appStatuses),
    description,
    iconUrl: pictureUrl,
    url,
    version: smallCount,
    isHomepage: z.boolean(),
    viewCount: count,
    createdBy: id.nullable(),
    ...times,
  }),
  from: 'apps t WHERE t.server_id = $1 ORDER BY t.id',
  refers: { serverId: 'servers', createdBy: 'users' },
});

export const appFiles = part({
  table: 'app_files',
  shape: z.object({ appId: id, version: smallCount, path: label(1024), sha256, sizeBytes: count }),
  from: `app_files t JOIN apps a ON a.id = t.app_id AND a.version = t.version JOIN blobs b ON b.id = t.blob_id
    WHERE a.server_id = $1 ORDER BY t.app_id, t.path`,
  select: { sha256: 'b.hash' },
  refers: { appId: 'apps' },
});

/** Pictures that people, the server and its apps show, by their addresses, which stay as they are. */
export const pictures = part({
  table: 'pictures',
  shape: z.object({
    name: pictureName,
    size: z.enum(pictureSizes),
    uploaderId: id.nullable(),
    sha256,
    // A node serves them from memory.
    bytes: z
      .number()
      .int()
      .min(1)
      .max(2 ** 21),
    width: smallCount,
    height: smallCount,
    isAnimated: z.boolean(),
    createdAt: time,
  }),
  from: `pictures t JOIN blobs b ON b.id = t.blob_id WHERE ${shownPictures} ORDER BY t.name, t.size`,
  select: { sha256: 'b.hash', uploaderId: `CASE WHEN t.uploader_id IN (${people}) THEN t.uploader_id END` },
  refers: { uploaderId: 'users' },
  derive: ({ createdAt }) => ({ check_at: createdAt }),
});
