import type { Message, Parley } from '../../../client/index.ts';

/** A page of messages, newest first. */
export interface Page {
  messages: Message[];
  hasMore: boolean;
  hasNewer?: boolean;
}

export interface PageQuery {
  limit: number;
  cursor?: string;
  after?: string;
  around?: string;
}

interface Place {
  channelId: string;
  threadId: string | null;
}

/** Reads a page of a channel, or of a thread. */
export async function readPage(client: Parley, { channelId, threadId }: Place, query: PageQuery): Promise<Page> {
  if (!threadId) return client.rest('GET /api/channels/:channelId/messages', { channelId, query });
  if (query.around) return readAround(client, threadId, query.around, query.limit);
  const messages = await client.rest('GET /api/threads/:id/messages', { id: threadId, query });
  return { messages, hasMore: messages.length === query.limit };
}

/** Inserts a thread's message between its neighbours. */
async function readAround(client: Parley, id: string, messageId: string, size: number): Promise<Page> {
  const limit = size / 2;
  const [message, older, newer] = await Promise.all([
    client.rest('GET /api/messages/:id', { id: messageId }),
    client.rest('GET /api/threads/:id/messages', { id, query: { limit, cursor: messageId } }),
    client.rest('GET /api/threads/:id/messages', { id, query: { limit, after: messageId } }),
  ]);
  // Messages in a thread may reply to some outside of it.
  const here = message.threadId === id ? [message] : [];
  const messages = [...newer.toReversed(), ...here, ...older];
  return { messages, hasMore: older.length === limit, hasNewer: newer.length === limit };
}

/** Messages that were read, with those that are known already in the place of equal ones: they are not drawn again. */
export function asKnown(known: readonly Message[], messages: readonly Message[]): readonly Message[] {
  const byId = new Map(known.map((message) => [message.id, message]));
  return messages.map((message) => {
    const before = byId.get(message.id);
    return before && before !== message && JSON.stringify(before) === JSON.stringify(message) ? before : message;
  });
}
