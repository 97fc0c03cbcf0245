import { defineEntity, p } from '@mikro-orm/core';
import { WorkspaceNode } from './workspace.entity.ts';

/** What a folder or file is found by: words of its name, and of a file's text. Filled in the background. */
const WorkspaceWordsSchema = defineEntity({
  name: 'WorkspaceWords',
  tableName: 'workspace_words',
  indexes: [
    {
      name: 'workspace_words_words',
      expression: 'create index workspace_words_words on workspace_words using gin (words)',
    },
  ],
  properties: {
    nodeId: () =>
      p.manyToOne(WorkspaceNode).mapToPk().fieldName('node_id').primary().deleteRule('cascade').index(false),
    words: p.string().columnType('tsvector'),
  },
});

export class WorkspaceWords extends WorkspaceWordsSchema.class {}
WorkspaceWordsSchema.setClass(WorkspaceWords);

/** A folder or file that is new, or has another name or other bytes, since it was indexed. Written by triggers alone. */
const StaleNodeSchema = defineEntity({
  name: 'StaleNode',
  tableName: 'workspace_stale',
  indexes: [{ name: 'workspace_stale_workspace', properties: ['workspaceId', 'id'] }],
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    workspaceId: p.uuid(),
    nodeId: p.uuid(),
  },
});

export class StaleNode extends StaleNodeSchema.class {}
StaleNodeSchema.setClass(StaleNode);
