import { NIL } from 'uuid';
import { isoTime } from '../../contract/schema.ts';
import type { Database } from '../../database/database.ts';
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
export async function* talkOf(database: Reads, userId: string): AsyncGenerator<ExportList> {
  yield* conversations(database, userId);
  yield* ownMessages(database, userId);
}

async function* conversations(database: Reads, userId: string): AsyncGenerator<ExportList> {
  for (let after: string | undefined = NIL; after !== undefined; ) {
    const from: string = after;
    const page = await database.readCurrent(({ rows }) => readDirects(rows, userId, from, directsAtOnce));
    for (const { id, names } of page) {
      const items = conversation(database, userId, id);
      yield { name: `direct-messages-${id}`, title: `Direct messages with ${names}`, isTable: false, items };
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
async function* ownMessages(database: Reads, userId: string): AsyncGenerator<ExportList> {
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
      yield ownIn(database, userId, run, channel, latest.portion);
    }
    after = next;
  }
}

function ownIn(database: Reads, userId: string, run: Run, channel: KnownChannel, portion: number): ExportList {
  const { isReadable, name, serverId, serverName } = channel;
  const place = isReadable ? `#${name} in ${serverName}` : 'a channel that you cannot read any more';
  const more = portion > 1 ? `-from-${portion}` : '';
  return {
    name: `messages-${run.channelId}${more}`,
    title: `Your messages in ${place}${more && ', continued'}`,
    isTable: false,
    items: ownItems(database, userId, run, serverId),
  };
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
    shown: () => messageArticle({ author, content, isEdited, createdAt, files, forwarded }),
  };
}
