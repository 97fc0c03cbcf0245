import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Message, ServerRecord } from '../../../../client/index.ts';
import { type Reply, replies, showReply } from '../../state/replies.ts';
import { currentServer } from '../../state/servers.ts';
import type { Timeline } from '../../state/timeline.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Text } from '../parts/text.tsx';
import { dayKey, dayName } from '../parts/time.ts';
import { InvitePeople } from '../server/Invites.tsx';
import { Attachments } from './Attachments.tsx';
import { AuthorButton } from './AuthorButton.tsx';
import { isGrouped } from './grouping.ts';
import { AnsweredPreview, MessageView, Said } from './Message.tsx';
import { asMessage, PendingMessage, RefusedMessage, SentMessage } from './Unsent.tsx';
import { useNews } from './useNews.ts';
import { useOneStop, useScroll } from './useScroll.ts';

interface ListProps {
  timeline: Timeline;
  /** A message to bring into view. */
  target: string | null;
  name: string;
  /** What a thread starts from. */
  opening?: Message | null;
}

export function MessageList({ timeline, target, name, opening = null }: ListProps) {
  const ref = useRef<HTMLDivElement>(null);
  const messages = timeline.messages.value;
  const { atEnd, toEnd } = useScroll(ref, timeline, target);
  const news = useNews(ref, timeline, atEnd);
  useOneStop(ref, messages);
  return (
    <div class="talk">
      <ToFirstNew count={news.above} onClick={news.toFirst} />
      {/* Turned round: the browser itself keeps the end in view, and the place when older messages are put before. */}
      <div class="scroller" ref={ref}>
        {/* New messages are read out by the announcer: here older ones come, too. */}
        <div
          class="messages"
          role="log"
          aria-live="off"
          aria-label={`Messages in ${name}`}
          aria-busy={!timeline.loaded.value}
        >
          <Beginning timeline={timeline} name={name} opening={opening} />
          {messages.map((message, i) => (
            <MessageRow
              key={message.id}
              message={message}
              before={messages[i - 1]}
              timeline={timeline}
              newSince={news.since}
              isTarget={message.id === target}
            />
          ))}
          {!timeline.hasNewer.value && <Replies timeline={timeline} />}
          {!timeline.hasNewer.value && <Unconfirmed timeline={timeline} />}
        </div>
      </div>
      {(!atEnd || timeline.hasNewer.value) && (
        <button type="button" class="to-end" onClick={toEnd}>
          {news.below ? 'New messages' : 'To the newest'} ↓
        </button>
      )}
    </div>
  );
}

/** The server counts no further. */
const mostCounted = 1000;

/** Leads to where what is new begins. */
function ToFirstNew({ count, onClick }: { count: number; onClick(): void }) {
  if (count === 0) return null;
  return (
    <button type="button" class="to-end to-new" onClick={onClick}>
      ↑ {count === 1 ? '1 new message' : `${count}${count < mostCounted ? '' : '+'} new messages`}
    </button>
  );
}

interface RowProps {
  message: Message;
  before: Message | undefined;
  timeline: Timeline;
  /** After which message the "new" line stands; null: nowhere. */
  newSince: number | null;
  isTarget: boolean;
}

function MessageRow({ message, before, timeline, newSince, isTarget }: RowProps) {
  const newDay = !before || dayKey(before.createdAt) !== dayKey(message.createdAt);
  // Before the first of those that are shown there may be more that are new.
  const isFirst = before ? before.seq <= (newSince ?? 0) : !timeline.hasOlder.value;
  const isNew = newSince !== null && message.seq > newSince && isFirst;
  const grouped = !newDay && !isNew && isGrouped(before, message);
  return (
    <div class="row">
      {newDay && <DayLine iso={message.createdAt} />}
      {isNew && <NewLine />}
      <MessageView message={message} timeline={timeline} grouped={grouped} isTarget={isTarget} />
    </div>
  );
}

