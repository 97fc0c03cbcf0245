import type { RestAnswer } from '../../../client/index.ts';
import { parley } from './client.ts';

export type Member = RestAnswer<'GET /api/servers/:id/members'>[number];

/** The page size, the largest that the server allows. */
const pageSize = 1000;

/** All members of a server, however many. */
export const membersOf = (id: string): Promise<Member[]> =>
  allOf((query) => parley.rest('GET /api/servers/:id/members', { id, query }));

/** All members of a channel. */
export const channelMembersOf = (id: string): Promise<Member[]> =>
  allOf((query) => parley.rest('GET /api/channels/:id/members', { id, query }));

interface PageQuery {
  limit: number;
  cursor: string | undefined;
}

async function allOf(read: (query: PageQuery) => Promise<Member[]>): Promise<Member[]> {
  const all: Member[] = [];
  for (;;) {
    const page = await read({ limit: pageSize, cursor: all.at(-1)?.userId });
    all.push(...page);
    if (page.length < pageSize) return all;
  }
}
