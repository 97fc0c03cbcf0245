import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Message, ParleyError, type ThreadRecord } from '../../../../client/index.ts';
import { pathTo } from '../../state/router.ts';
import type { Timeline } from '../../state/timeline.ts';
import { Button } from '../parts/Button.tsx';
import { Confirm, Dialog } from '../parts/Dialog.tsx';
import { Field } from '../parts/Field.tsx';
import { Form } from '../parts/Form.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Menu, type MenuItem } from '../parts/Menu.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { useConversationInfo } from './ChannelHead.tsx';
import { Composer, useFileDrop } from './Composer.tsx';
import { MessageList } from './MessageList.tsx';
import { mayModerate, mayUsually, withheld } from './permissions.ts';
import { DeletedThread } from './Unsent.tsx';
import { useAnnouncements } from './useNewMessages.ts';
import { useTimeout } from './useRestraints.ts';

interface ThreadProps {
  channelId: string;
  threadId: string;
  /** A message to show, from a link. */
  messageId: string | null;
}

/** A thread, beside its channel; on a phone in its place. */
export function Thread({ channelId, threadId, messageId }: ThreadProps) {
  const { t } = useTexts();
  const { timelines, drafts, servers } = useApp();
  const timeline = useMemo(() => timelines.of(channelId, threadId), [channelId, threadId]);
  const { thread, setThread, opening } = useThread(timeline, threadId, messageId);
  const name = thread?.name ?? t('Thread');
  useAnnouncements(channelId, threadId);
  useEffect(
    () => () => {
      // Nobody returns to a deleted thread.
      if (timeline.gone.peek()) drafts.rescueThread(threadId, channelId);
    },
    [timeline, threadId, channelId],
  );
  const { channel } = useConversationInfo(channelId);
  const isOver = channel?.isArchived || thread?.isArchived;
  const isWithheld = channel && !channel.permissions.includes('message:post');
  const timedOut = useTimeout();
  const archived = isOver ? t('This thread is archived. Nobody can write here any more.') : null;
  const ended = archived ?? (isWithheld ? t(withheld.post) : null);
  const closed = ended ?? timedOut;
  const { over, ...dropping } = useFileDrop(timeline, closed);
  return (
    <aside class={`conversation thread ${over ? 'over' : ''}`} aria-label={t('Thread {name}', { name })} {...dropping}>
      <header class="bar">
        <h1 class="title">
          <Icon name="thread" />
          <span class="name">{name}</span>
        </h1>
        <span class="space" />
        {thread && !timeline.gone.value && <FollowButton threadId={threadId} />}
        {thread && !timeline.gone.value && <ThreadMenu thread={thread} onChange={setThread} />}
        <a
          class="icon"
          href={pathTo.channel(servers.current.value?.id ?? null, channelId)}
          aria-label={t('Close the thread')}
        >
          <Icon name="close" />
        </a>
      </header>
      {timeline.gone.value ? (
        <DeletedThread timeline={timeline} />
      ) : (
        <>
          <MessageList timeline={timeline} target={messageId} name={name} opening={opening} />
          <Composer timeline={timeline} name={name} closed={closed} />
        </>
      )}
    </aside>
  );
}

