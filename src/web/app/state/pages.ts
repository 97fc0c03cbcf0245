import type { Message, Parley } from '../../../client/index.ts';

/** A page of messages, newest first. */
export interface Page {
  messages: Message[];
  hasMore: boolean;
  hasNewer?: boolean;
}

/** Inserts a thread's message between its neighbours. */
export async function readAround(client: Parley, id: string, messageId: string, size: number): Promise<Page> {
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
