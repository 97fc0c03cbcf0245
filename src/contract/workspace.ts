import { z } from 'zod';
import { durableEvent } from './event.ts';
import { nodeNameSchema } from './names.ts';
import {
  idSchema,
  nameSchema,
  numberSchema,
  omittable,
  record,
  textSchema,
  timeSchema,
  withDefault,
} from './schema.ts';

export const workspaceStatsSchema = z.object({
  folderCount: z.number().int(),
  fileCount: z.number().int(),
  totalCount: z.number().int(),
  totalBytes: z.number().int().describe('Sizes of all files, copies counted each.'),
  versionBytes: z.number().int().describe('Sizes of their older versions, which make room when files need it.'),
  quotaBytes: z.number().int(),
});

export const workspaceSchema = record('Workspace', {
  id: idSchema,
  serverId: idSchema,
  name: z.string(),
  createdAt: timeSchema,
  updatedAt: timeSchema,
  ...workspaceStatsSchema.shape,
  maxFileBytes: z.number().int().describe('The largest file that can be uploaded.'),
});

const nodeFields = {
  id: idSchema,
  workspaceId: idSchema,
  parentId: idSchema.nullable().describe('Null: at the top.'),
  kind: z.enum(['dir', 'file']),
  name: z.string(),
  path: z.string().describe('From the top: `/docs/a.txt`.'),
  ext: z.string().nullable().describe('With its dot; null for folders.'),
  mime: z.string().nullable(),
  sizeBytes: z.number().int(),
  version: z.number().int().describe("Goes up with each change of its own; a file's ETag."),
  createdBy: idSchema.nullable(),
  createdAt: timeSchema,
  updatedAt: timeSchema,
};

export const nodeSchema = record('WorkspaceNode', nodeFields);

export const fileSchema = record('WorkspaceFile', {
  ...nodeFields,
  content: z.string().nullable().describe('The text of a text file up to 2 MiB, else null.'),
});

/** Folders have children, files do not. */
export interface TreeNode extends z.output<typeof nodeSchema> {
  children?: TreeNode[];
}

export const treeNodeSchema: z.ZodType<TreeNode, TreeNode> = record('WorkspaceTreeNode', {
  ...nodeFields,
  children: z.array(z.lazy(() => treeNodeSchema)).optional(),
});

/** The spellings of the top folder in a body. */
const parentSchema = idSchema.nullish().describe('Null or left out: the top.');

export const renameWorkspaceSchema = z.object({ name: nameSchema(100) });

/** The same in a query or a form, which have no null. */
const parentTextSchema = z
  .union([idSchema, z.literal(['', 'null'])])
  .optional()
  .transform((id) => (id === undefined || id === '' || id === 'null' ? null : id))
  .describe('Left out: the top.');

export const childrenSchema = z.object({ parentId: parentTextSchema });

export const childrenBatchSchema = z.object({ parentIds: z.array(idSchema.nullable()).max(50) });
export const childrenBatchAnswer = z
  .record(z.string(), z.array(nodeSchema))
  .describe('By id of the folder; `__ROOT__` for the top.');
export const rootKey = '__ROOT__';

const searchText = textSchema(255, z.string().trim());
export const searchSchema = z
  .object({ query: searchText.optional(), searchText: searchText.optional().describe('The same as `query`.') })
  .transform(({ query, searchText }) => ({ query: query ?? searchText ?? '' }));

export const createFolderSchema = z.object({ name: nodeNameSchema, parentId: parentSchema });
/** Both spellings of a destination. */
const moved = {
  parentId: idSchema.nullish().describe('Moves it there; null: to the top.'),
  targetParentId: idSchema.nullish().describe('The same as `parentId`.'),
};
export const updateFolderSchema = z.object({ name: nodeNameSchema.optional(), ...moved });

export const createFileSchema = z.object({
  name: nodeNameSchema,
  content: withDefault(z.string(), ''),
  parentId: parentSchema,
});
export const updateFileSchema = z.object({
  name: nodeNameSchema.optional(),
  content: z.string().optional(),
  ...moved,
});
const entityTag = '(?:W/)?"[!#-~\\x80-\\xff]*"';
const ifMatch = new RegExp(`^(?:\\*|\\d+|${entityTag}(?:[ \\t]*,[ \\t]*${entityTag})*)$`);

/**
 * The versions that a change is meant for: ETags of the file, unchanged or weakened by a proxy. `*` is any. A tag that
 * no version ever had is not malformed (RFC 9110): it is one that the file does not have now.
 */
