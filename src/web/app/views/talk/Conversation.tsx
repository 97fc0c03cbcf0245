import { useEffect, useMemo, useState } from 'preact/hooks';
import { dms } from '../../state/people.ts';
import { rememberPlace } from '../../state/router.ts';
import { anchorOf } from '../../state/scroll.ts';
import { channels, currentServer } from '../../state/servers.ts';
import { type Timeline, timelineOf } from '../../state/timeline.ts';
import { hearTyping } from '../../state/typing.ts';
import { Members } from '../server/Members.tsx';
import { Composer } from './Composer.tsx';
import { Pins, Search } from './Finding.tsx';
import { MessageList } from './MessageList.tsx';
import { Thread } from './Thread.tsx';

interface ConversationProps {
  channelId: string;
  /** A message to show, from a link. */
  messageId: string | null;
  /** A thread that is open beside it. */
  threadId: string | null;
}

export function Conversation({ channelId, messageId, threadId }: ConversationProps) {
  return (
    <div class={threadId ? 'talks two' : 'talks'}>
      <Channel channelId={channelId} messageId={messageId} />
      {threadId && <Thread key={threadId} channelId={channelId} threadId={threadId} />}
    </div>
  );
}

function Channel({ channelId, messageId }: { channelId: string; messageId: string | null }) {
  const timeline = useMemo(() => timelineOf(channelId), [channelId]);
  const [dialog, setDialog] = useState<'pins' | 'search' | 'members' | null>(null);
  useEffect(() => {
    rememberPlace();
    hearTyping(channelId);
    const anchor = anchorOf(channelId);
    if (messageId) void timeline.showAround(messageId);
    else if (timeline.loaded.peek()) return;
    else if (anchor) void showAnchor(timeline, anchor.messageId);
    else void timeline.showNewest();
  }, [timeline, channelId, messageId]);
  const about = useAbout(channelId);
  useEffect(() => {
    document.title = about.name ? `${about.label} · Parley` : 'Parley';
  }, [about.name, about.label]);
  if (timeline.gone.value) return <Gone />;
  return (
    <section class="conversation" aria-label={about.label}>
      <header class="bar">
        <a class="icon back" href={about.back} aria-label="Back to the list">
          ‹
        </a>
        <h1 class="title">
          <span class="sign" aria-hidden="true">
            {about.sign}
          </span>
          <span class="name">{about.name}</span>
        </h1>
        {about.topic && <p class="topic">{about.topic}</p>}
        <span class="space" />
        <button type="button" class="icon" aria-label="Pinned messages" onClick={() => setDialog('pins')}>
          📌
        </button>
        {currentServer.value && (
          <button type="button" class="icon" aria-label="Members" onClick={() => setDialog('members')}>
            👥
          </button>
        )}
        <button type="button" class="icon" aria-label="Search" onClick={() => setDialog('search')}>
          🔍
        </button>
      </header>
      <MessageList timeline={timeline} target={messageId} name={about.label} />
      <Composer timeline={timeline} name={about.label} />
      {dialog === 'pins' && <Pins channelId={channelId} onClose={() => setDialog(null)} />}
      {dialog === 'members' && currentServer.value && (
        <Members server={currentServer.value} onClose={() => setDialog(null)} />
      )}
      {dialog === 'search' && <Search channelId={channelId} onClose={() => setDialog(null)} />}
    </section>
  );
}

function Gone() {
  return (
    <section class="blank">
      <h1>This conversation is not here</h1>
      <p>It was removed, or you do not take part in it.</p>
      <a class="button" href="/app/friends">
        Back
      </a>
    </section>
  );
}

/** The place of the last time, or the end when it is no longer there. */
async function showAnchor(timeline: Timeline, messageId: string): Promise<void> {
  await timeline.showAround(messageId);
  if (!timeline.loaded.peek()) await timeline.showNewest();
}

interface About {
  name: string;
  label: string;
  sign: string;
  topic: string | null;
  back: string;
}

function useAbout(channelId: string): About {
  const server = currentServer.value;
  const channel = server && channels.value.get(server.id)?.find(({ id }) => id === channelId);
  if (server) {
    const name = channel?.name ?? '';
    const back = `/app/s/${server.id}`;
    return { name, label: `#${name}`, sign: '#', topic: channel?.topic ?? null, back };
  }
  const other = dms.value.find(({ id }) => id === channelId)?.otherUser;
  const name = other?.displayName ?? '';
  return { name, label: `@${name}`, sign: '@', topic: null, back: '/app/friends' };
}
