import type { RestAnswer } from '../../../client/index.ts';
import { parley } from './client.ts';

export type Member = RestAnswer<'GET /api/servers/:id/members'>[number];

/** So many come at a time, the most that the server gives. */
const pageSize = 1000;

/** All who are in a server, however many. */
export const membersOf = (id: string): Promise<Member[]> =>
  allOf((query) => parley.rest('GET /api/servers/:id/members', { id, query }));

/** All who are in a channel. */
export const channelMembersOf = (id: string): Promise<Member[]> =>
  allOf((query) => parley.rest('GET /api/channels/:id/members', { id, query }));

async function allOf(read: (query: { limit: number; cursor?: string }) => Promise<Member[]>): Promise<Member[]> {
  const all: Member[] = [];
  for (;;) {
    const cursor = all.at(-1)?.userId;
    const page = await read({ limit: pageSize, ...(cursor === undefined ? {} : { cursor }) });
    all.push(...page);
    if (page.length < pageSize) return all;
  }
}
