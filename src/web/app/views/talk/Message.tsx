import type { TargetedKeyboardEvent } from 'preact';
import { useState } from 'preact/hooks';
import type { Message } from '../../../../client/index.ts';
import { me, parley } from '../../state/client.ts';
import { editing, replyTo } from '../../state/drafts.ts';
import { composerBeside } from '../../state/focus.ts';
import { isTouched } from '../../state/keyboard.ts';
import { wasFollowed } from '../../state/replies.ts';
import { go, pathTo } from '../../state/router.ts';
import { currentServer, isAtLeast } from '../../state/servers.ts';
import type { Timeline } from '../../state/timeline.ts';
import { attempt, tell } from '../../state/toasts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { IconButton } from '../parts/Button.tsx';
import { Confirm } from '../parts/Dialog.tsx';
import { Folding } from '../parts/Folding.tsx';
import { Icon, type IconName } from '../parts/Icon.tsx';
import { Text } from '../parts/text.tsx';
import { clockTime, fullTime } from '../parts/time.ts';
import { Attachments } from './Attachments.tsx';
import { AuthorButton } from './AuthorButton.tsx';
import { EditBox } from './EditBox.tsx';
import { ReactButton, Reactions } from './Reactions.tsx';

interface MessageProps {
  message: Message;
  timeline: Timeline;
  /** Whether it belongs to the one before, so that the name need not be said again. */
  grouped: boolean;
  isTarget: boolean;
}

export function MessageView({ message, timeline, grouped, isTarget }: MessageProps) {
  const [deleting, setDeleting] = useState(false);
  const isEdited = editing.value === message.id;
  const actions = actionsFor(message, () => setDeleting(true));
  const press = (event: KeyboardEvent) => {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && event.target === event.currentTarget;
    const action = plain && actions.find(({ key }) => key === event.key.toLowerCase());
    if (!action) return;
    event.preventDefault();
    action.run();
  };
  return (
    <article
      class={`message ${grouped ? 'grouped' : ''} ${isTarget ? 'target' : ''} ${isForMe(message) ? 'for-me' : ''}`}
      data-id={message.id}
      tabIndex={-1}
      aria-label={`${message.author.displayName}, ${clockTime(message.createdAt)}`}
      onKeyDown={press}
    >
      {message.replyTo && <ReplyPreview message={message} timeline={timeline} />}
      <Gutter message={message} grouped={grouped} />
      <div class="content">
        {!grouped && <Head message={message} />}
        {isEdited ? <EditBox message={message} timeline={timeline} /> : <Said message={message} />}
        <Attachments list={message.attachments} />
        <Reactions message={message} timeline={timeline} />
        {message.thread && <ThreadLink message={message} />}
      </div>
      {!isEdited && <Toolbar message={message} actions={actions} />}
      {deleting && <ConfirmDeletion id={message.id} onClose={() => setDeleting(false)} />}
    </article>
  );
}

function Gutter({ message, grouped }: { message: Message; grouped: boolean }) {
  return (
    <div class="gutter">
      {grouped ? (
        <time dateTime={message.createdAt}>{clockTime(message.createdAt)}</time>
      ) : (
        <Avatar user={message.author} />
      )}
    </div>
  );
}

/** Up to eight emoji and nothing else: they are what is said, and are shown large. */
const emojiAlone =
  /^(?:\s*(?:\p{Regional_Indicator}{2}|\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier}|\u200D\p{Extended_Pictographic})*)){1,8}\s*$/u;

export function Said({ message }: { message: Message }) {
  return (
    <Folding content={message.content} whole={wasFollowed(message.id)}>
      <div class={emojiAlone.test(message.content) ? 'text large' : 'text'}>
        <Text content={message.content} channels={channelsIn(message)} />
        {message.isEdited && <span class="edited"> (edited)</span>}
      </div>
    </Folding>
  );
}

function channelsIn({ mentions }: Message): ReadonlyMap<string, string> {
  const serverId = currentServer.value?.id ?? null;
  const named = mentions.filter(({ kind }) => kind === 'channel');
  return new Map(named.map(({ token, targetId }) => [token, pathTo.channel(serverId, targetId)]));
}

/** Whether someone else wants me to read it. */
function isForMe({ authorId, mentions }: Message): boolean {
  const id = me.value?.id;
  if (authorId === id) return false;
  return mentions.some(({ kind, targetId }) => kind === 'here' || kind === 'everyone' || targetId === id);
}

/** One stop for Tab, within which arrows lead on: else a list of messages would be hundreds of stops. */
function Toolbar({ message, actions }: { message: Message; actions: Action[] }) {
  return (
    <div class="actions" role="toolbar" aria-label="Message" onKeyDown={walkAlong}>
      <ReactButton message={message} />
      {actions.map(({ label, icon, run }) => (
        <IconButton key={label} icon={icon} label={label} tabIndex={-1} onClick={run} />
      ))}
    </div>
  );
}

