import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ZipEntry } from '../../infrastructure/zip-writer.ts';
import type { ServerTexts } from '../../languages/server-texts.ts';
import { type ExportRecord, type ListedSection, listPage, tableEnd, tableHead, tableRow } from './pages.ts';

/** A record of a list, and how it looks on a page, as HTML. */
export interface ExportItem {
  record: ExportRecord;
  shown(said: ServerTexts): string;
}

/** A list to be written. */
export interface ExportList {
  /** Of its files: letters, digits and `-`. */
  name: string;
  title: string;
  /** Whether items are shown as rows of a table. */
  isTable: boolean;
  items: AsyncIterable<ExportItem[]>;
}

/** A file is not longer: it is held until it is whole. */
const most = { chars: 512 * 1024, records: 2000 };
/** After so many characters other work of the node gets its turn. */
const perTurn = 64 * 1024;
const fileMode = 0o100644;
const level = 6;

/** A row of a table. */
export const rowItem = (record: ExportRecord): ExportItem => ({
  record,
  shown: (said) => tableRow(said, record),
});

/** A text file of the archive. */
export function textEntry(path: string, text: string, time: Date): ZipEntry {
  return { path, time, mode: fileMode, content: Buffer.from(text), level };
}

/** Some records of a list, as text. */
class Part {
  readonly json: string[] = [];
  readonly shown: string[] = [];
  chars = 0;
  private readonly said: ServerTexts;

  constructor(said: ServerTexts) {
    this.said = said;
  }

  add(item: ExportItem): void {
    const json = JSON.stringify(item.record);
    const shown = item.shown(this.said);
    this.json.push(json);
    this.shown.push(shown);
    this.chars += json.length + shown.length;
  }

  get isFull(): boolean {
    return this.chars >= most.chars || this.json.length >= most.records;
  }
}

/**
 * Writes a list as JSON and as pages to read, in as many files as it takes.
 * @param said the language of the pages
 * @param listed gets it for the first page, unless it is empty
 */
export async function* entriesOf(
  said: ServerTexts,
  list: ExportList,
  time: Date,
  listed: ListedSection[],
): AsyncGenerator<ZipEntry> {
  const section: ListedSection = { title: list.title, count: 0, pages: [], data: [] };
  const written = (part: Part): ZipEntry[] => {
    section.count += part.json.length;
    return filesOf(said, list, part, section, time);
  };
  let part = new Part(said);
  let sinceTurn = 0;
  for await (const items of list.items) {
    for (const item of items) {
      const before = part.chars;
      if (list.isTable && before === 0) part.shown.push(tableHead(said, Object.keys(item.record)));
      part.add(item);
      sinceTurn += part.chars - before;
      if (part.isFull) {
        yield* written(part);
        part = new Part(said);
      }
      if (sinceTurn < perTurn) continue;
      sinceTurn = 0;
      await nextTurn();
    }
  }
  if (part.json.length > 0) yield* written(part);
  if (section.count > 0) listed.push(section);
}

function filesOf(said: ServerTexts, list: ExportList, part: Part, section: ListedSection, time: Date): ZipEntry[] {
  const { t } = said;
  const number = section.pages.length + 1;
  const name = number === 1 ? list.name : `${list.name}-${number}`;
  const page = { href: `pages/${name}.html`, text: number === 1 ? t('read') : t('read {number}', { number }) };
  const data = { href: `data/${name}.json`, text: number === 1 ? 'JSON' : `JSON ${number}` };
  section.pages.push(page);
  section.data.push(data);
  const title = number === 1 ? list.title : t('{title}, part {number}', { title: list.title, number });
  const end = list.isTable ? [tableEnd] : [];
  return [
    textEntry(data.href, `[\n${part.json.join(',\n')}\n]\n`, time),
    textEntry(page.href, listPage(said, title, [...part.shown, ...end].join('\n')), time),
  ];
}