/** What waits to be sent or to be heard of, and what was refused. */
function Unconfirmed({ timeline }: { timeline: Timeline }) {
  const messages = timeline.messages.value;
  const { sending } = timeline;
  const known = useMemo(() => new Set(messages.map(({ nonce }) => nonce)), [messages]);
  const pending = sending.pending.value.filter(({ nonce }) => !known.has(nonce));
  const sent = sending.unheard.value.map((one) => one.pending);
  const before = [messages.at(-1), ...[...sent, ...pending].map(asMessage)];
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
    </>
  );
}

interface BeginningProps {
  timeline: Timeline;
  name: string;
  opening: Message | null;
}

function Beginning({ timeline, name, opening }: BeginningProps) {
  if (timeline.error.value && !timeline.loaded.value) {
    return (
      <div class="beginning" role="alert">
        <p>{timeline.error.value}</p>
        <Button label="Try again" onClick={() => void timeline.showNewest()} />
      </div>
    );
  }
  if (!timeline.loaded.value) return <Skeleton />;
  if (timeline.hasOlder.value) return <Skeleton />;
  if (opening) return <Opening message={opening} />;
  const server = currentServer.value;
  return (
    <div class="beginning">
      <h2>{name}</h2>
      <p>{timeline.threadId ? 'The thread begins here.' : 'This is where it begins.'}</p>
      {server?.memberCount === 1 && timeline.authors.value.size < 2 && <InviteFirst server={server} />}
    </div>
  );
}

/** Whoever has made a server is alone in it. */
function InviteFirst({ server }: { server: ServerRecord }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button label="Invite people" onClick={() => setOpen(true)} />
      {open && <InvitePeople server={server} onClose={() => setOpen(false)} />}
    </>
  );
}

function Opening({ message }: { message: Message }) {
  return (
    <div class="opening">
      <Avatar user={message.author} />
      <div>
        <strong>{message.author.displayName}</strong>
        <Said message={message} />
        <Attachments list={message.attachments} />
      </div>
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

/** What bots are about to say, after all that was said; each gives way to its message. */
export function Replies({ timeline }: { timeline: Timeline }) {
  const messages = timeline.messages.value;
  const here = replies.value.filter(
    ({ channelId, threadId, messageId }) =>
      channelId === timeline.channelId &&
      threadId === timeline.threadId &&
      !messages.some(({ id }) => id === messageId),
  );
  return (
    <>
      {here.map((reply) => (
        <ReplyView key={reply.key} reply={reply} timeline={timeline} />
      ))}
    </>
  );
}

/** Stands as the message will, so that nothing moves when it comes; it is not read out while it changes. */
function ReplyView({ reply, timeline }: { reply: Reply; timeline: Timeline }) {
  const { key, author, replyToId, startedAt, heard, whole } = reply;
  useLayoutEffect(() => showReply(key), [key]);
  const messages = timeline.messages.value;
  const grouped = isGrouped(messages.at(-1), { authorId: author.id, replyToId, createdAt: startedAt });
  return (
    <article
      class={`message making ${grouped ? 'grouped' : ''}`}
      aria-label={`${author.displayName}, writing`}
      aria-busy="true"
      tabIndex={-1}
    >
      <AnsweredPreview id={replyToId} timeline={timeline} />
      <div class="gutter">{!grouped && <Avatar user={author} />}</div>
      <div class="content">
        {!grouped && (
          <header>
            <AuthorButton author={author} />
            <span class="tag">Bot</span>
            <span class="faint">writing…</span>
          </header>
        )}
        <div class="text">
          <Text content={closed(whole ? heard : `… ${heard}`)} />
        </div>
      </div>
    </article>
  );
}

/** A block of code whose end is still to come looks like one from its beginning. */
const closed = (text: string) => ((text.match(/```/g)?.length ?? 0) % 2 === 1 ? `${text}\n\`\`\`` : text);