function walkAlong(event: TargetedKeyboardEvent<HTMLDivElement>): void {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  if (step === 0 || event.defaultPrevented || !(event.target instanceof HTMLButtonElement)) return;
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('button')];
  const at = all.indexOf(event.target);
  event.preventDefault();
  all.at((at + step) % all.length)?.focus();
}

function ConfirmDeletion({ id, onClose }: { id: string; onClose(): void }) {
  const remove = async () => {
    const composer = composerBeside(document.querySelector(`[data-id="${CSS.escape(id)}"]`));
    const removed = await attempt(() => parley.rest('DELETE /api/messages/:id', { id }));
    // What had the focus went away with the message.
    if (removed && !isTouched()) composer?.focus();
  };
  return (
    <Confirm
      title="Delete this message?"
      text="It goes away for everyone, and it does not come back."
      action="Delete"
      onClose={onClose}
      onConfirm={() => void remove()}
    />
  );
}

function Head({ message }: { message: Message }) {
  return (
    <header>
      <AuthorButton author={message.author} />
      {message.author.isBot && <span class="tag">Bot</span>}
      {message.isPinned && (
        <span class="faint" title="Pinned" role="img" aria-label="Pinned">
          <Icon name="pin" />
        </span>
      )}
      <time dateTime={message.createdAt} title={fullTime(message.createdAt)}>
        {clockTime(message.createdAt)}
      </time>
    </header>
  );
}

interface Action {
  label: string;
  icon: IconName;
  key: string;
  run(): void;
}

function actionsFor(message: Message, askToDelete: () => void): Action[] {
  const isOwn = message.authorId === me.value?.id;
  const moderates = isAtLeast(currentServer.value?.role, 'moderator');
  const mayPin = moderates || currentServer.value === null;
  const reply = () => {
    replyTo.value = message;
  };
  const thread = () =>
    attempt(async () => {
      const { id } = await parley.rest('POST /api/messages/:id/thread', { id: message.id, body: {} });
      go(pathTo.thread(currentServer.value?.id ?? null, message.channelId, id));
    });
  const pin = () => {
    const params = { channelId: message.channelId, messageId: message.id };
    if (message.isPinned) void attempt(() => parley.rest('DELETE /api/channels/:channelId/pins/:messageId', params));
    else void attempt(() => parley.rest('PUT /api/channels/:channelId/pins/:messageId', params));
  };
  const edit = () => {
    editing.value = message.id;
  };
  const link = () => {
    const path = pathTo.said(currentServer.value?.id ?? null, message);
    void attempt(() => navigator.clipboard.writeText(location.origin + path).then(() => tell('The link is copied.')));
  };
  return [
    { label: 'Reply', icon: 'reply', key: 'r', run: reply },
    ...(message.threadId ? [] : [{ label: 'Thread', icon: 'thread' as const, key: 't', run: () => void thread() }]),
    ...(mayPin ? [{ label: message.isPinned ? 'Unpin' : 'Pin', icon: 'pin' as const, key: 'p', run: pin }] : []),
    ...(isOwn ? [{ label: 'Edit', icon: 'edit' as const, key: 'e', run: edit }] : []),
    // Only secure pages have a clipboard.
    ...(navigator.clipboard ? [{ label: 'Copy link', icon: 'link' as const, key: 'l', run: link }] : []),
    ...(isOwn || moderates ? [{ label: 'Delete', icon: 'trash' as const, key: 'delete', run: askToDelete }] : []),
  ];
}

interface PreviewProps {
  message: Pick<Message, 'channelId' | 'replyTo'>;
  timeline: Timeline;
}

function ReplyPreview({ message, timeline }: PreviewProps) {
  const { replyTo: original, channelId } = message;
  const { threadId } = timeline;
  if (!original) return null;
  const author = timeline.messages.value.find(({ authorId }) => authorId === original.authorId)?.author;
  return (
    <a class="reply" href={pathTo.said(currentServer.value?.id ?? null, { channelId, threadId, id: original.id })}>
      {author && <strong>{author.displayName}</strong>}{' '}
      <span class={original.deleted ? 'faint' : ''} dir="auto">
        {original.deleted ? 'The message was deleted' : original.content}
      </span>
    </a>
  );
}

interface AnsweredProps {
  id: string | null | undefined;
  timeline: Timeline;
}

/** The same for what is no message yet. */
export function AnsweredPreview({ id, timeline }: AnsweredProps) {
  if (!id) return null;
  const original = timeline.messages.value.find((message) => message.id === id);
  const { authorId = '', content = '…' } = original ?? {};
  const { channelId } = timeline;
  return (
    <ReplyPreview message={{ channelId, replyTo: { id, authorId, content, deleted: false } }} timeline={timeline} />
  );
}

function ThreadLink({ message }: { message: Message }) {
  const { thread } = message;
  if (!thread) return null;
  const count = thread.messageCount === 1 ? '1 reply' : `${thread.messageCount} replies`;
  return (
    <a class="thread-link" href={pathTo.thread(currentServer.value?.id ?? null, message.channelId, thread.id)}>
      <Icon name="thread" /> <strong>{thread.name}</strong> <span>{count}</span>
    </a>
  );
}
