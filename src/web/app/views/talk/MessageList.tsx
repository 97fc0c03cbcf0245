import { useComputed } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Message } from '../../../../client/index.ts';
import type { Timeline } from '../../state/timeline.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { lazyPart } from '../parts/lazy.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { Attachments } from './Attachments.tsx';
import { AtHand } from './at-hand.ts';
import { AskedForm } from './Components.tsx';
import { Ephemerals } from './Ephemerals.tsx';
import { Forwarded } from './Forwarded.tsx';
import { isGrouped } from './grouping.ts';
import { MessageText, MessageView } from './Message.tsx';
import { OwnHeld } from './OwnHeld.tsx';
import { ReadBy } from './ReadBy.tsx';
import { Replies } from './Replies.tsx';
import { asMessage, PendingMessage, RefusedMessage, SentMessage } from './Unsent.tsx';
import { useNewMessages } from './useNewMessages.ts';
import { useRows } from './useRows.ts';
import { useScroll } from './useScroll.ts';
import { useTabStop } from './useTabStop.ts';

const FirstSteps = lazyPart(() => import('./FirstSteps.tsx').then((part) => part.FirstSteps));

interface ListProps {
  timeline: Timeline;
  /** A message to bring into view. */
  target: string | null;
  name: string;
  /** The message that a thread starts from. */
  opening?: Message | null;
}

export function MessageList({ timeline, target, name, opening = null }: ListProps) {
  const { t } = useTexts();
  const ref = useRef<HTMLDivElement>(null);
  const messages = timeline.messages.value;
  const { atEnd, toEnd, look } = useScroll(ref, timeline, target);
  // After that, which looks for its place among what is drawn.
  const { pieces, range, showEnd } = useRows(ref, timeline, target);
  // What one reads is known once it is drawn.
  useEffect(look, [look, range]);
  const news = useNewMessages(ref, timeline, atEnd);
  const [atHand] = useState(() => new AtHand());
  const { receipts } = useApp();
  const hasReaders = useComputed(() => timeline.threadId === null && receipts.of(timeline.channelId).size > 0).value;
  useTabStop(ref);
  return (
    <div class="talk">
      <JumpToNew count={news.above} onClick={news.toFirst} />
      {/* Reversed, so that the browser keeps the end in view, and the position when older messages are inserted. */}
      <div class="scroller" ref={ref}>
        {/* New messages are announced elsewhere, since older ones are inserted here too. */}
        <div
          class="messages"
          role="log"
          aria-live="off"
          aria-label={t('Messages in {name}', { name })}
          aria-busy={!timeline.loaded.value}
          {...atHand.listeners}
        >
          <Beginning timeline={timeline} name={name} opening={opening} />
          {pieces.map((piece) => {
            if (piece.kind === 'gap')
              return <div key={piece.key} class="gap" style={{ height: `${piece.height}px` }} />;
            const message = messages[piece.at];
            return (
              message && (
                <MessageRow
                  key={message.id}
                  message={message}
                  before={messages[piece.at - 1]}
                  after={messages[piece.at + 1]}
                  timeline={timeline}
                  newSince={news.since}
                  isTarget={message.id === target}
                  atHand={atHand}
                  hasReaders={hasReaders}
                />
              )
            );
          })}
          {!timeline.hasNewer.value && <Replies timeline={timeline} />}
          {!timeline.hasNewer.value && <Unconfirmed timeline={timeline} />}
          {!timeline.hasNewer.value && <Ephemerals timeline={timeline} />}
          <AskedForm timeline={timeline} />
        </div>
      </div>
      {(!atEnd || timeline.hasNewer.value) && (
        <button
          type="button"
          class="to-end"
          onClick={() => {
            showEnd();
            toEnd();
          }}
        >
          {news.below ? t('New messages') : t('Jump to the newest')} ↓
        </button>
      )}
    </div>
  );
}

/** The server counts no further. */
const maxCounted = 1000;

/** Scrolls to the first new message. */
function JumpToNew({ count, onClick }: { count: number; onClick(): void }) {
  const { t } = useTexts();
  if (count === 0) return null;
  return (
    <button type="button" class="to-end to-new" onClick={onClick}>
      ↑{' '}
      {count < maxCounted
        ? t('{count, plural, one {# new message} other {# new messages}}', { count })
        : t('{count}+ new messages', { count })}
    </button>
  );
}

