import { useLayoutEffect, useState } from 'preact/hooks';
import type { Reply } from '../../state/replies.ts';
import type { Timeline } from '../../state/timeline.ts';
import { PersonPicture } from '../parts/PersonButton.tsx';
import { Text } from '../parts/text.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { AuthorButton } from './AuthorButton.tsx';
import { isGrouped } from './grouping.ts';
import { mayUsually } from './permissions.ts';
import { PendingReplyPreview } from './ReplyPreview.tsx';

/** Replies that bots are writing, after all messages; each is replaced by its message. */
export function Replies({ timeline }: { timeline: Timeline }) {
  const { replies } = useApp();
  const messages = timeline.messages.value;
  const here = replies.list.value.filter(
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

/** Looks like the message, so that nothing moves when that comes. It is not announced while it changes. */
function ReplyView({ reply, timeline }: { reply: Reply; timeline: Timeline }) {
  const { t } = useTexts();
  const { replies } = useApp();
  const { key, author, replyToId, startedAt, text, start } = reply;
  useLayoutEffect(() => replies.show(key), [key]);
  const messages = timeline.messages.value;
  const grouped = isGrouped(messages.at(-1), { authorId: author.id, replyToId, createdAt: startedAt });
  return (
    <article
      class={`message making ${grouped ? 'grouped' : ''}`}
      aria-label={t('{name}, writing', { name: author.displayName })}
      aria-busy="true"
      tabIndex={-1}
    >
      <PendingReplyPreview id={replyToId} timeline={timeline} />
      <div class="gutter">{!grouped && <PersonPicture user={author} />}</div>
      <div class="content">
        {!grouped && (
          <header>
            <AuthorButton author={author} />
            <span class="tag">{t('Bot')}</span>
            <span class="faint">{t('writing…')}</span>
          </header>
        )}
        <div class="text">
          <Text content={closed(start === 0 ? text : `… ${text}`)} />
        </div>
      </div>
      <StopReply reply={reply} />
    </article>
  );
}

/** For everyone who may write here. It takes no room of its own, so that the message that follows is as high. */
function StopReply({ reply }: { reply: Reply }) {
  const { t } = useTexts();
  const app = useApp();
  const [busy, setBusy] = useState(false);
  const { author, channelId, streamId, messageId } = reply;
  if (messageId || !mayUsually(app, channelId, 'message:post')) return null;
  const stop = async () => {
    if (busy) return;
    setBusy(true);
    const body = { userId: author.id, streamId };
    await app.attempt(() => app.client.rest('POST /api/channels/:channelId/streams/stop', { channelId, body }));
    setBusy(false);
  };
  return (
    <div class="stop">
      <button
        type="button"
        class="button quiet"
        aria-label={t('Stop the reply of {name}', { name: author.displayName })}
        aria-busy={busy}
        onClick={() => void stop()}
      >
        {t('Stop')}
      </button>
    </div>
  );
}

/** Closes a block of code that is not complete yet. */
const closed = (text: string) => ((text.match(/```/g)?.length ?? 0) % 2 === 1 ? `${text}\n\`\`\`` : text);
