import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Message, ParleyError, type ThreadRecord } from '../../../../client/index.ts';
import { me, parley } from '../../state/client.ts';
import { rescueFromThread } from '../../state/leftovers.ts';
import { reading } from '../../state/reading.ts';
import { go, pathTo } from '../../state/router.ts';
import { currentServer, isAtLeast } from '../../state/servers.ts';
import { type Timeline, timelineOf } from '../../state/timeline.ts';
import { attempt } from '../../state/toasts.ts';
import { Confirm, Dialog } from '../parts/Dialog.tsx';
import { Field } from '../parts/Field.tsx';
import { Form } from '../parts/Form.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Menu } from '../parts/Menu.tsx';
import { useAbout } from './ChannelHead.tsx';
import { Composer, useFileDrop } from './Composer.tsx';
import { MessageList } from './MessageList.tsx';
import { showMessage } from './showMessage.ts';
import { GoneThread } from './Unsent.tsx';
import { useAnnouncements } from './useNews.ts';

interface ThreadProps {
  channelId: string;
  threadId: string;
  /** A message to show, from a link. */
  messageId: string | null;
}

/** A thread, beside its channel; on a phone in its place. */
export function Thread({ channelId, threadId, messageId }: ThreadProps) {
  const timeline = useMemo(() => timelineOf(channelId, threadId), [channelId, threadId]);
  const { thread, setThread, opening } = useThread(timeline, threadId, messageId);
  const name = thread?.name ?? 'Thread';
  useAnnouncements(channelId, threadId);
  useEffect(
    () => () => {
      // Nobody comes back to a thread that was deleted.
      if (timeline.gone.peek()) rescueFromThread(threadId, channelId);
    },
    [timeline, threadId, channelId],
  );
  const isOver = useAbout(channelId).channel?.isArchived || thread?.isArchived;
  const closed = isOver ? 'This thread is archived: nobody writes here any more.' : null;
  const { over, ...dropping } = useFileDrop(timeline, closed);
  return (
    <aside class={`conversation thread ${over ? 'over' : ''}`} aria-label={`Thread ${name}`} {...dropping}>
      <header class="bar">
        <h2 class="title">
          <Icon name="thread" />
          <span class="name">{name}</span>
        </h2>
        <span class="space" />
        {thread && !timeline.gone.value && <ThreadMenu thread={thread} onChange={setThread} />}
        <a class="icon" href={pathTo.channel(currentServer.value?.id ?? null, channelId)} aria-label="Close the thread">
          <Icon name="close" />
        </a>
      </header>
      {timeline.gone.value ? (
        <GoneThread timeline={timeline} />
      ) : (
        <>
          <MessageList timeline={timeline} target={messageId} name={name} opening={opening} />
          <Composer timeline={timeline} name={name} closed={closed} />
        </>
      )}
    </aside>
  );
}

/** A thread's name, and what it starts from while that is there. */
function useThread(timeline: Timeline, threadId: string, messageId: string | null) {
  const [thread, setThread] = useState<ThreadRecord | null>(null);
  const [opening, setOpening] = useState<Message | null>(null);
  useEffect(() => {
    const isShown = timeline.messages.peek().some(({ id }) => id === messageId);
    if (messageId && !isShown) void showMessage(timeline, messageId);
    else if (!timeline.loaded.peek() || timeline.gone.peek()) void timeline.showNewest();
  }, [timeline, messageId]);
  useEffect(() => {
    const channel = parley.channel(timeline.channelId);
    const ends = [
      channel.listen('thread:updated', (changed) => {
        if (changed.id === threadId) setThread(changed);
      }),
      channel.listen('message:updated', (changed) => setOpening((now) => (now?.id === changed.id ? changed : now))),
      channel.listen('message:deleted', (gone) => setOpening((now) => (now?.id === gone.id ? null : now))),
      reading(async () => {
        const found = await parley.rest('GET /api/threads/:id', { id: threadId }).catch(nullIfGone);
        setThread(found);
        const id = found?.parentMessageId;
        if (id) setOpening(await parley.rest('GET /api/messages/:id', { id }).catch(nullIfGone));
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [timeline, threadId]);
  return { thread, setThread, opening };
}

function nullIfGone(error: unknown): null {
  if (error instanceof ParleyError && error.status === 404) return null;
  throw error;
}

interface ThreadMenuProps {
  thread: ThreadRecord;
  onChange(thread: ThreadRecord): void;
}

/** What its creator and moderators can do with a thread. */
export function ThreadMenu({ thread, onChange }: ThreadMenuProps) {
  const [asking, setAsking] = useState<'rename' | 'delete' | null>(null);
  if (thread.creatorId !== me.value?.id && !isAtLeast(currentServer.value?.role, 'moderator')) return null;
  const { id, channelId, isArchived } = thread;
  const change = async (body: { name?: string; isArchived?: boolean }) =>
    onChange(await parley.rest('PATCH /api/threads/:id', { id, body }));
  const remove = () =>
    attempt(async () => {
      await parley.rest('DELETE /api/threads/:id', { id });
      go(pathTo.channel(currentServer.value?.id ?? null, channelId));
    });
  const archive = () => void attempt(() => change({ isArchived: !isArchived }));
  const close = () => setAsking(null);
  return (
    <>
      <Menu
        label="Thread menu"
        items={[
          { label: 'Rename', icon: 'edit', run: () => setAsking('rename') },
          { label: isArchived ? 'Bring back' : 'Archive', icon: 'archive', run: archive },
          { label: 'Delete', icon: 'trash', danger: true, run: () => setAsking('delete') },
        ]}
      >
        <Icon name="more" />
      </Menu>
      {asking === 'rename' && <Rename name={thread.name} onName={(name) => change({ name })} onClose={close} />}
      {asking === 'delete' && (
        <Confirm
          title={`Delete ${thread.name}?`}
          text="The thread and all that was said in it go away for everyone. The message that it starts from stays."
          action="Delete"
          onClose={close}
          onConfirm={() => void remove()}
        />
      )}
    </>
  );
}

interface RenameProps {
  name: string;
  onName(name: string): Promise<void>;
  onClose(): void;
}

function Rename({ name, onName, onClose }: RenameProps) {
  return (
    <Dialog title="Rename the thread" onClose={onClose}>
      <Form action="Rename" work={({ text }) => onName(text('name')).then(onClose)}>
        <Field label="Name" name="name" maxlength={100} value={name} required autofocus />
      </Form>
    </Dialog>
  );
}
