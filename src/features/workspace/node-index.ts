import { setTimeout as delay } from 'node:timers/promises';
import type { Chore } from '../../cluster/chores.ts';
import { advisoryLocks, tryLock } from '../../database/advisory-locks.ts';
import type { Database, Rows } from '../../database/database.ts';
import { fact, IndexedWords } from '../search/document.ts';
import type { FileTexts } from '../search/file-texts.ts';
import { type IndexedNode, isIndexing, readIndexed, takeStaleNodes, writeWords } from './node-index.table.ts';

/** What one transaction takes, so that each is short. */
const nodesAtOnce = 50;
/** Steps of the chore in a row: others have their turn, also after an update that has all files to index. */
const mostInRow = 100;
/** How long a search waits for what was changed before it. */
const waitMs = 1000;
/** The pause before it is asked again whether another node is at it. */
const lockedMs = 10;
/** PostgreSQL counts positions up to 16383. */
const mostWords = { name: 100, text: 8000 };

/**
 * The index of files by their names and texts. Searches bring it up to date for their workspace; a chore does the same for all,
 * so that little is left for them. One node at a time does either, as the newest text has to be the one that stays.
 */
export class NodeIndex {
  readonly chore: Chore = { name: 'index files', step: (rows) => this.inTurn(rows) };
  private inRow = 0;
  private readonly database: Database;
  private readonly texts: FileTexts;

  constructor(database: Database, texts: FileTexts) {
    this.database = database;
    this.texts = texts;
  }

  /** Indexes what was committed before this was called, or as much of it as a second takes. */
  async catchUp(workspaceId: string): Promise<void> {
    const end = performance.now() + waitMs;
    while (performance.now() < end && (await isIndexing(this.database.committedRows, workspaceId))) {
      const done = await this.database.transaction(({ rows }) => this.step(rows, workspaceId));
      if (done === 0) await delay(lockedMs);
    }
  }

  /** The beginning of a text file. */
  async textOf(blobId: string): Promise<string> {
    const [read] = await this.texts.of([{ contentType: 'text/plain', blobId }]);
    return read?.text ?? '';
  }

  private async inTurn(rows: Rows): Promise<number> {
    const done = this.inRow < mostInRow ? await this.step(rows, null) : 0;
    this.inRow = done === 0 ? 0 : this.inRow + 1;
    return done;
  }

  /** @returns how many it has indexed; 0 while another node is at it */
  private async step(rows: Rows, workspaceId: string | null): Promise<number> {
    if (!(await tryLock(rows, advisoryLocks.indexingFiles))) return 0;
    const ids = await takeStaleNodes(rows, workspaceId, nodesAtOnce);
    const nodes = ids.length > 0 ? await readIndexed(rows, ids) : [];
    const words: { id: string; document: string }[] = [];
    for (const node of nodes) words.push({ id: node.id, document: await this.documentOf(node) });
    await writeWords(rows, words);
    return ids.length;
  }

  private async documentOf({ workspaceId, name, textId }: IndexedNode): Promise<string> {
    const words = new IndexedWords();
    words.add(name, mostWords.name);
    if (textId !== null) words.add(await this.textOf(textId), mostWords.text);
    return words.document([fact.workspace(workspaceId)]);
  }
}
