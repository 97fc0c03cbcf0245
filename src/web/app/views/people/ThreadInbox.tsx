import { useEffect, useRef, useState } from 'preact/hooks';
import type { FollowedThread } from '../../state/follows.ts';
import { pathTo } from '../../state/router.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button, IconButton, More } from '../parts/Button.tsx';
import { Empty } from '../parts/Empty.tsx';
import { Icon } from '../parts/Icon.tsx';
import { usePages } from '../parts/loading.ts';
import { Menu } from '../parts/Menu.tsx';
import { Page } from '../parts/Page.tsx';
import { Text } from '../parts/text.tsx';
import { useApp, useTexts } from '../useApp.ts';

const mutedSize = 50;

/** The threads that the user follows, unread ones first. */
export function ThreadInbox() {
  const { t } = useTexts();
  const { connection, follows, attempt } = useApp();
  const [muted, setMuted] = useState(false);
  useEffect(() => connection.load(() => follows.load()), []);
  const actions = (
    <>
      {!muted && follows.unreadCount.value > 0 && (
        <IconButton
          icon="check"
          label={t('Mark all as read')}
          onClick={() => void attempt(() => follows.markAllRead())}
        />
      )}
      <Button label={muted ? t('Followed') : t('Muted')} kind="quiet" onClick={() => setMuted(!muted)} />
    </>
  );
  const list = follows.inbox.value;
  return (
    <Page title={muted ? t('Muted threads') : t('Threads')} back="/app/messages" actions={actions}>
      {muted ? (
        <Muted />
      ) : (
        <>
          {follows.loaded.value && list.length === 0 && (
            <Empty
              icon="thread"
              title={t('No threads yet')}
              about={t('You follow a thread when you start it, write in it, or are mentioned in it.')}
            />
          )}
          <ul class="found threads">
            {list.map((entry) => (
              <Entry key={entry.threadId} entry={entry} />
            ))}
          </ul>
          {follows.cursor.value !== null && <More onMore={() => attempt(() => follows.loadMore())} />}
        </>
      )}
    </Page>
  );
}

function Muted() {
  const { t } = useTexts();
  const { attempt, client, follows } = useApp();
  const next = useRef<string | null>(null);
  const { list, load, onMore } = usePages(
    mutedSize,
    async (known: readonly FollowedThread[]) => {
      const cursor = known.length > 0 ? next.current : undefined;
      if (cursor === null) return [];
      const query = { state: 'muted' as const, limit: mutedSize, ...(cursor ? { cursor } : {}) };
      const page = await client.rest('GET /api/threads', { query });
      next.current = page.cursor;
      return page.threads;
    },
    [],
  );
  const unmute = (id: string) => attempt(() => follows.setFollowing(id, true)).then(() => attempt(load));
  if (list?.length === 0) {
    const about = t('Threads that you mute in their menu appear here.');
    return <Empty icon="mute" title={t('No muted threads')} about={about} />;
  }
  return (
    <>
      <ul class="found threads">
        {list?.map((entry) => (
          <li key={entry.threadId}>
            <ThreadEntryLink entry={entry} />
            <Button label={t('Unmute')} kind="quiet" onClick={() => void unmute(entry.threadId)} />
          </li>
        ))}
      </ul>
      {onMore && <More onMore={onMore} />}
    </>
  );
}

function Entry({ entry }: { entry: FollowedThread }) {
  const { t } = useTexts();
  const { attempt, follows } = useApp();
  const { threadId: id, unreadCount, lastSeq } = entry;
  const read = { label: t('Mark as read'), icon: 'check' as const, run: () => follows.markRead(id, lastSeq) };
  return (
    <li>
      <ThreadEntryLink entry={entry} />
      <Menu
        label={t('Actions for {name}', { name: entry.thread.name })}
        items={[
          ...(unreadCount > 0 ? [read] : []),
          { label: t('Unfollow'), icon: 'close', run: () => void attempt(() => follows.setFollowing(id, false)) },
          { label: t('Mute'), icon: 'mute', run: () => void attempt(() => follows.mute(id)) },
        ]}
      >
        <Icon name="more" />
      </Menu>
    </li>
  );
}

function ThreadEntryLink({ entry }: { entry: FollowedThread }) {
  const { shortTime, t } = useTexts();
  const { thread, threadId, channelId, serverId, channelName, lastReply, unreadCount } = entry;
  const unread = entry.state === 'following' ? unreadCount : 0;
  return (
    <a class={unread > 0 ? 'quoted unread' : 'quoted'} href={pathTo.thread(serverId, channelId, threadId)}>
      {lastReply ? <Avatar user={lastReply.author} size="small" /> : <Icon name="thread" />}
      <span class="who">
        <span class="title">
          {thread.name}
          {unread > 0 && <span class="fresh"> {t('{unread} new', { unread })}</span>}
        </span>
        {lastReply && (
          <span class="text">
            {lastReply.author.displayName}: <Text content={lastReply.content} plain />
          </span>
        )}
        <span class="faint">
          {serverId ? '#' : '@'}
          {channelName} · {shortTime(entry.lastMessageAt ?? thread.createdAt)}
        </span>
      </span>
    </a>
  );
}
