import { useEffect, useRef } from 'preact/hooks';
import type { MemberNews } from '../../state/members.ts';
import { withNews } from '../../state/members.ts';
import type { Member } from '../../state/servers.ts';
import { useLoaded } from '../parts/loading.ts';
import { useApp } from '../useApp.ts';

/** Members of a server or of a channel, kept up to date. @param concerns whether news of a member are about this list */
function useMembers(read: () => Promise<readonly Member[]>, concerns: (news: MemberNews) => boolean, id: string) {
  const { servers, attempt } = useApp();
  /** For each request that is under way what came since it was sent: the answer may be older. */
  const underWay = useRef(new Set<MemberNews[]>());
  const loaded = useLoaded(async () => {
    const missed: MemberNews[] = [];
    underWay.current.add(missed);
    const found = await read().finally(() => underWay.current.delete(missed));
    return missed.reduce(withNews, found);
  }, [id]);
  useEffect(
    () =>
      servers.onMember((news) => {
        if (!concerns(news)) return;
        for (const missed of underWay.current) missed.push(news);
        loaded.update((list) => withNews(list, news));
        // What is behind a bot no event says.
        if (news.event === 'member:joined' && news.isBot) void attempt(loaded.load);
      }),
    [id],
  );
  return loaded;
}

/** The members of a server. Bots enter its channels one by one. */
export function useServerMembers(id: string) {
  const { servers, presence, client } = useApp();
  const read = async () => {
    const members = await servers.membersOf(id);
    presence.report(members.map(({ userId, user }) => ({ userId, status: user.status })));
    return members;
  };
  const isOfServer = (news: MemberNews) =>
    news.serverId === id && (news.scope === 'server' || (news.event === 'member:joined' && news.isBot));
  const members = useMembers(read, isOfServer, id);
  useEffect(
    () =>
      client.on('member:timed-out', ({ serverId, userId, until, reason }) => {
        if (serverId !== id) return;
        const timeout = { timedOutUntil: until, timeoutReason: reason };
        members.update((list) => list.map((member) => (member.userId === userId ? { ...member, ...timeout } : member)));
      }),
    [id],
  );
  return members;
}

/** The members of a channel. */
export function useChannelMembers(id: string) {
  const { servers } = useApp();
  return useMembers(
    () => servers.channelMembersOf(id),
    (news) => news.channelId === id,
    id,
  );
}
