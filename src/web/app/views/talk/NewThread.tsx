import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Message, ParleyError } from '../../../../client/index.ts';
import { pathTo } from '../../state/router.ts';
import { Icon } from '../parts/Icon.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { useConversationInfo } from './ChannelHead.tsx';
import { OpenComposer, useFileDrop } from './Composer.tsx';
import { Opening } from './MessageList.tsx';
import { withheld } from './permissions.ts';
import { UnsentDraft } from './Unsent.tsx';
import type { WritingPlace } from './useComposer.ts';
import { useTimeout } from './useRestraints.ts';

interface NewThreadProps {
  channelId: string;
  /** The message that it is to start from. */
  messageId: string;
}

/** A thread that is there once something is written in it. */
export function NewThread({ channelId, messageId }: NewThreadProps) {
  const { t } = useTexts();
  const { servers } = useApp();
  const { place, opening, isGone } = useNewThread(channelId, messageId);
  const { channel } = useConversationInfo(channelId);
  const timedOut = useTimeout();
  const isWithheld = channel && !channel.permissions.includes('thread:start');
  const archived = channel?.isArchived ? t('This channel is archived. Nobody can write here any more.') : null;
  const closed = archived ?? (isWithheld ? t(withheld.post) : null) ?? timedOut;
  const { over, ...dropping } = useFileDrop(place, closed);
  return (
    <aside class={`conversation thread ${over ? 'over' : ''}`} aria-label={t('New thread')} {...dropping}>
      <header class="bar">
        <h2 class="title">
          <Icon name="thread" />
          <span class="name">{t('New thread')}</span>
        </h2>
        <span class="space" />
        <a
          class="icon"
          href={pathTo.channel(servers.current.value?.id ?? null, channelId)}
          aria-label={t('Close the thread')}
        >
          <Icon name="close" />
        </a>
      </header>
      <div class="talk">
        <div class="scroller">
          <div class="messages">
            {opening && <Opening message={opening} />}
            <p class="beginning">
              {isGone ? t('This message is not here. It was deleted.') : t('Write a reply to start the thread.')}
            </p>
          </div>
        </div>
      </div>
      {closed || isGone ? (
        <>
          {closed && <p class="closed">{closed}</p>}
          <UnsentDraft timeline={place} />
        </>
      ) : (
        <OpenComposer place={place} name={t('New thread')} />
      )}
    </aside>
  );
}

/** The message that a thread is to start from; if it has one, that is shown. */
function useNewThread(channelId: string, messageId: string) {
  const app = useApp();
  const { client, connection, drafts, servers, navigate } = app;
  const [opening, setOpening] = useState<Message | null>(null);
  const [isGone, setGone] = useState(false);
  const isOwn = useRef(false);
  const key = `new-thread:${messageId}`;
  const open = (threadId: string) =>
    navigate(pathTo.thread(servers.current.peek()?.id ?? null, channelId, threadId), { replace: true });
  /** Someone has started it meanwhile: what was written here goes on there. */
  const join = (threadId: string) => {
    if (isOwn.current) return;
    const text = drafts.of(key);
    if (text !== '') drafts.append(text, threadId);
    app.attachments.moveAll(key, threadId);
    drafts.discard(key);
    open(threadId);
  };
  useEffect(() => {
    const channel = client.channel(channelId);
    const ends = [
      channel.listen('thread:created', (thread) => thread.parentMessageId === messageId && join(thread.id)),
      channel.listen('message:updated', (changed) => changed.id === messageId && setOpening(changed)),
      channel.listen('message:deleted', ({ id }) => id === messageId && setGone(true)),
      connection.load(async () => {
        const found = await client.rest('GET /api/messages/:id', { id: messageId }).catch(nullIfGone);
        setOpening(found);
        setGone(found === null);
        if (found?.thread) join(found.thread.id);
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [channelId, messageId]);
  const place = useMemo((): WritingPlace => {
    const start = async () => {
      isOwn.current = true;
      try {
        return (await client.rest('POST /api/messages/:id/thread', { id: messageId, body: {} })).id;
      } catch (error) {
        isOwn.current = false;
        throw error;
      }
    };
    return { key, channelId, threadId: null, timeline: null, beginning: { start, open } };
  }, [channelId, messageId]);
  return { place, opening, isGone };
}

function nullIfGone(error: unknown): null {
  if (error instanceof ParleyError && error.status === 404) return null;
  throw error;
}
