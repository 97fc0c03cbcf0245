import { channelCache } from '../../access/channel.access.ts';
import type { Caches } from '../../cluster/caches.ts';
import type { LogEntry, Renewal } from '../../cluster/entry.ts';
import type { MentionRecord } from '../../contract/mention.ts';
import { BatchedRead } from '../../database/batched-read.ts';
import type { Database } from '../../database/database.ts';
import type { Cache } from '../../infrastructure/cache.ts';
import { userCache } from '../accounts/identity.ts';
import { type Label, readLabels } from '../mentions/mention.table.ts';
import { findMessages } from './message.table.ts';
import { type MessageRecord, messageRecord } from './message.view.ts';
import { threadNames } from './thread.table.ts';
import { untitled } from './thread.view.ts';

/** The payload of an entry that repeats the record of a message or of a thread. */
interface Told {
  id: string;
  content?: string;
  thread?: { id: string } | null;
}

/** The log repeats messages as they were; later readers get the state of their own time (contract §6, §10). */
export class LogRenewal implements Renewal {
  private readonly database: Database;
  private readonly labels: Cache<Label>;
  private readonly reads: BatchedRead<Label>;

  constructor(database: Database, caches: Caches) {
    this.database = database;
    this.labels = caches.create('mention-labels', 20_000, { clearedWith: [userCache, channelCache] });
    this.reads = new BatchedRead((keys) => readLabels(database.committedRows, keys));
  }

  async complete<Entry extends LogEntry>(entries: Entry[]): Promise<Entry[]> {
    const outdated = entries.filter((entry) => entry.isOutdated);
    if (outdated.length === 0) return entries;
    const told = new Map(outdated.map((entry): [Entry, Told] => [entry, JSON.parse(entry.json)]));
    const messages = [...told.values()].filter(({ content }) => content !== undefined);
    const threads = [...told.values()].flatMap((data) => (data.content === undefined ? data.id : []));
    const { committedRows: rows } = this.database;
    const found = await findMessages(rows, [...new Set(messages.map(({ id }) => id))]);
    const current = new Map(found.map((row) => [row.id, messageRecord(row, null)]));
    const parents = messages.flatMap(({ thread }) => thread?.id ?? []);
    const ids = [...new Set([...threads, ...parents])];
    const names = await threadNames(rows, ids);
    return entries.map((entry) => {
      const data = told.get(entry);
      if (!data) return entry;
      return { ...entry, json: JSON.stringify(renewed(data, current.get(data.id), names)) };
    });
  }

  async relabel(entries: LogEntry[]): Promise<LogEntry[]> {
    if (!entries.some(hasMentions)) return entries;
    return Promise.all(entries.map((entry) => (hasMentions(entry) ? this.relabelled(entry) : entry)));
  }

  private async relabelled(entry: LogEntry): Promise<LogEntry> {
    const data: { channelId: string; mentions?: MentionRecord[] } = JSON.parse(entry.json);
    if (!data.mentions) return entry;
    const mentions = await Promise.all(
      data.mentions.map(async (mention) => ({ ...mention, label: await this.labelOf(mention, data.channelId) })),
    );
    return { ...entry, json: JSON.stringify({ ...data, mentions }) };
  }

  private async labelOf({ kind, targetId, label }: MentionRecord, channelId: string): Promise<string> {
    if (kind !== 'user' && kind !== 'channel') return label;
    const key = `${kind}:${targetId}:${channelId}`;
    try {
      return (await this.labels.get(key, () => this.reads.read(key)))?.text || label;
    } catch {
      // Missed events matter more than current names.
      return label;
    }
  }
}

/** Text that only payloads with mentions have: most entries have none, and are not parsed. */
const hasMentions = ({ json }: LogEntry): boolean => json.includes('"mentions":[{');

/**
 * The payload of an entry, with the current text. The rest stays as published: later entries count on from there.
 * @param current the message; undefined: it no longer exists
 * @param names of the threads that exist
 */
function renewed(data: Told, current: MessageRecord | undefined, names: Map<string, string>): object {
  if (data.content === undefined) return { ...data, name: names.get(data.id) ?? untitled };
  const thread = data.thread && { ...data.thread, name: names.get(data.thread.id) ?? untitled };
  if (!current) return { ...data, thread, isDeleted: true, reactions: [], poll: undefined, components: undefined };
  const { content, attachments, mentions, metadata, replyTo, isEdited, isDeleted, updatedAt } = current;
  const { previews, poll, forwarded, components } = current;
  const said = { content, attachments, mentions, metadata, replyTo, isEdited, updatedAt };
  const now = { ...said, previews, poll, forwarded, components };
  const gone = isDeleted ? { isDeleted, reactions: [] } : {};
  return { ...data, ...now, thread, ...gone };
}