/** A thread's record, and the message that it starts from unless that is deleted. */
function useThread(timeline: Timeline, threadId: string, messageId: string | null) {
  const app = useApp();
  const { client, connection } = app;
  const [thread, setThread] = useState<ThreadRecord | null>(null);
  const [opening, setOpening] = useState<Message | null>(null);
  useEffect(() => {
    const isShown = timeline.messages.peek().some(({ id }) => id === messageId);
    if (messageId && !isShown)
      void app.timelines.showMessage(timeline, messageId, app.servers.current.peek()?.id ?? null);
    else if (!timeline.loaded.peek() || timeline.gone.peek()) void timeline.showNewest();
  }, [timeline, messageId]);
  useEffect(() => {
    const channel = client.channel(timeline.channelId);
    const ends = [
      channel.listen('thread:updated', (changed) => {
        if (changed.id === threadId) setThread(changed);
      }),
      channel.listen('message:updated', (changed) => setOpening((now) => (now?.id === changed.id ? changed : now))),
      channel.listen('message:deleted', (gone) => setOpening((now) => (now?.id === gone.id ? null : now))),
      channel.listen('messages:expired', ({ beforeSeq }) =>
        setOpening((now) => (now && now.seq < beforeSeq ? null : now)),
      ),
      connection.load(async () => {
        const found = await client.rest('GET /api/threads/:id', { id: threadId }).catch(nullIfGone);
        setThread(found);
        const id = found?.parentMessageId;
        if (id) setOpening(await client.rest('GET /api/messages/:id', { id }).catch(nullIfGone));
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

/** Whether the user follows the thread; pressing it changes that. */
function FollowButton({ threadId }: { threadId: string }) {
  const { t } = useTexts();
  const { follows, attempt, connection } = useApp();
  useEffect(() => connection.load(() => follows.loadThread(threadId)), [threadId]);
  const state = follows.of(threadId)?.state;
  if (!state || state === 'muted') return null;
  const isFollowed = state === 'following';
  return (
    <Button
      label={isFollowed ? t('Unfollow') : t('Follow')}
      kind="quiet"
      onClick={() => void attempt(() => follows.setFollowing(threadId, !isFollowed))}
    />
  );
}

interface ThreadMenuProps {
  thread: ThreadRecord;
  onChange(thread: ThreadRecord): void;
}

/** Muting a thread, and the actions of its creator and of those who manage threads. */
export function ThreadMenu({ thread, onChange }: ThreadMenuProps) {
  const { t } = useTexts();
  const app = useApp();
  const { me, servers, client, attempt, navigate, follows } = app;
  const [asking, setAsking] = useState<'rename' | 'delete' | null>(null);
  const mayManage = mayModerate(app, thread.channelId, 'thread:manage');
  const mayDelete = mayManage || thread.creatorId === me.value?.id;
  const mayChange = mayManage || (mayDelete && mayUsually(app, thread.channelId, 'message:post'));
  const { id, channelId, isArchived } = thread;
  const change = async (body: { name?: string; isArchived?: boolean }) =>
    onChange(await client.rest('PATCH /api/threads/:id', { id, body }));
  const remove = () =>
    attempt(async () => {
      await client.rest('DELETE /api/threads/:id', { id });
      navigate(pathTo.channel(servers.current.value?.id ?? null, channelId));
    });
  const archive = () => void attempt(() => change({ isArchived: !isArchived }));
  const close = () => setAsking(null);
  const isMuted = follows.of(id)?.state === 'muted';
  const mute: MenuItem = {
    label: isMuted ? t('Unmute the thread') : t('Mute the thread'),
    icon: isMuted ? 'bell' : 'mute',
    run: () => void attempt(() => (isMuted ? follows.setFollowing(id, true) : follows.mute(id))),
  };
  const changing: MenuItem[] = [
    { label: t('Rename'), icon: 'edit', run: () => setAsking('rename') },
    { label: isArchived ? t('Unarchive') : t('Archive'), icon: 'archive', run: archive },
  ];
  const deleting: MenuItem = { label: t('Delete'), icon: 'trash', danger: true, run: () => setAsking('delete') };
  return (
    <>
      <Menu label={t('Thread menu')} items={[mute, ...(mayChange ? changing : []), ...(mayDelete ? [deleting] : [])]}>
        <Icon name="more" />
      </Menu>
      {asking === 'rename' && <Rename name={thread.name} onName={(name) => change({ name })} onClose={close} />}
      {asking === 'delete' && (
        <Confirm
          title={t('Delete {name}?', { name: thread.name })}
          text={t('The thread and all its messages are deleted for everyone. The message that it starts from stays.')}
          action={t('Delete')}
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
  const { t } = useTexts();
  return (
    <Dialog title={t('Rename the thread')} onClose={onClose}>
      <Form action={t('Rename')} work={({ text }) => onName(text('name')).then(onClose)}>
        <Field label={t('Name')} name="name" maxlength={100} value={name} required autofocus />
      </Form>
    </Dialog>
  );
}
