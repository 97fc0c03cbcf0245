import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Message } from '../../../client/index.ts';
import { me } from '../state/client.ts';
import type { Timeline } from '../state/timeline.ts';
import { isLookedAt, lastRead, markRead } from '../state/unread.ts';
import { MessageView } from './Message.tsx';
import { dayKey, dayName } from './time.ts';
import { FailedMessage, PendingMessage } from './Unsent.tsx';
import { useScroll } from './useScroll.ts';

interface ListProps {
  timeline: Timeline;
  /** A message to bring into view. */
  target: string | null;
  name: string;
}

const groupMs = 5 * 60_000;

export function MessageList({ timeline, target, name }: ListProps) {
  const ref = useRef<HTMLDivElement>(null);
  const messages = timeline.messages.value;
  const { atEnd, toEnd } = useScroll(ref, timeline, target);
  const newSince = useNewLine(timeline, atEnd);
  const known = useMemo(() => new Set(messages.map(({ nonce }) => nonce)), [messages]);
  const pending = timeline.pending.value.filter(({ nonce }) => !known.has(nonce));
  return (
    <div class="talk">
      {/* Turned round: the browser itself keeps the end in view, and the place when older messages are put before. */}
      <div class="scroller" ref={ref}>
        <div class="messages" role="log" aria-label={`Messages in ${name}`} aria-busy={!timeline.loaded.value}>
          <Beginning timeline={timeline} name={name} />
          {messages.map((message, i) => {
            const before = messages[i - 1];
            const newDay = !before || dayKey(before.createdAt) !== dayKey(message.createdAt);
            const isNew = newSince !== null && message.seq > newSince && (before?.seq ?? 0) <= newSince;
            return (
              <div key={message.id} class="row">
                {newDay && <DayLine iso={message.createdAt} />}
                {isNew && <NewLine />}
                <MessageView
                  message={message}
                  timeline={timeline}
                  grouped={!newDay && !isNew && isGrouped(before, message)}
                  isTarget={message.id === target}
                />
              </div>
            );
          })}
          {!timeline.hasNewer.value && (
            <>
              {pending.map((one) => (
                <PendingMessage key={one.nonce} pending={one} />
              ))}
              {timeline.failed.value.map((one) => (
                <FailedMessage key={one.pending.nonce} failed={one} timeline={timeline} />
              ))}
            </>
          )}
        </div>
      </div>
      {(!atEnd || timeline.hasNewer.value) && (
        <button type="button" class="to-end" onClick={toEnd}>
          {newSince !== null && messages.some(({ seq }) => seq > newSince) ? 'New messages' : 'To the newest'} ↓
        </button>
      )}
    </div>
  );
}

function Beginning({ timeline, name }: { timeline: Timeline; name: string }) {
  if (timeline.error.value && !timeline.loaded.value) {
    return (
      <div class="beginning" role="alert">
        <p>{timeline.error.value}</p>
        <button type="button" class="button" onClick={() => void timeline.showNewest()}>
          Try again
        </button>
      </div>
    );
  }
  if (!timeline.loaded.value) return <Skeleton />;
  if (timeline.hasOlder.value) return <Skeleton />;
  return (
    <div class="beginning">
      <h2>{name}</h2>
      <p>This is where it begins. Say something.</p>
    </div>
  );
}

/** Takes the room of messages that are being fetched. */
function Skeleton() {
  return (
    <div class="skeleton" aria-hidden="true">
      {[70, 40, 85, 55, 62].map((width) => (
        <div key={width} class={`bone w${width}`} />
      ))}
    </div>
  );
}

function DayLine({ iso }: { iso: string }) {
  return (
    <div class="line">
      <span>{dayName(iso)}</span>
    </div>
  );
}

function NewLine() {
  return (
    <div class="line new">
      <span>New</span>
    </div>
  );
}

function isGrouped(before: Message | undefined, message: Message): boolean {
  if (!before || before.authorId !== message.authorId || message.replyToId) return false;
  return Date.parse(message.createdAt) - Date.parse(before.createdAt) < groupMs;
}

/** Marks as read what is looked at. @returns after which message the "new" line stands, while this place is open */
function useNewLine(timeline: Timeline, atEnd: boolean): number | null {
  const { channelId } = timeline;
  const [since] = useState(() => lastRead(channelId));
  const last = timeline.messages.value.at(-1);
  useLayoutEffect(() => {
    const read = () => {
      if (last && atEnd && !timeline.hasNewer.peek() && isLookedAt(channelId)) markRead(channelId, last.seq);
    };
    read();
    document.addEventListener('visibilitychange', read);
    return () => document.removeEventListener('visibilitychange', read);
  }, [last, atEnd, channelId, timeline]);
  const firstNew = timeline.messages.value.find(({ seq }) => seq > since);
  const isOwn = firstNew?.authorId === me.value?.id;
  return since > 0 && firstNew && !isOwn ? since : null;
}
