import type { ChannelEventMap } from '../../../client/index.ts';
import type { Member } from './servers.ts';

type Joined = ChannelEventMap['member:joined'];
type Updated = ChannelEventMap['member:updated'];

type Told<Event extends keyof ChannelEventMap> = ChannelEventMap[Event] & { event: Event };
/** What a channel tells of members: of its server, or of itself alone. */
export type MemberNews = Told<'member:joined'> | Told<'member:updated'> | Told<'member:left'>;
export type MemberListener = (news: MemberNews) => void;

/** The page size, the largest that the server allows. */
const pageSize = 1000;

interface PageQuery {
  limit: number;
  cursor: string | undefined;
}

/** All members, page by page. */
export async function allMembers(read: (query: PageQuery) => Promise<Member[]>): Promise<Member[]> {
  const all: Member[] = [];
  for (;;) {
    const page = await read({ limit: pageSize, cursor: all.at(-1)?.userId });
    all.push(...page);
    if (page.length < pageSize) return all;
  }
}

/**
 * A list of members after a channel has told of one: that they joined, left, or have other roles. Each of a server's
 * channels tells it; the list stays the same from the second time on.
 */
export function withNews(list: readonly Member[], news: MemberNews): readonly Member[] {
  const known = list.find(({ userId }) => userId === news.userId);
  if (news.event === 'member:joined') return known ? list : withJoined(list, joined(news));
  if (!known) return list;
  if (news.event === 'member:left') return list.filter((member) => member !== known);
  return isAs(known, news) ? list : list.map((member) => (member === known ? changed(member, news) : member));
}

/** By their ids, as the server lists them. */
function withJoined(list: readonly Member[], member: Member): readonly Member[] {
  const at = list.findIndex(({ userId }) => userId > member.userId);
  return at < 0 ? [...list, member] : list.toSpliced(at, 0, member);
}

const isAs = ({ role, roles, agent }: Member, news: Updated): boolean =>
  role === news.role && roles.join() === news.roles.join() && agent?.kept === (news.kept ?? agent?.kept);

function changed(member: Member, { role, roles, kept }: Updated): Member {
  const agent = member.agent && { ...member.agent, kept: kept ?? member.agent.kept };
  return { ...member, role, roles, agent };
}

/** Whoever joins has no roles of the server's own yet. */
function joined({ serverId, userId, role, username, displayName, avatarUrl, isBot }: Joined): Member {
  return {
    userId,
    serverId,
    role,
    roles: [],
    nickname: null,
    joinedAt: new Date().toISOString(),
    user: { id: userId, username, displayName, avatarUrl, isBot, status: 'offline' },
    agent: null,
  };
}
