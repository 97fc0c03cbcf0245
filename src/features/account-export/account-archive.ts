import { NIL } from 'uuid';
import type { Language } from '../../contract/languages.ts';
import type { Database } from '../../database/database.ts';
import type { ZipEntry } from '../../infrastructure/zip-writer.ts';
import { type ServerTexts, serverTexts } from '../../languages/server-texts.ts';
import type { BlobStore } from '../blobs/blob.store.ts';
import { ReadAhead } from '../blobs/read-ahead.ts';
import { type ExportedFile, readMade, readPictures, readSaved, readUploads } from './file.table.ts';
import { type ExportRecord, indexPage, type ListedSection } from './pages.ts';
import { type ExportItem, type ExportList, entriesOf, rowItem, textEntry } from './parts.ts';
import { pathOf, withTimes } from './records.ts';
import { sections } from './section.table.ts';
import type { Section } from './section-page.table.ts';
import { talkOf } from './talk.ts';

/** How many rows are read at once. */
const pageSize = 500;
const fileMode = 0o100644;
/** Most files are compressed already. */
const fileLevel = 1;

/** Whose export it is, and what its first page says. */
export interface ExportSubject {
  userId: string;
  username: string;
  site: string;
  at: Date;
  /** Of the pages; null: nothing is known of it. */
  language: Language | null;
}

export interface ArchiveDeps {
  database: Pick<Database, 'readCurrent' | 'longTransaction'>;
  blobs: BlobStore;
}

/**
 * Everything that an account has here, as entries of a ZIP file: lists as JSON and as pages, files, and last the first page.
 * Read page by page: at most one page of a list, two files of half a MiB and some small files are held.
 * @param over ends it with its reason
 */
export async function* archiveOf(
  deps: ArchiveDeps,
  subject: ExportSubject,
  over: AbortSignal,
): AsyncGenerator<ZipEntry> {
  const said = serverTexts(subject.language);
  const listed: ListedSection[] = [];
  for await (const list of lists(deps, said, subject.userId)) {
    for await (const entry of entriesOf(said, list, subject.at, listed)) {
      over.throwIfAborted();
      yield entry;
    }
  }
  for (const read of [readUploads, readMade, readSaved, readPictures]) {
    for await (const files of filePages(deps, subject.userId, read)) yield* contentsOf(deps.blobs, files, over);
  }
  yield textEntry('index.html', indexPage(said, subject, listed), subject.at);
}

async function* lists(deps: ArchiveDeps, said: ServerTexts, userId: string): AsyncGenerator<ExportList> {
  for (const section of sections) {
    yield { name: section.name, title: said.t(section.title), isTable: true, items: rowsOf(deps, section, userId) };
  }
  yield* talkOf(deps.database, said, userId);
  yield fileList('uploads', said.t('Files you uploaded'), filePages(deps, userId, readUploads));
  yield fileList('workspace-files', said.t('Files you created in workspaces'), filePages(deps, userId, readMade));
  yield fileList('workspace-versions', said.t('Older versions of files'), filePages(deps, userId, readSaved));
  yield fileList('pictures', said.t('Pictures you uploaded'), filePages(deps, userId, readPictures));
}

async function* rowsOf({ database }: ArchiveDeps, section: Section, userId: string): AsyncGenerator<ExportItem[]> {
  const { start, statement } = section;
  for (let after: string | undefined = start; after !== undefined; ) {
    const values: unknown[] = [userId, after, pageSize];
    const page = await database.readCurrent(({ rows }) => rows<ExportRecord & { cursor: string }>(statement, values));
    yield page.map(({ cursor: _, ...record }) => rowItem(withTimes(record)));
    after = page.length < pageSize ? undefined : page.at(-1)?.cursor;
  }
}

async function* filePages(
  { database }: ArchiveDeps,
  userId: string,
  read: typeof readUploads,
): AsyncGenerator<ExportedFile[]> {
  for (let after: string | undefined = NIL; after !== undefined; ) {
    const from: string = after;
    const page = await database.readCurrent(({ rows }) => read(rows, userId, from, pageSize));
    yield page;
    after = page.length < pageSize ? undefined : page.at(-1)?.id;
  }
}

const fileList = (name: string, title: string, pages: AsyncIterable<ExportedFile[]>): ExportList => ({
  name,
  title,
  isTable: true,
  items: fileItems(pages),
});

async function* fileItems(pages: AsyncIterable<ExportedFile[]>): AsyncGenerator<ExportItem[]> {
  for await (const files of pages) {
    yield files.map(({ blobId: _, ...file }) => rowItem(withTimes({ ...file, file: pathOf(file) })));
  }
}

/** The bytes of files; small ones are read several at once. */
async function* contentsOf(blobs: BlobStore, files: ExportedFile[], over: AbortSignal): AsyncGenerator<ZipEntry> {
  const contents = new ReadAhead(blobs, files);
  for (const [place, file] of files.entries()) {
    over.throwIfAborted();
    const content = await contents.read(place);
    yield { path: pathOf(file), time: new Date(file.createdAt), mode: fileMode, content, level: fileLevel };
  }
}
