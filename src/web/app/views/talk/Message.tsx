import { useComputed } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { Message } from '../../../../client/index.ts';
import { streamMark } from '../../../../contract/stream-mark.ts';
import { isTouched } from '../../browser.ts';
import { messageFieldNear } from '../../focus.ts';
import { pathTo } from '../../state/router.ts';
import type { Timeline } from '../../state/timeline.ts';
import { SavedMark } from '../later/SavedMark.tsx';
import { IconButton } from '../parts/Button.tsx';
import { Confirm } from '../parts/Dialog.tsx';
import { Folding } from '../parts/Folding.tsx';
import { Icon } from '../parts/Icon.tsx';
import { isEmojiAlone } from '../parts/inline.ts';
import { lazyDialog } from '../parts/lazy.tsx';
import { Menu } from '../parts/Menu.tsx';
import { PersonPicture } from '../parts/PersonButton.tsx';
import { Text } from '../parts/text.tsx';
import { moveInToolbar } from '../parts/toolbar.ts';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { Attachments } from './Attachments.tsx';
import { AuthorButton } from './AuthorButton.tsx';
import type { AtHand } from './at-hand.ts';
import { Components } from './Components.tsx';
import { EditBox } from './EditBox.tsx';
import { Forwarded } from './Forwarded.tsx';
import { Edited } from './History.tsx';
import { LinkedMessages } from './LinkedMessages.tsx';
import { type Actions, actionsFor } from './message-actions.ts';
import { PollView } from './PollView.tsx';
import { Previews } from './Previews.tsx';
import { mayUsually } from './permissions.ts';
import { ReactButton, Reactions } from './Reactions.tsx';
import { ReplyPreview } from './ReplyPreview.tsx';
import { Veil } from './Veil.tsx';

const ForwardDialog = lazyDialog(() => import('./ForwardDialog.tsx').then((part) => part.ForwardDialog));
const RemindDialog = lazyDialog(() => import('../later/RemindDialog.tsx').then((part) => part.RemindDialog));

interface MessageProps {
  message: Message;
  timeline: Timeline;
  /** Whether it is grouped with the one before, without a name of its own. */
  grouped: boolean;
  isTarget: boolean;
  /** Which messages have their tools in the page. */
  atHand: AtHand;
}

export function MessageView({ message, timeline, grouped, isTarget, atHand }: MessageProps) {
  const texts = useTexts();
  const { clockTime } = texts;
  const app = useApp();
  const { drafts } = app;
  const [deleting, setDeleting] = useState(false);
  const [reminding, setReminding] = useState(false);
  const [forwarding, setForwarding] = useState(false);
  const { id } = message;
  // Of what concerns all messages a row hears only what concerns it.
  const isEdited = useComputed(() => drafts.editing.value === id).value;
  const isAtHand = useComputed(() => atHand.has(id)).value;
  const actions = () =>
    actionsFor(texts, app, message, {
      askToDelete: () => setDeleting(true),
      remind: () => setReminding(true),
      forward: () => setForwarding(true),
    });
  const press = (event: KeyboardEvent) => {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && event.target === event.currentTarget;
    const { usual, more } = plain ? actions() : { usual: [], more: [] };
    const action = [...usual, ...more].find(({ key }) => key === event.key.toLowerCase());
    if (!action) return;
    event.preventDefault();
    action.run();
  };
  return (
    <article
      class={`message ${grouped ? 'grouped' : ''} ${isTarget ? 'target' : ''} ${isForMe(app, message) ? 'for-me' : ''}`}
      data-id={message.id}
      tabIndex={-1}
      aria-label={`${message.author.displayName}, ${clockTime(message.createdAt)}`}
      onKeyDown={press}
    >
      {message.replyTo && <ReplyPreview message={message} timeline={timeline} />}
      <Gutter message={message} grouped={grouped} />
      <div class="content">
        <SavedMark messageId={message.id} />
        {!grouped && <Head message={message} />}
        <Veil message={message}>
          {isEdited ? <EditBox message={message} timeline={timeline} /> : <MessageText message={message} />}
          <More message={message} timeline={timeline} />
        </Veil>
        {message.reactions.length > 0 && <Reactions message={message} timeline={timeline} />}
        {message.thread && <ThreadLink message={message} />}
      </div>
      {isAtHand && !isEdited && <Toolbar message={message} actions={actions} />}
      {reminding && <RemindDialog messageId={message.id} onClose={() => setReminding(false)} />}
      {forwarding && <ForwardDialog message={message} onClose={() => setForwarding(false)} />}
      {deleting && <ConfirmDeletion id={message.id} onClose={() => setDeleting(false)} />}
    </article>
  );
}

