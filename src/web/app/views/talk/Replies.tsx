import { useLayoutEffect } from 'preact/hooks';
import { type Reply, replies, showReply } from '../../state/replies.ts';
import type { Timeline } from '../../state/timeline.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Text } from '../parts/text.tsx';
import { AuthorButton } from './AuthorButton.tsx';
import { isGrouped } from './grouping.ts';
import { AnsweredPreview } from './Message.tsx';

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
