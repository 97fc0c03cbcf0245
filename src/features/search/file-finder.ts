import { MAX, NIL } from 'uuid';
import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import type { ListPage } from '../../contract/schema/list-page.ts';
import { idCursor } from '../../contract/schema/validation.ts';
import { isoTime } from '../../contract/schema.ts';
import type { foundFileSchema } from '../../contract/search.ts';
import { userOf } from '../accounts/account.view.ts';
import type { Context } from '../context.ts';
import { attachmentRecord, type MessageRow } from '../messages/message.view.ts';
import { fact } from './document.ts';
import { type FoundFile, filesFound, Marker } from './excerpt.ts';
import type { FileTexts } from './file-texts.ts';
import { type Readable, readFound } from './find.table.ts';
import { Finder } from './finder.ts';
import { type Alternatives, withoutShort, wordsParts } from './query.ts';
import { placeOf } from './search.service.ts';
import { inSlices } from './turns.ts';

type FileRecord = z.output<typeof foundFileSchema>;

/** Messages whose files are looked through at once: not all that have the words have them in a file. */
const atOnce = 50;
/** So often at most. */
const mostRounds = 4;
/** After this, what was found in files so far is the answer. */
const mostMs = 1000;

type Deps = Pick<Context, 'database' | 'channelAccess'> & { texts: FileTexts };

/** Finds files by their names and texts, among those that someone may read (contract §6). */
export class FileFinder {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Newest first; files of one message stay together.
   * @param page.cursor the message of the last file of the page before
   * @throws AppError INVALID_CURSOR
   */
  async page(
    actor: Actor,
    channels: Readable[],
    alternatives: Alternatives,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<ListPage<FileRecord>> {
    let before = idCursor(page.cursor)?.toLowerCase() ?? MAX;
    const places = new Map(channels.map((one) => [one.id, one]));
    const limited = await this.deps.channelAccess.limitedAmong(actor, [...places.keys()]);
    const bot = limited.length > 0 ? { channelIds: limited, bot: actor.userId } : null;
    const marker = new Marker(alternatives);
    const records: FileRecord[] = [];
    if (places.size === 0 || !marker.hasWords) return { records, hasMore: false };
    let left = mostMs;
    let isOver = false;
    for (let round = 0; round < mostRounds; round++) {
      const sought = { channelIds: [...places.keys()], before, from: NIL, limit: atOnce, limited: bot };
      const { ids, rows } = await this.messages(alternatives, sought);
      const end = performance.now() + left;
      await inSlices(rows, async (row) => {
        isOver ||= records.length >= page.limit || performance.now() > end;
        if (isOver) return;
        const found = await filesFound(row, marker, this.deps.texts);
        records.push(...found.map((one) => fileRecord(row, places.get(row.channel_id), one)));
      });
      if (isOver) break;
      left = end - performance.now();
      const last = ids.at(-1);
      if (last === undefined || ids.length < atOnce) return { records, hasMore: false };
      before = last;
    }
    return { records, hasMore: records.length > 0 };
  }

  private async messages(alternatives: Alternatives, sought: ConstructorParameters<typeof Finder>[2]) {
    const parts = [...wordsParts(withoutShort(alternatives)), fact.has('file')];
    return this.deps.database.readCurrent(async ({ rows }) => {
      const { ids } = await new Finder(rows, { near: parts, far: parts }, sought).run();
      const found = await readFound(rows, ids);
      return { ids, rows: found.sort((a, b) => (a.id < b.id ? 1 : -1)) };
    });
  }
}

function fileRecord(row: MessageRow, place: Readable | undefined, { file, excerpt }: FoundFile): FileRecord {
  return {
    ...attachmentRecord(file),
    messageId: row.id,
    channelId: row.channel_id,
    ...placeOf(place),
    threadId: row.thread_id,
    author: userOf(row.author_id, row),
    sentAt: isoTime(row.created_at),
    excerpt,
  };
}