/** What a message has besides its text: most have nothing of it, and there are many messages. */
function More({ message, timeline }: { message: Message; timeline: Timeline }) {
  const { attachments, components, content, forwarded, poll, previews } = message;
  return (
    <>
      {forwarded && <Forwarded message={message} />}
      {content.includes('/app/') && <LinkedMessages message={message} />}
      {attachments.length > 0 && <Attachments list={attachments} />}
      {poll && <PollView message={message} timeline={timeline} />}
      {previews && <Previews message={message} />}
      {components && <Components message={message} />}
    </>
  );
}

function Gutter({ message, grouped }: { message: Message; grouped: boolean }) {
  const { clockTime } = useTexts();
  return (
    <div class="gutter">
      {grouped ? (
        <time dateTime={message.createdAt}>{clockTime(message.createdAt)}</time>
      ) : (
        <PersonPicture user={message.author} />
      )}
    </div>
  );
}

export function MessageText({ message }: { message: Message }) {
  const { replies } = useApp();
  return (
    <Folding content={message.content} whole={replies.wasWatched(message.id)}>
      <div class={isEmojiAlone(message.content) ? 'text large' : 'text'}>
        <Text content={message.content} mentions={message.mentions} />
        {message.isEdited && <Edited message={message} />}
        {message.author.isBot && <EndedEarly message={message} />}
      </div>
    </Folding>
  );
}

/** Says that a bot's reply ended before its end. */
function EndedEarly({ message: { metadata } }: { message: Message }) {
  const { t } = useTexts();
  const reason = metadata?.[streamMark];
  if (reason !== 'stopped' && reason !== 'cut') return null;
  return <span class="edited"> {reason === 'stopped' ? t('(stopped)') : t('(not finished)')}</span>;
}

/** Whether it is from someone else and mentions the user. */
function isForMe(app: AppState, { authorId, mentions }: Message): boolean {
  const id = app.me.value?.id;
  if (authorId === id) return false;
  return mentions.some(({ kind, targetId }) => kind === 'here' || kind === 'everyone' || targetId === id);
}

/** One stop for Tab; arrow keys move within it. Otherwise a list of messages would be hundreds of stops. */
function Toolbar({ message, actions }: { message: Message; actions(): Actions }) {
  const { t } = useTexts();
  const app = useApp();
  const { usual, more } = actions();
  const mayReact = mayUsually(app, message.channelId, 'message:react');
  return (
    <div class="actions" role="toolbar" aria-label={t('Message')} onKeyDown={moveInToolbar}>
      {mayReact && <ReactButton message={message} />}
      {usual.map(({ label, icon, run }) => (
        <IconButton key={icon} icon={icon} label={label} tabIndex={-1} onClick={run} />
      ))}
      <Menu label={t('More actions')} items={more} tabIndex={mayReact ? -1 : 0}>
        <Icon name="more" />
      </Menu>
    </div>
  );
}

function ConfirmDeletion({ id, onClose }: { id: string; onClose(): void }) {
  const { t } = useTexts();
  const { attempt, client } = useApp();
  const remove = async () => {
    const composer = messageFieldNear(document.querySelector(`[data-id="${CSS.escape(id)}"]`));
    const removed = await attempt(() => client.rest('DELETE /api/messages/:id', { id }));
    // The focused element was removed with the message.
    if (removed && !isTouched()) composer?.focus();
  };
  return (
    <Confirm
      title={t('Delete this message?')}
      text={t('It is deleted for everyone and cannot be restored.')}
      action={t('Delete')}
      onClose={onClose}
      onConfirm={() => void remove()}
    />
  );
}

function Head({ message }: { message: Message }) {
  const { clockTime, fullTime, t } = useTexts();
  return (
    <header>
      <AuthorButton author={message.author} />
      {message.author.isBot && <span class="tag">{t('Bot')}</span>}
      {message.isPinned && (
        <span class="faint" title={t('Pinned')} role="img" aria-label={t('Pinned')}>
          <Icon name="pin" />
        </span>
      )}
      <time dateTime={message.createdAt} title={fullTime(message.createdAt)}>
        {clockTime(message.createdAt)}
      </time>
    </header>
  );
}

function ThreadLink({ message }: { message: Message }) {
  const { t } = useTexts();
  const { servers, follows } = useApp();
  const { thread } = message;
  if (!thread) return null;
  const unread = follows.unreadIn(thread.id);
  return (
    <a
      class={unread > 0 ? 'thread-link unread' : 'thread-link'}
      href={pathTo.thread(servers.current.value?.id ?? null, message.channelId, thread.id)}
    >
      <Icon name="thread" /> <strong>{thread.name}</strong>{' '}
      <span>{t('{count, plural, one {# reply} other {# replies}}', { count: thread.messageCount })}</span>
      {unread > 0 && <span class="fresh">{t('{unread} new', { unread })}</span>}
    </a>
  );
}