export const fileVersionHeaders = z.object({
  'if-match': z
    .string()
    .regex(ifMatch, 'must be the ETag of the file')
    .transform((tags) => {
      if (tags === '*') return null;
      return (tags.match(/"[^"]*"|^\d+$/g) ?? []).map((tag) => tag.replaceAll('"', ''));
    })
    .optional()
    .describe('ETag of the file as you know it; 412 when the file has another one now.'),
});

export const uploadNameSchema = z.object({ name: nodeNameSchema });
export const uploadFieldsSchema = z.object({ parentId: parentTextSchema });

export const pasteSchema = z.object({
  nodeIds: z.array(idSchema).min(1).max(200),
  targetParentId: parentSchema,
  mode: withDefault(z.enum(['copy', 'cut', 'move']), 'copy').transform((mode) => (mode === 'move' ? 'cut' : mode)),
});
export const pasteAnswer = z.object({
  nodes: z.array(nodeSchema).describe('What was pasted, without what is inside.'),
  createdFolderIds: z.array(idSchema),
  createdFileIds: z.array(idSchema),
});

const commandTypes = ['create-folder', 'create-file', 'rename', 'move', 'delete', 'update-file'] as const;

/** One step of a batch, all spellings normalized (contract §8). */
export type Command =
  | { type: 'create-folder'; parentId: string | null; name: string }
  | { type: 'create-file'; parentId: string | null; name: string; content: string }
  | { type: 'rename'; nodeId: string; name: string }
  | { type: 'move'; nodeId: string; parentId: string | null }
  | { type: 'delete'; nodeId: string }
  | { type: 'update-file'; nodeId: string; content: string };

const commandSchema = z
  .object({
    type: omittable(z.enum(commandTypes)),
    action: omittable(z.enum(commandTypes)).describe('The same as `type`.'),
    nodeId: omittable(idSchema),
    folderId: omittable(idSchema).describe('The same as `nodeId`.'),
    fileId: omittable(idSchema).describe('The same as `nodeId`.'),
    name: omittable(nodeNameSchema),
    content: omittable(z.string()),
    ...moved,
  })
  .transform((given, context): Command => {
    const need = <T>(value: T | undefined, path: string): T => {
      if (value !== undefined) return value;
      context.addIssue({ code: 'custom', path: [path], message: 'is missing' });
      return z.NEVER;
    };
    const type = need(given.type ?? given.action, 'type');
    const parentId = given.parentId ?? given.targetParentId ?? null;
    const nodeId = () => need(given.nodeId ?? given.folderId ?? given.fileId, 'nodeId');
    if (type === 'create-folder') return { type, parentId, name: need(given.name, 'name') };
    if (type === 'create-file') return { type, parentId, name: need(given.name, 'name'), content: given.content ?? '' };
    if (type === 'rename') return { type, nodeId: nodeId(), name: need(given.name, 'name') };
    if (type === 'move') return { type, nodeId: nodeId(), parentId };
    if (type === 'delete') return { type, nodeId: nodeId() };
    return { type, nodeId: nodeId(), content: need(given.content, 'content') };
  });

export const commandsSchema = z.object({ commands: z.array(commandSchema).min(1).max(100) });
export const commandsAnswer = z.array(
  z.object({
    ok: z.literal(true),
    type: z.enum(commandTypes),
    nodeId: idSchema,
    node: nodeSchema.nullable().describe('Null for what was deleted.'),
  }),
);

const versionSchema = numberSchema(
  z
    .number()
    .int()
    .min(1)
    .max(2 ** 31 - 1),
)
  .optional()
  .describe('An older version of it; left out: as it is now.');

export const fileQuerySchema = z.object({ version: versionSchema });
export const mediaQuerySchema = z.object({
  disposition: z.enum(['inline', 'attachment']).default('attachment'),
  version: versionSchema,
});
export const mediaUrlSchema = z.object({ url: z.string().describe('Relative to this server.'), expiresAt: timeSchema });
export const mediaLinkSchema = mediaQuerySchema.extend({ token: z.string().max(200).default('') });

/** An event does not list more changed nodes than this. */
export const maxListedNodes = 20;

export const workspaceChanged = durableEvent({
  name: 'workspace:changed',
  summary: 'Folders or files of a server changed: first `nodes`, then `deletedIds` bring a tree up to date.',
  room: 'user',
  payload: z.object({
    serverId: idSchema,
    nodes: z
      .array(nodeSchema)
      .describe(
        'Made, with all that is inside, or renamed, moved or changed. What is in a folder of another name or place stays in it; its `path` begins with that of the folder.',
      ),
    deletedIds: z.array(idSchema).describe('With everything that is inside then.'),
    complete: z.boolean().describe('False: more changed than is listed; read the tree anew.'),
  }),
});
