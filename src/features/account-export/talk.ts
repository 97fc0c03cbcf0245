import { NIL } from 'uuid';
import { isoTime } from '../../contract/schema.ts';
import type { Database } from '../../database/database.ts';
import type { ServerTexts } from '../../languages/server-texts.ts';
import { type ExportRecord, messageArticle } from './pages.ts';
import type { ExportItem, ExportList } from './parts.ts';
import { pathOf, withTimes } from './records.ts';
import {
  type ExportedMessage,
  editedAmong,
  type Former,
  findChannel,
  findOwn,
  type KnownChannel,
  type Place,
  type Run,
  readAfter,
  readDirects,
  readFormer,
  readOwn,
} from './talk.table.ts';

/** How many messages are read at once: each may have 16 000 characters. */
const pageSize = 100;
const directsAtOnce = 500;

type Reads = Pick<Database, 'readCurrent' | 'longTransaction'>;

/** Someone's conversations, whole, and their own messages elsewhere. */
export async function* talkOf(database: Reads, said: ServerTexts, userId: string): AsyncGenerator<ExportList> {
  yield* conversations(database, said, userId);
  yield* ownMessages(database, said, userId);
}

async function* conversations(database: Reads, { t }: ServerTexts, userId: string): AsyncGenerator<ExportList> {
  for (let after: string | undefined = NIL; after !== undefined; ) {
    const from: string = after;
    const page = await database.readCurrent(({ rows }) => readDirects(rows, userId, from, directsAtOnce));
    for (const { id, names } of page) {
      const items = conversation(database, userId, id);
      const title = names === null ? t('Direct messages') : t('Direct messages with {names}', { names });
      yield { name: `direct-messages-${id}`, title, isTable: false, items };
    }
    after = page.length < directsAtOnce ? undefined : page.at(-1)?.id;
  }
}

async function* conversation(database: Reads, userId: string, channelId: string): AsyncGenerator<ExportItem[]> {
  for (let after: number | null = 0; after !== null; ) {
    const from: number = after;
    const { messages, last } = await database.readCurrent(({ rows }) => readAfter(rows, channelId, from, pageSize));
    yield messages.map((message) => itemOf(message, userId, { channelId }));
    after = last;
  }
}

/** Channel by channel, also those that they cannot read any more: what they wrote is theirs. */
async function* ownMessages(database: Reads, said: ServerTexts, userId: string): AsyncGenerator<ExportList> {
  // A channel may continue where the next messages are found.
  let latest = { channelId: '', portion: 0 };
  for (let after: Place | null = { channelId: NIL, seq: 0 }; after; ) {
    const from: Place = after;
    // A look at all of someone's messages may take longer than statements may otherwise.
    const { runs, next } = await database.longTransaction((rows) => findOwn(rows, userId, from), { snapshot: true });
    for (const run of runs) {
      const channel = await database.readCurrent(({ rows }) => findChannel(rows, userId, run.channelId));
      // Conversations are whole above, but for groups that they have left.
      if (!channel || (channel.kind !== 'server' && channel.isReadable)) continue;
      const { channelId } = run;
      latest = { channelId, portion: channelId === latest.channelId ? latest.portion + 1 : 1 };
      yield {
        ...ownIn(said, channel, { channelId, portion: latest.portion }),
        items: ownItems(database, userId, run, channel.serverId),
      };
    }
    after = next;
  }
}

function ownIn(
  { t }: ServerTexts,
  { isReadable, name, serverName }: KnownChannel,
  { channelId, portion }: { channelId: string; portion: number },
): Omit<ExportList, 'items'> {
  const title = isReadable
    ? t('Your messages in #{channel} in {server}', { channel: name, server: serverName })
    : t('Your messages in a channel that you can no longer read');
  if (portion === 1) return { name: `messages-${channelId}`, title, isTable: false };
  const continued = t('{title}, continued', { title });
  return { name: `messages-${channelId}-from-${portion}`, title: continued, isTable: false };
}

async function* ownItems(
  database: Reads,
  userId: string,
  { channelId, numbers }: Run,
  serverId: string | null,
): AsyncGenerator<ExportItem[]> {
  for (let at = 0; at < numbers.length; at += pageSize) {
    const some = numbers.slice(at, at + pageSize);
    const messages = await database.readCurrent(({ rows }) => readOwn(rows, channelId, userId, some));
    const ids = messages.filter(({ isEdited }) => isEdited).map(({ id }) => id);
    const edited = await database.readCurrent(({ rows }) => editedAmong(rows, channelId, ids));
    const place = { serverId, channelId };
    const plain: ExportItem[] = [];
    for (const message of messages) {
      // One by one: each may have as many versions as fill a page.
      const former = edited.has(message.id)
        ? await database.readCurrent(({ rows }) => readFormer(rows, channelId, message.id))
        : null;
      plain.push(itemOf(former ? { ...message, versions: former.map(formerOf) } : message, userId, place));
      if (former) yield plain.splice(0);
    }
    yield plain;
  }
}

const formerOf = (former: Former): ExportRecord => withTimes({ ...former });

/** The files that they uploaded are in the archive; of others' the export has the name alone. */
function itemOf(message: ExportedMessage, userId: string, place: ExportRecord): ExportItem {
  const { cursor: _, files: sent, ...columns } = message;
  const files = (sent ?? []).map(({ uploaderId, ...file }) => ({
    ...file,
    file: uploaderId === userId ? pathOf(file) : null,
  }));
  const { author, content, isEdited, forwarded } = message;
  const createdAt = isoTime(message.createdAt);
  return {
    record: { ...place, ...withTimes(columns), files },
    shown: (said) => messageArticle(said, { author, content, isEdited, createdAt, files, forwarded }),
  };
}
