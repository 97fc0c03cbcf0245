import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { saidIn, withNames, withoutSpoilers } from '../../../../contract/quote.ts';
import { Burst } from '../../state/burst.ts';
import { pathTo } from '../../state/router.ts';
import type { Timeline } from '../../state/timeline.ts';
import { type AppState, useApp } from '../useApp.ts';

interface News {
  /** Number of the message before the "new" line; null: there is no line. */
  since: number | null;
  /** How many were unread on arrival; 0 once the first of them was in view. */
  above: number;
  /** Whether there are new messages below the view. */
  below: boolean;
  /** Scrolls to the first unread one. */
  toFirst(): void;
}

/** What is new in a list of messages. Messages in view are marked as read. */
export function useNewMessages(ref: RefObject<HTMLElement | null>, timeline: Timeline, atEnd: boolean): News {
  const app = useApp();
  const { unread, attempt, client, navigate, servers } = app;
  const { channelId, threadId } = timeline;
  const since = useNewLine(timeline, atEnd);
  const coming = useRef<Arrival | null>(null);
  if (timeline.loaded.value && !threadId) coming.current ??= arrivalIn(app, channelId);
  const isUnread = (unread.counts.value.get(channelId) ?? 0) > 0;
  // A user who has read nothing here has no line, only the beginning.
  const isAbove = since !== null || (coming.current?.lastRead === 0 && !timeline.hasNewer.value);
  const [seen, setSeen] = useSeen(ref, timeline, (coming.current?.unread ?? 0) > 0);
  useReading(timeline, atEnd);
  const toFirst = () =>
    attempt(async () => {
      const query = { after: String(coming.current?.lastRead ?? 0), limit: 1 };
      const { messages } = await client.rest('GET /api/channels/:channelId/messages', { channelId, query });
      setSeen(true);
      if (messages[0]) navigate(pathTo.message(servers.current.peek()?.id ?? null, channelId, messages[0].id));
    });
  return {
    since,
    above: seen || !isAbove ? 0 : (coming.current?.unread ?? 0),
    below: !threadId && (timeline.newest.value > (unread.lastRead(channelId) ?? 0) || isUnread),
    toFirst: () => void toFirst(),
  };
}

/** The read state on arrival. */
interface Arrival {
  lastRead: number;
  unread: number;
}

function arrivalIn(app: AppState, channelId: string): Arrival {
  return { lastRead: app.unread.lastRead(channelId) ?? 0, unread: app.unread.counts.peek().get(channelId) ?? 0 };
}

/**
 * The line is where the user had read up to on arrival, or when they looked away; not before what comes while they watch.
 * @returns number of the message before it
 */
function useNewLine(timeline: Timeline, atEnd: boolean): number | null {
  const { replies, unread, me } = useApp();
  const { channelId, threadId } = timeline;
  const line = useRef<number | null>(null);
  const drawn = useRef(false);
  const messages = timeline.messages.value;
  const last = messages.at(-1);
  if (threadId || !timeline.loaded.value || !last) return null;
  // The user has marked something as unread: the line is there, and stays.
  const isHeld = unread.isHeld(channelId);
  const looksOn =
    !isHeld && (atEnd || replies.wasWatched(last.id)) && !timeline.hasNewer.value && unread.isInView(channelId);
  const comes = line.current === null;
  line.current ??= unread.lastRead(channelId) ?? 0;
  if (!comes && looksOn && !drawn.current) line.current = Math.max(line.current, last.seq);
  if (isHeld) line.current = unread.lastRead(channelId) ?? line.current;
  const since = line.current;
  const firstNew = since > 0 ? messages.find(({ seq }) => seq > since) : undefined;
  drawn.current = firstNew !== undefined && firstNew.authorId !== me.value?.id;
  if (!drawn.current && looksOn) line.current = Math.max(line.current, last.seq);
  return drawn.current ? since : null;
}

/** Whether the line, or without one the beginning, was in view. @param isAsked whether anyone wants to know */
function useSeen(ref: RefObject<HTMLElement | null>, timeline: Timeline, isAsked: boolean) {
  const [seen, setSeen] = useState(false);
  const messages = timeline.messages.value;
  const isOpen = isAsked && !seen;
  const look = useCallback(() => {
    const scroller = ref.current;
    const start = scroller?.querySelector('.line.new') ?? scroller?.querySelector('.beginning');
    const line = start?.getBoundingClientRect();
    if (scroller && line && line.bottom > scroller.getBoundingClientRect().top) setSeen(true);
  }, [ref]);
  useLayoutEffect(() => {
    if (isOpen) look();
  }, [messages, isOpen, look]);
  useLayoutEffect(() => {
    const scroller = ref.current;
    if (!scroller || !isOpen) return;
    scroller.addEventListener('scroll', look, { passive: true });
    return () => scroller.removeEventListener('scroll', look);
  }, [isOpen, look, ref]);
  return [seen, setSeen] as const;
}

/** Marks messages in view as read. */
function useReading(timeline: Timeline, atEnd: boolean): void {
  const { unread, follows, surroundings } = useApp();
  const { channelId, threadId } = timeline;
  const last = timeline.messages.value.at(-1);
  // Only then is there something to compare with.
  const isKnown = threadId !== null && follows.of(threadId) !== undefined;
  useLayoutEffect(() => {
    const read = () => {
      if (!last || !atEnd || timeline.hasNewer.peek() || !unread.isInView(channelId)) return;
      if (threadId) follows.markRead(threadId, last.seq);
      else unread.markRead(channelId, last.seq);
    };
    read();
    return surroundings.attention.onChange(read);
  }, [last, atEnd, channelId, threadId, timeline, isKnown]);
}

/** What is said within this time is read out together; of more than a few messages only how many came. */
const announceMs = 2000;
const mostRead = 3;

/** Announces messages of others to screen readers. A reply in progress is announced once, not piece by piece. */
export function useAnnouncements(channelId: string, threadId: string | null): void {
  const { client, me, announce, texts, scope } = useApp();
  useEffect(() => {
    const channel = client.channel(channelId);
    const said = new Burst<string>(scope, announceMs, (all) => {
      const { t } = texts.peek();
      const count = t('{count, plural, one {# new message} other {# new messages}}', { count: all.length });
      announce(all.length > mostRead ? count : all.join('\n'));
    });
    const ends = [
      channel.listen('message:new', (message) => {
        if (message.authorId === me.peek()?.id || message.threadId !== threadId || message.isDeleted) return;
        said.add(`${message.author.displayName}: ${withoutSpoilers(withNames(saidIn(message), message.mentions))}`);
      }),
      () => said.drop(),
      channel.listen('message:stream', ({ author, offset, delta, aborted, reason, soFar, ...reply }) => {
        if (reply.threadId !== threadId) return;
        if (reason === 'stopped') announce(texts.peek().t('The reply was stopped.'));
        else if (aborted) announce(texts.peek().t('The reply was not finished.'));
        else if (author && offset === 0 && !soFar && delta !== '')
          announce(texts.peek().t('{name} is writing…', { name: author.displayName }));
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [channelId, threadId]);
}
