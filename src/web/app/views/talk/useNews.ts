import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { announce } from '../../state/announcer.ts';
import { me, parley } from '../../state/client.ts';
import { readChannel } from '../../state/notifications.ts';
import { wasFollowed } from '../../state/replies.ts';
import { go, pathTo } from '../../state/router.ts';
import { currentServer } from '../../state/servers.ts';
import type { Timeline } from '../../state/timeline.ts';
import { attempt } from '../../state/toasts.ts';
import { isLookedAt, lastRead, markRead, unread } from '../../state/unread.ts';

interface News {
  /** After which message the "new" line stands; null: nowhere. */
  since: number | null;
  /** How many were unread on coming here, as long as one has not seen where they begin. */
  above: number;
  /** Whether something was said that one has not come down to. */
  below: boolean;
  /** Goes to where the unread ones begin. */
  toFirst(): void;
}

/** What is new in a list of messages; what is looked at is marked as read. */
export function useNews(ref: RefObject<HTMLElement | null>, timeline: Timeline, atEnd: boolean): News {
  const { channelId, threadId } = timeline;
  const since = useNewLine(timeline, atEnd);
  const coming = useRef<Coming | null>(null);
  if (timeline.loaded.value && !threadId) coming.current ??= comingTo(channelId);
  const isUnread = (unread.value.get(channelId) ?? 0) > 0;
  // Who has read nothing here yet has no line, only a beginning.
  const isAbove = since !== null || (coming.current?.lastRead === 0 && !timeline.hasNewer.value);
  const [seen, setSeen] = useSeen(ref, timeline);
  useReading(timeline, atEnd);
  const toFirst = () =>
    attempt(async () => {
      const query = { after: String(coming.current?.lastRead ?? 0), limit: 1 };
      const { messages } = await parley.rest('GET /api/channels/:channelId/messages', { channelId, query });
      setSeen(true);
      if (messages[0]) go(pathTo.message(currentServer.peek()?.id ?? null, channelId, messages[0].id));
    });
  return {
    since,
    above: seen || !isAbove ? 0 : (coming.current?.unread ?? 0),
    below: !threadId && (timeline.newest.value > (lastRead(channelId) ?? 0) || isUnread),
    toFirst: () => void toFirst(),
  };
}

/** Where one was when one came, before anything was looked at. */
interface Coming {
  lastRead: number;
  unread: number;
}

function comingTo(channelId: string): Coming {
  return { lastRead: lastRead(channelId) ?? 0, unread: unread.peek().get(channelId) ?? 0 };
}

/**
 * The line stands where one was on coming here, or on looking away; not before what comes while one looks on.
 * @returns after which message
 */
function useNewLine(timeline: Timeline, atEnd: boolean): number | null {
  const { channelId, threadId } = timeline;
  const line = useRef<number | null>(null);
  const drawn = useRef(false);
  const messages = timeline.messages.value;
  const last = messages.at(-1);
  if (threadId || !timeline.loaded.value || !last) return null;
  const looksOn = (atEnd || wasFollowed(last.id)) && !timeline.hasNewer.value && isLookedAt(channelId);
  const comes = line.current === null;
  line.current ??= lastRead(channelId) ?? 0;
  if (!comes && looksOn && !drawn.current) line.current = Math.max(line.current, last.seq);
  const since = line.current;
  const firstNew = since > 0 ? messages.find(({ seq }) => seq > since) : undefined;
  drawn.current = firstNew !== undefined && firstNew.authorId !== me.value?.id;
  if (!drawn.current && looksOn) line.current = Math.max(line.current, last.seq);
  return drawn.current ? since : null;
}

/** Whether the line was in view, or without one the beginning. */
function useSeen(ref: RefObject<HTMLElement | null>, timeline: Timeline) {
  const [seen, setSeen] = useState(false);
  const messages = timeline.messages.value;
  useLayoutEffect(() => {
    const scroller = ref.current;
    if (!scroller || seen) return;
    const look = () => {
      const start = scroller.querySelector('.line.new') ?? scroller.querySelector('.beginning');
      const line = start?.getBoundingClientRect();
      if (line && line.bottom > scroller.getBoundingClientRect().top) setSeen(true);
    };
    look();
    scroller.addEventListener('scroll', look, { passive: true });
    return () => scroller.removeEventListener('scroll', look);
  }, [messages, seen, ref]);
  return [seen, setSeen] as const;
}

/** Marks as read what is looked at. */
function useReading(timeline: Timeline, atEnd: boolean): void {
  const { channelId, threadId } = timeline;
  const last = timeline.messages.value.at(-1);
  useLayoutEffect(() => {
    const read = () => {
      if (!last || threadId || !atEnd || timeline.hasNewer.peek() || !isLookedAt(channelId)) return;
      markRead(channelId, last.seq);
      readChannel(channelId);
    };
    read();
    document.addEventListener('visibilitychange', read);
    return () => document.removeEventListener('visibilitychange', read);
  }, [last, atEnd, channelId, threadId, timeline]);
}

/** Reads out what others say where one is. Of a reply that is being made only that it is: its pieces would be noise. */
export function useAnnouncements(channelId: string, threadId: string | null): void {
  useEffect(() => {
    const channel = parley.channel(channelId);
    const ends = [
      channel.listen('message:new', (message) => {
        if (message.authorId === me.peek()?.id || message.threadId !== threadId || message.isDeleted) return;
        announce(`${message.author.displayName}: ${message.content}`);
      }),
      channel.listen('message:stream', ({ author, offset, delta, aborted, ...reply }) => {
        if (reply.threadId !== threadId) return;
        if (aborted) announce('The reply was not finished.');
        else if (author && offset === 0 && delta !== '') announce(`${author.displayName} is writing…`);
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [channelId, threadId]);
}
