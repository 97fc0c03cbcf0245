import type { LogEntry } from '../../cluster/entry.ts';
import type { Rows } from '../../database/database.ts';
import { concerningAmong } from './mentioned-bots.ts';
import type { MessageRow } from './message.view.ts';

/**
 * Rows that a bot may read, without what its own messages among them quote of others that it may not: it would learn what
 * was said by replying to it.
 * @param bot null: whoever reads all
 */
export async function concealed(rows: Rows, found: MessageRow[], bot: string | null): Promise<MessageRow[]> {
  if (bot === null) return found;
  const quoting = found.filter((row) => row.author_id === bot && row.reply_to_id && row.reply_author_id !== bot);
  if (quoting.length === 0) return found;
  const quoted = quoting.flatMap((row) => row.reply_to_id ?? []);
  const known = await concerningAmong(rows, bot, quoted);
  return found.map((row) =>
    quoting.includes(row) && !known.has(row.reply_to_id ?? '') ? { ...row, reply_content: '' } : row,
  );
}

interface Told {
  authorId?: string;
  replyTo?: { authorId: string } | null;
}

/** An entry of a log as it is told to a bot that hears only what concerns it: its own messages quote nobody. */
export function withoutQuote(entry: LogEntry, bot: string): LogEntry {
  if (!entry.event.startsWith('message:') || !entry.json.includes(bot)) return entry;
  const data: Told = JSON.parse(entry.json);
  if (data.authorId !== bot || !data.replyTo || data.replyTo.authorId === bot) return entry;
  return { ...entry, json: JSON.stringify({ ...data, replyTo: { ...data.replyTo, content: '' } }) };
}
