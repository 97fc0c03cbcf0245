import { useComputed } from '@preact/signals';
import type { Message } from '../../../../client/index.ts';
import { quoteOf } from '../../../../contract/quote.ts';
import { namedText } from '../../state/named.ts';
import { pathTo } from '../../state/router.ts';
import type { Timeline } from '../../state/timeline.ts';
import { useApp, useTexts } from '../useApp.ts';

interface PreviewProps {
  message: Pick<Message, 'channelId' | 'replyTo'>;
  timeline: Timeline;
}

/** The message that another one answers, in a line above that. */
export function ReplyPreview({ message, timeline }: PreviewProps) {
  const texts = useTexts();
  const app = useApp();
  const { replyTo: original, channelId } = message;
  const { threadId } = timeline;
  // The others change with each message that comes.
  const author = useComputed(() => timeline.authors.value.get(original?.authorId ?? '')).value;
  const mentions = useComputed(() => timeline.messages.value.find(({ id }) => id === original?.id)?.mentions).value;
  if (!original) return null;
  return (
    <a
      class="reply"
      href={pathTo.messageOrThread(app.servers.current.value?.id ?? null, { channelId, threadId, id: original.id })}
    >
      {author && <strong>{author}</strong>}{' '}
      <span class={original.deleted ? 'faint' : ''} dir="auto">
        {original.deleted
          ? texts.t('The message was deleted')
          : quoteOf(namedText(app, texts, original.content, mentions ?? []), 200)}
      </span>
    </a>
  );
}

interface PendingReplyProps {
  id: string | null | undefined;
  timeline: Timeline;
}

/** The same for what is not a message yet. */
export function PendingReplyPreview({ id, timeline }: PendingReplyProps) {
  if (!id) return null;
  const original = timeline.messages.value.find((message) => message.id === id);
  const { authorId = '', content = '…' } = original ?? {};
  const { channelId } = timeline;
  return (
    <ReplyPreview message={{ channelId, replyTo: { id, authorId, content, deleted: false } }} timeline={timeline} />
  );
}
