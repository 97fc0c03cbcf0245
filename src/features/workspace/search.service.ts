import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { type ListPage, listPage } from '../../contract/schema/list-page.ts';
import type { foundNodeSchema, workspaceSearchCalls } from '../../contract/workspace-search.ts';
import type { Context } from '../context.ts';
import { fact } from '../search/document.ts';
import { Marker, pieceOf } from '../search/excerpt.ts';
import { parsed, withoutShort, wordsQuery } from '../search/query.ts';
import { inSlices, SearchTurns } from '../search/turns.ts';
import { nodeRecord } from './node.view.ts';
import { type FoundRow, findNodes } from './node-index.table.ts';
import type { NodeIndex } from './node-index.ts';
import type { WorkspaceAccess } from './workspace.access.ts';

type Query = z.output<(typeof workspaceSearchCalls)['searchWorkspace']['query']>;
type FoundNode = z.input<typeof foundNodeSchema>;

interface Deps extends Pick<Context, 'database'> {
  workspaceAccess: WorkspaceAccess;
  index: NodeIndex;
}

/** Finds folders and files by their names, and text files by what they say (contract §8, Search). */
export class NodeSearch {
  private readonly deps: Deps;
  private readonly turns = new SearchTurns();

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, INVALID_CURSOR; RATE_LIMITED while one's searches wait */
  async page(actor: Actor, serverId: string, { query, limit, cursor }: Query): Promise<ListPage<FoundNode>> {
    const offset = offsetOf(cursor);
    const workspace = await this.deps.workspaceAccess.open(actor, serverId);
    return this.turns.run(actor.userId, async () => {
      await this.deps.index.catchUp(workspace.id);
      const { alternatives } = parsed(query, () => false);
      const words = wordsQuery(withoutShort(alternatives));
      const sought = { name: query, query: words && `${fact.workspace(workspace.id)} & (${words})` };
      const rows = await this.deps.database.readCurrent(({ rows: reading }) =>
        findNodes(reading, workspace.id, sought, { limit: limit + 1, offset }),
      );
      const { records, hasMore } = listPage(rows, limit, (row) => row);
      const marker = new Marker(alternatives);
      const found = await inSlices(records, async (row) => ({
        ...nodeRecord(row),
        excerpt: await this.excerptOf(row, query, marker),
      }));
      return { records: found, hasMore };
    });
  }

  /** Why it was found: its name, or a piece of its text. */
  private async excerptOf(row: FoundRow, query: string, marker: Marker): Promise<FoundNode['excerpt']> {
    const { name, isText, blobId, isNamed } = row;
    if (!isNamed && isText && blobId) {
      const text = await this.deps.index.textOf(blobId);
      const marks = marker.marks(text);
      if (marks.length > 0) return { ...pieceOf(text, marks), of: 'content' };
    }
    const marks = marker.marks(name);
    const start = name.toLowerCase().indexOf(query.toLowerCase());
    const part = start < 0 ? [] : [{ start, end: start + query.length }];
    return { text: name, marks: marks.length > 0 ? marks : part, of: 'name' };
  }
}

function offsetOf(cursor = '0'): number {
  if (!/^\d{1,5}$/.test(cursor)) throw new AppError('INVALID_CURSOR');
  return Number(cursor);
}
