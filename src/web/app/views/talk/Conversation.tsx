import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ChannelRecord, RestAnswer } from '../../../../client/index.ts';
import { hearActivities } from '../../state/activities.ts';
import { parley } from '../../state/client.ts';
import { rememberPlace } from '../../state/router.ts';
import { anchorOf } from '../../state/scroll.ts';
import { currentServer, isAtLeast } from '../../state/servers.ts';
import { type Timeline, timelineOf } from '../../state/timeline.ts';
import { attempt } from '../../state/toasts.ts';
import { hearTyping } from '../../state/typing.ts';
import { Button } from '../parts/Button.tsx';
import { ChannelHead, useAbout, useUnlisted } from './ChannelHead.tsx';
import { Composer, useFileDrop } from './Composer.tsx';
import { MessageList } from './MessageList.tsx';
import { showMessage } from './showMessage.ts';
import { Thread } from './Thread.tsx';
import { Leftover } from './Unsent.tsx';
import { useAnnouncements } from './useNews.ts';

interface ConversationProps {
  channelId: string;
  /** A message to show, from a link; of the thread, where one is open. */
  messageId: string | null;
  /** A thread that is open beside the channel. */
  threadId: string | null;
}

export function Conversation({ channelId, messageId, threadId }: ConversationProps) {
  // Of what is gone the threads are, too.
  const open = timelineOf(channelId).gone.value ? null : threadId;
  return (
    <div class={open ? 'talks two' : 'talks'}>
      <Channel channelId={channelId} messageId={threadId ? null : messageId} threadId={threadId} />
      {open && <Thread key={open} channelId={channelId} threadId={open} messageId={messageId} />}
    </div>
  );
}

function Channel({ channelId, messageId, threadId }: ConversationProps) {
  const timeline = useMemo(() => timelineOf(channelId), [channelId]);
  const { label, channel } = useAbout(channelId);
  useUnlisted(channelId);
  useEffect(() => {
    rememberPlace();
    hearTyping(channelId);
    hearActivities(channelId);
    const anchor = anchorOf(channelId);
    if (messageId) void showMessage(timeline, messageId);
    else if (timeline.loaded.peek()) return;
    else if (anchor) void showAnchor(timeline, anchor.messageId);
    else void timeline.showNewest();
  }, [timeline, channelId, messageId]);
  const isMember = channel?.isMember ?? false;
  useEffect(() => {
    if (isMember && timeline.gone.peek()) void timeline.showNewest();
  }, [isMember, timeline]);
  useAnnouncements(channelId, null);
  const closed = channel && whyClosed(channel);
  const { over, ...dropping } = useFileDrop(timeline, closed);
  if (timeline.gone.value) return <Gone timeline={timeline} threadId={threadId} />;
  return (
    <section class={over ? 'conversation over' : 'conversation'} aria-label={label} {...dropping}>
      <ChannelHead channelId={channelId} />
      <MessageList timeline={timeline} target={messageId} name={label} />
      <Composer timeline={timeline} name={label} closed={closed} />
    </section>
  );
}

/** Why someone may only read here. */
function whyClosed({ isArchived, type }: ChannelRecord): string | null {
  if (isArchived) return 'This channel is archived: nobody writes here any more.';
  const mayAnnounce = type !== 'announcement' || isAtLeast(currentServer.value?.role, 'admin');
  return mayAnnounce ? null : 'Only those who run the server write here.';
}

type Access = RestAnswer<'GET /api/channels/:id/access'>;

/** A conversation that is none of ours, or one that we may ask to be let into. */
function Gone({ timeline, threadId }: { timeline: Timeline; threadId: string | null }) {
  const { channelId } = timeline;
  const [access, setAccess] = useState<Access | null>(null);
  useEffect(() => {
    parley.rest('GET /api/channels/:id/access', { id: channelId }).then(setAccess, () => {});
  }, [channelId]);
  const ask = (known: Access) =>
    attempt(async () => {
      const { status } = await parley.rest('POST /api/channels/:id/join-requests', { id: channelId });
      setAccess({ ...known, joinRequestStatus: status });
    });
  return (
    <section class="blank">
      <h1>{access?.requiresApproval ? 'This channel is private' : 'This conversation is not here'}</h1>
      <p>{access?.requiresApproval ? 'Those who run it let people in.' : 'It was removed, or you do not take part.'}</p>
      {access?.requiresApproval &&
        (access.joinRequestStatus === 'pending' ? (
          <p role="status">You asked to be let in.</p>
        ) : (
          <Button label="Ask to be let in" onClick={() => void ask(access)} />
        ))}
      <Leftover timeline={timeline} />
      {threadId && <Leftover timeline={timelineOf(channelId, threadId)} />}
      <a href="/app/messages">Back</a>
    </section>
  );
}

/** The place of the last time, or the end when it is no longer there. */
async function showAnchor(timeline: Timeline, messageId: string): Promise<void> {
  await timeline.showAround(messageId);
  if (!timeline.loaded.peek()) await timeline.showNewest();
}
