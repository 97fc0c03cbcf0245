import { useEffect, useMemo, useState } from 'preact/hooks';
import { type ChannelRecord, ParleyError, type RestAnswer } from '../../../../client/index.ts';
import type { Translate } from '../../state/texts.ts';
import type { Timeline } from '../../state/timeline.ts';
import { Button } from '../parts/Button.tsx';
import { lazyPage } from '../parts/lazy.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { ChannelHead, useConversationInfo, useUnlisted } from './ChannelHead.tsx';
import { Composer, useFileDrop } from './Composer.tsx';
import { KeepingNote } from './KeepingNote.tsx';
import { MessageList } from './MessageList.tsx';
import { withheld } from './permissions.ts';
import { Thread } from './Thread.tsx';
import { UnsentDraft } from './Unsent.tsx';
import { useAnnouncements } from './useNewMessages.ts';
import { useOwnEmoji } from './useOwnEmoji.ts';
import { useTimeout } from './useRestraints.ts';
import { useTarget } from './useTarget.ts';

const NewThread = lazyPage(() => import('./NewThread.tsx').then((part) => part.NewThread));

interface ConversationProps {
  channelId: string;
  /** A message to show, from a link; of the thread, where one is open. */
  messageId: string | null;
  /** A thread that is open beside the channel. */
  threadId: string | null;
  /** The message that a thread is to start from. */
  parentId: string | null;
}

export function Conversation({ channelId, messageId, threadId, parentId }: ConversationProps) {
  const { timelines } = useApp();
  const target = useTarget({ channelId, messageId, threadId });
  // The threads of an inaccessible channel are inaccessible, too.
  const isGone = timelines.of(channelId).gone.value;
  const open = isGone ? null : threadId;
  const starts = isGone ? null : parentId;
  return (
    <div class={open || starts ? 'talks two' : 'talks'}>
      <Channel channelId={channelId} messageId={threadId ? null : target} threadId={threadId} />
      {starts && <NewThread key={starts} channelId={channelId} messageId={starts} />}
      {open && <Thread key={open} channelId={channelId} threadId={open} messageId={target} />}
    </div>
  );
}

function Channel({ channelId, messageId, threadId }: Omit<ConversationProps, 'parentId'>) {
  const { t } = useTexts();
  const app = useApp();
  const { timelines, router, typists, activities, anchors } = app;
  const timeline = useMemo(() => timelines.of(channelId), [channelId]);
  const { label, channel, dm } = useConversationInfo(channelId);
  useUnlisted(channelId);
  useEffect(() => {
    router.remember();
    typists.follow(channelId);
    activities.follow(channelId);
    const anchor = anchors.of(channelId);
    if (messageId) void app.timelines.showMessage(timeline, messageId, app.servers.current.peek()?.id ?? null);
    else if (timeline.loaded.peek()) return;
    else if (anchor) void showAnchor(timeline, anchor.messageId);
    else void timeline.showNewest();
  }, [timeline, channelId, messageId]);
  useEffect(() => app.connection.load(() => app.follows.loadChannel(channelId).catch(ignoreRefusal)), [channelId]);
  useEffect(() => app.connection.load(() => app.saved.loadChannel(channelId).catch(ignoreRefusal)), [channelId]);
  const isMember = channel?.isMember ?? false;
  const hasReceipts = dm !== null || (channel?.isPrivate ?? false);
  useEffect(
    () => (hasReceipts ? app.connection.load(() => app.receipts.load(channelId).catch(ignoreRefusal)) : undefined),
    [channelId, hasReceipts],
  );
  useEffect(() => {
    if (isMember && timeline.gone.peek()) void timeline.showNewest();
  }, [isMember, timeline]);
  useAnnouncements(channelId, null);
  useOwnEmoji(app.servers.current.value);
  const timedOut = useTimeout();
  const closed = channel && ((channel.isArchived ? null : timedOut) ?? closedReason(t, channel));
  const { over, ...dropping } = useFileDrop(timeline, closed);
  if (timeline.gone.value) return <Gone timeline={timeline} threadId={threadId} />;
  return (
    <section class={over ? 'conversation over' : 'conversation'} aria-label={label} {...dropping}>
      <ChannelHead channelId={channelId} />
      <MessageList timeline={timeline} target={messageId} name={label} />
      <KeepingNote channel={channel} />
      <Composer timeline={timeline} name={label} closed={closed} />
    </section>
  );
}

/** A channel that is not accessible says so by itself. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ParleyError) || error.isPassing) throw error;
}

/** Why the user may only read here; null: they may write. */
function closedReason(t: Translate, { isArchived, type, permissions }: ChannelRecord): string | null {
  if (isArchived) return t('This channel is archived. Nobody can write here any more.');
  if (type === 'announcement' && !permissions.includes('channel:announce')) return t(withheld.announce);
  return permissions.includes('message:post') ? null : t(withheld.post);
}

type Access = RestAnswer<'GET /api/channels/:id/access'>;

/** Shown for a channel that is not accessible, with a way to request access. */
function Gone({ timeline, threadId }: { timeline: Timeline; threadId: string | null }) {
  const { t } = useTexts();
  const { client, attempt, timelines, me } = useApp();
  const { channelId } = timeline;
  const [access, setAccess] = useState<Access | null>(null);
  useEffect(() => {
    const read = () => void client.rest('GET /api/channels/:id/access', { id: channelId }).then(setAccess, () => {});
    read();
    return client.on('join-request:decided', read);
  }, [channelId]);
  const ask = (known: Access) =>
    attempt(async () => {
      const { status } = await client.rest('POST /api/channels/:id/join-requests', { id: channelId });
      setAccess({ ...known, joinRequestStatus: status });
    });
  const enter = (id: string) =>
    client.rest('POST /api/channels/:id/members', { id, body: { userId: me.value?.id ?? '' } });
  return (
    <section class="blank">
      <h1>{access?.requiresApproval ? t('This channel is private') : t('Conversation not found')}</h1>
      <p>
        {access?.requiresApproval
          ? t('The people who run it can let you in.')
          : t('It was removed, or you are not a member.')}
      </p>
      {access?.requiresApproval &&
        (access.joinRequestStatus === 'pending' ? (
          <p role="status">{t('You asked to join.')}</p>
        ) : (
          <Button label={t('Ask to join')} onClick={() => void ask(access)} />
        ))}
      {access && isOpen(access) && <Button label={t('Join')} onClick={() => void attempt(() => enter(channelId))} />}
      <UnsentDraft timeline={timeline} />
      {threadId && <UnsentDraft timeline={timelines.of(channelId, threadId)} />}
      <a href="/app/messages">{t('Back')}</a>
    </section>
  );
}

/** Whether someone who is not in a channel of a server may enter it by themselves. */
const isOpen = ({ isMember, requiresApproval, channel }: Access): boolean =>
  !isMember && !requiresApproval && channel.serverId !== null;

/** Shows the last position, or the end if that is gone. */
async function showAnchor(timeline: Timeline, messageId: string): Promise<void> {
  await timeline.showAround(messageId);
  if (!timeline.loaded.peek()) await timeline.showNewest();
}
