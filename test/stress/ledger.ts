import { withRows } from '../world/sql.ts';

/** A message that the service said it has. */
export interface Acknowledged {
  id: string;
  channelId: string;
  seq: number;
  /** When the sender began to send it, and when it was told that it is there. */
  sentAt: number;
  ackedAt: number;
}

/** What was promised: every acknowledged message, and what became of it. */
export class Ledger {
  readonly messages = new Map<string, Acknowledged>();
  readonly broken: string[] = [];
  /** What was done to the installation, in the order in which it was begun. */
  readonly story: string[] = [];
  /** Milliseconds from the begin of a send to each arrival at an undisturbed socket. */
  readonly latencies: number[] = [];
  sent = 0;
  /** Of messages, what was acknowledged since: their words by now, null for those that are deleted, and who reacted. */
  readonly words = new Map<string, string | null>();
  readonly reacted = new Set<string>();
  private readonly lastArrival = new Map<string, number>();

  acknowledged(key: string, message: { id: string; channelId: string; seq: number }, sentAt: number): void {
    const known = this.messages.get(key);
    if (known && known.id !== message.id) this.broken.push(`${key} was sent twice: ${known.id} and ${message.id}`);
    const { id, channelId, seq } = message;
    if (!known) this.messages.set(key, { id, channelId, seq, sentAt, ackedAt: Date.now() });
  }

  /** An undisturbed socket got a message. */
  arrived(id: string, sentAt: number): void {
    // The words of what was deleted meanwhile are gone.
    if (Number.isNaN(sentAt)) return;
    const now = Date.now();
    this.latencies.push(now - sentAt);
    this.lastArrival.set(id, now);
  }

  /** How long to wait for something: where a promise is broken already, what follows from that is not waited for as well. */
  patience(ms: number): number {
    return this.broken.length === 0 ? ms : Math.min(ms, 3000);
  }

  /** The longest time that an acknowledged message was on its way to an undisturbed socket. */
  get slowest(): number {
    let slowest = 0;
    for (const { id, ackedAt } of this.messages.values()) {
      slowest = Math.max(slowest, (this.lastArrival.get(id) ?? ackedAt) - ackedAt);
    }
    return slowest;
  }

  latency(part: number): number {
    const sorted = [...this.latencies].sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  }

  /** The numbers of the acknowledged messages, per channel. */
  byChannel(): Map<string, number[]> {
    const channels = new Map<string, number[]>();
    for (const { channelId, seq } of this.messages.values()) {
      const seqs = channels.get(channelId);
      if (seqs) seqs.push(seq);
      else channels.set(channelId, [seq]);
    }
    return channels;
  }

  /** Compares with the database: numbers without holes, every acknowledged message there once. */
  async audit(databaseUrl: string, channelIds: string[]): Promise<void> {
    await withRows(databaseUrl, async (rows) => {
      const holes = await rows<{ id: string; last: string; count: string; top: string }>(
        `SELECT s.id, s.last_seq AS last, count(l.seq) AS count, coalesce(max(l.seq), 0) AS top
         FROM streams s LEFT JOIN log_entries l ON l.stream_id = s.id
         GROUP BY s.id HAVING count(l.seq) <> s.last_seq - s.floor_seq OR coalesce(max(l.seq), 0) <> s.last_seq`,
      );
      for (const hole of holes) this.broken.push(`the log of ${hole.id} has holes: ${JSON.stringify(hole)}`);
      const twice = await rows<{ content: string; count: string }>(
        `SELECT content, count(*) AS count FROM messages WHERE channel_id = ANY($1::uuid[]) AND deleted_at IS NULL
         GROUP BY channel_id, content HAVING count(*) > 1`,
        [channelIds],
      );
      for (const { content, count } of twice) this.broken.push(`"${content}" is there ${count} times`);
      const there = await rows<{ id: string; seq: string }>(
        `SELECT l.data->>'id' AS id, l.seq FROM log_entries l JOIN messages m ON m.id = (l.data->>'id')::uuid
           AND m.seq = l.seq AND m.channel_id = l.stream_id
         WHERE l.stream_id = ANY($1::uuid[]) AND l.event = 'message:new'`,
        [channelIds],
      );
      const seqs = new Map(there.map((row) => [row.id, Number(row.seq)]));
      const lost = [...this.messages.values()].filter((message) => seqs.get(message.id) !== message.seq);
      if (lost.length > 0) this.broken.push(`${lost.length} acknowledged messages are not in the database`);
    });
  }
}

/** What a message says: who sent it as which, and when. */
export function contentOf(key: string, sentAt: number, padding = 0): string {
  return `${key} ${sentAt} ${'x'.repeat(padding)}`.trim();
}

export function sentAtOf(content: string): number {
  return Number(content.split(' ', 2)[1]);
}