interface RowProps {
  message: Message;
  before: Message | undefined;
  after: Message | undefined;
  timeline: Timeline;
  /** Number of the message before the "new" line; null: there is no line. */
  newSince: number | null;
  isTarget: boolean;
  atHand: AtHand;
  /** Whether anyone shows how far they have read. */
  hasReaders: boolean;
}

/**
 * Drawn again only where one of these is another one, since it has no state of its own and reads signals: its list is drawn
 * with each message that comes.
 */
function MessageRow(props: RowProps) {
  const { message, before, after, timeline, newSince, isTarget, atHand, hasReaders } = props;
  const { dayKey } = useTexts();
  const newDay = !before || dayKey(before.createdAt) !== dayKey(message.createdAt);
  // There may be more new ones before the first that is shown.
  const isFirst = before ? before.seq <= (newSince ?? 0) : !timeline.hasOlder.value;
  const isNew = newSince !== null && message.seq > newSince && isFirst;
  const grouped = !newDay && !isNew && isGrouped(before, message);
  return (
    <div class="row" data-row={message.id}>
      {newDay && <DayLine iso={message.createdAt} />}
      {isNew && <NewLine />}
      <MessageView message={message} timeline={timeline} grouped={grouped} isTarget={isTarget} atHand={atHand} />
      {hasReaders && <ReadBy message={message} after={after} timeline={timeline} />}
    </div>
  );
}

/** Messages that wait to be sent, were not received yet, or were refused. */
function Unconfirmed({ timeline }: { timeline: Timeline }) {
  const authorId = useApp().me.value?.id;
  const messages = timeline.messages.value;
  const { sending } = timeline;
  const known = useMemo(() => new Set(messages.map(({ nonce }) => nonce)), [messages]);
  const pending = sending.pending.value.filter(({ nonce }) => !known.has(nonce));
  const sent = sending.acknowledged.value.map((one) => one.pending);
  const before = [messages.at(-1), ...[...sent, ...pending].map((one) => asMessage(one, authorId))];
  return (
    <>
      {sent.map((one, i) => (
        <SentMessage key={one.nonce} pending={one} before={before[i]} timeline={timeline} />
      ))}
      {pending.map((one, i) => (
        <PendingMessage key={one.nonce} pending={one} before={before[sent.length + i]} timeline={timeline} />
      ))}
      {sending.refused.value.map((one) => (
        <RefusedMessage key={one.pending.nonce} refused={one} />
      ))}
      <OwnHeld timeline={timeline} />
    </>
  );
}

interface BeginningProps {
  timeline: Timeline;
  name: string;
  opening: Message | null;
}

function Beginning({ timeline, name, opening }: BeginningProps) {
  const { t } = useTexts();
  if (timeline.error.value && !timeline.loaded.value) {
    return (
      <div class="beginning" role="alert">
        <p>{timeline.error.value}</p>
        <Button label={t('Try again')} onClick={() => void timeline.showNewest()} />
      </div>
    );
  }
  if (!timeline.loaded.value) return <Skeleton />;
  if (timeline.hasOlder.value) return <Skeleton />;
  if (opening) return <Opening message={opening} />;
  return (
    <div class="beginning">
      <h2>{name}</h2>
      <FirstSteps key={timeline.key} timeline={timeline} />
    </div>
  );
}

/** The message that a thread starts from. */
export function Opening({ message }: { message: Message }) {
  return (
    <div class="opening">
      <Avatar user={message.author} />
      <div>
        <strong>{message.author.displayName}</strong>
        <MessageText message={message} />
        <Forwarded message={message} />
        <Attachments list={message.attachments} />
      </div>
    </div>
  );
}

/** A placeholder for messages that are being loaded. */
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
  const { dayName } = useTexts();
  return (
    <div class="line">
      <span>{dayName(iso)}</span>
    </div>
  );
}

function NewLine() {
  const { t } = useTexts();
  return (
    <div class="line new">
      <span>{t('New messages')}</span>
    </div>
  );
}
