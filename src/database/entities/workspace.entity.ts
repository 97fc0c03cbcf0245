import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';
import { Blob } from './blob.entity.ts';
import { Server } from './server.entity.ts';
import { User } from './user.entity.ts';

/** The files of a server. Every change of its contents holds the lock of its row. */
const WorkspaceSchema = defineEntity({
  name: 'Workspace',
  tableName: 'workspaces',
  properties: {
    id: p.uuid().primary(),
    serverId: () => p.oneToOne(Server).mapToPk().fieldName('server_id').deleteRule('cascade').owner(),
    name: p.string().columnType('text'),
    /** Updated with each change, so that the nodes need no counting. */
    folderCount: p.integer().default(0),
    fileCount: p.integer().default(0),
    totalBytes: p.bigint('number').default(0),
    /** Of older versions of files; a trigger counts them. */
    versionBytes: p.bigint('number').default(0),
    createdAt: p.datetime(3).onCreate(dateNow),
    updatedAt: p.datetime(3).onCreate(dateNow),
  },
});

export class Workspace extends WorkspaceSchema.class {}
WorkspaceSchema.setClass(Workspace);

/** A folder or a file. */
const WorkspaceNodeSchema = defineEntity({
  name: 'WorkspaceNode',
  tableName: 'workspace_nodes',
  indexes: [{ name: 'workspace_nodes_made', properties: ['createdBy', 'sizeBytes'] }],
  uniques: [
    {
      name: 'workspace_nodes_place',
      expression:
        'create unique index workspace_nodes_place on workspace_nodes (coalesce(parent_id, workspace_id), name)',
    },
  ],
  properties: {
    id: p.uuid().primary(),
    workspaceId: () => p.manyToOne(Workspace).mapToPk().fieldName('workspace_id').deleteRule('cascade').index(),
    /** Null: at the top. */
    parentId: () =>
      p.manyToOne(WorkspaceNode).mapToPk().fieldName('parent_id').nullable().deleteRule('cascade').index(),
    kind: p.string().columnType('text').$type<'dir' | 'file'>(),
    name: p.string().columnType('text'),
    mime: p.string().columnType('text').nullable(),
    sizeBytes: p.bigint('number').default(0),
    /** Whether its bytes are UTF-8 text, small enough to be edited. */
    isText: p.boolean().default(false),
    blobId: () => p.manyToOne(Blob).mapToPk().fieldName('blob_id').nullable().deleteRule('no action').index(),
    /** Incremented by each change of the node itself; used by If-Match. */
    version: p.integer().default(1),
    createdBy: () => p.manyToOne(User).mapToPk().fieldName('created_by').nullable().deleteRule('set null').index(false),
    /** Who gave it its present bytes, and when; null: before that was kept. */
    contentBy: p.uuid().nullable(),
    contentAt: p.datetime(3).nullable(),
    /** Whether what it stores is counted; rows from before that are counted in the background. */
    isCounted: p.boolean().default(true),
    createdAt: p.datetime(3).onCreate(dateNow),
    updatedAt: p.datetime(3).onCreate(dateNow),
  },
});

export class WorkspaceNode extends WorkspaceNodeSchema.class {}
WorkspaceNodeSchema.setClass(WorkspaceNode);

/** What a file contained before. */
const WorkspaceVersionSchema = defineEntity({
  name: 'WorkspaceVersion',
  tableName: 'workspace_versions',
  indexes: [
    { name: 'workspace_versions_oldest', properties: ['workspaceId', 'replacedAt'] },
    { name: 'workspace_versions_replaced', properties: ['replacedAt'] },
    { name: 'workspace_versions_saved', properties: ['savedBy', 'id'] },
  ],
  uniques: [
    {
      name: 'workspace_versions_number',
      expression: 'create unique index workspace_versions_number on workspace_versions (node_id, version)',
    },
  ],
  properties: {
    id: p.uuid().primary(),
    nodeId: () => p.manyToOne(WorkspaceNode).mapToPk().fieldName('node_id').deleteRule('cascade').index(false),
    workspaceId: () => p.manyToOne(Workspace).mapToPk().fieldName('workspace_id').deleteRule('cascade').index(false),
    /** The last `version` of the file that had these bytes. */
    version: p.integer(),
    blobId: () => p.manyToOne(Blob).mapToPk().fieldName('blob_id').deleteRule('no action').index(),
    sizeBytes: p.bigint('number'),
    mime: p.string().columnType('text').nullable(),
    isText: p.boolean(),
    /** Its bytes count for them. */
    savedBy: () => p.manyToOne(User).mapToPk().fieldName('saved_by').nullable().deleteRule('set null').index(false),
    savedAt: p.datetime(3),
    replacedAt: p.datetime(3),
  },
});

export class WorkspaceVersion extends WorkspaceVersionSchema.class {}
WorkspaceVersionSchema.setClass(WorkspaceVersion);

/** A recent visitor of a large server's workspace, who gets its changes. */
const WorkspaceViewerSchema = defineEntity({
  name: 'WorkspaceViewer',
  tableName: 'workspace_viewers',
  properties: {
    workspaceId: () =>
      p.manyToOne(Workspace).mapToPk().fieldName('workspace_id').primary().deleteRule('cascade').index(false),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index(false),
    seenAt: p.datetime(3),
  },
});

export class WorkspaceViewer extends WorkspaceViewerSchema.class {}
WorkspaceViewerSchema.setClass(WorkspaceViewer);
