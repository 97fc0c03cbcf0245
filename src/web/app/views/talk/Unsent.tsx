import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Message, Pending } from '../../../../client/index.ts';
import { pathTo } from '../../state/router.ts';
import type { Refused } from '../../state/sending.ts';
import type { Timeline } from '../../state/timeline.ts';
import { refusalText } from '../../state/toasts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Folding } from '../parts/Folding.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Page } from '../parts/Page.tsx';
import { Text } from '../parts/text.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { isGrouped } from './grouping.ts';
import { PendingReplyPreview } from './ReplyPreview.tsx';

interface UnsentProps {
  pending: Pending;
  before: Pick<Message, 'authorId' | 'createdAt'> | undefined;
  timeline: Timeline;
}

/** What is known of the message that it will become. */
export function asMessage({ input, queuedAt }: Pending, authorId = '') {
  const createdAt = new Date(queuedAt).toISOString();
  return { authorId, replyToId: input.replyToId ?? null, createdAt };
}

/** A message that the server has not acknowledged, waiting or being sent. */
export function PendingMessage(props: UnsentProps) {
  const { t } = useTexts();
  const { connection, client } = useApp();
  const { pending } = props;
  const offline = connection.state.value.status === 'offline';
  const canCancel = offline && !pending.attempted;
  return (
    <MessagePlaceholder {...props} kind="unsent" label={t('Not sent yet')} state={offline ? '' : t('Sending…')}>
      {offline && (
        <p class="hint">
          {t('Will be sent when you are back online.')}{' '}
          {canCancel && (
            <button type="button" class="link" onClick={() => client.cancel(pending)}>
              {t('Withdraw')}
            </button>
          )}
        </p>
      )}
    </MessagePlaceholder>
  );
}

/** An acknowledged message, until it is received in the conversation. */
export function SentMessage(props: UnsentProps) {
  const { t } = useTexts();
  return <MessagePlaceholder {...props} label={t('Sent')} />;
}

interface PlaceholderProps extends UnsentProps {
  kind?: string;
  label: string;
  state?: string;
  children?: ComponentChildren;
}

/** Looks like the message, so that nothing moves when that comes. */
function MessagePlaceholder({ pending, before, timeline, kind = '', label, state, children }: PlaceholderProps) {
  const app = useApp();
  const grouped = isGrouped(before, asMessage(pending, app.me.value?.id));
  return (
    <article class={`message ${kind} ${grouped ? 'grouped' : ''}`} aria-label={label}>
      <PendingReplyPreview id={pending.input.replyToId} timeline={timeline} />
      <Unsent pending={pending} grouped={grouped} state={state} />
      {children}
    </article>
  );
}

/** A message that the server refused. */
export function RefusedMessage({ refused }: { refused: Refused }) {
  const texts = useTexts();
  const { t } = texts;
  const { refusals, copy } = useApp();
  const { pending, code, reason: message, issues = [] } = refused;
  const reason = refusalText({ code, message, issues }, texts);
  const content = pending.input.content ?? '';
  return (
    <article class="message failed" aria-label={t('Not sent')}>
      <Unsent pending={pending} />
      <p class="hint bad" role="alert">
        {t('Not sent: {reason}', { reason })}{' '}
        <button type="button" class="link" onClick={() => refusals.sendAgain(refused)}>
          {code === 'THREAD_NOT_FOUND' ? t('Send to the channel') : t('Send again')}
        </button>{' '}
        {/* Only secure pages have a clipboard. */}
        {navigator.clipboard && content !== '' && (
          <button type="button" class="link" onClick={() => void copy(content)}>
            {t('Copy')}
          </button>
        )}{' '}
        <button type="button" class="link" onClick={() => refusals.discard(pending.nonce)}>
          {t('Discard')}
        </button>
      </p>
    </article>
  );
}

interface BodyProps {
  pending: Pending;
  grouped?: boolean;
  /** Shown in place of the time. */
  state?: string | undefined;
}

function Unsent({ pending, grouped = false, state }: BodyProps) {
  const { clockTime } = useTexts();
  const app = useApp();
  const { me, attachments } = app;
  const user = me.value;
  const files = pending.input.attachments ?? [];
  const said = [pending.input.content, pending.input.poll?.question].filter(Boolean).join('\n');
  return (
    <>
      <div class="gutter">
        {grouped ? <time>{clockTime(asMessage(pending).createdAt)}</time> : user && <Avatar user={user} />}
      </div>
      <div class="content">
        {!grouped && (
          <header>
            <strong class="name">{user?.displayName}</strong>
            {state && <span class="faint">{state}</span>}
          </header>
        )}
        <Folding content={said}>
          <div class="text">
            <Text content={said} />
          </div>
        </Folding>
        {files.length > 0 && (
          <ul class="attachments">
            {files.map(({ id = '' }) => (
              <li key={id} class="file">
                <Icon name="file" /> <span class="name">{attachments.nameOf(id ?? '')}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </>
  );
}

/** Shown in place of a deleted thread. */
export function DeletedThread({ timeline }: { timeline: Timeline }) {
  const { t } = useTexts();
  return (
    <div class="lost">
      <p role="status">{t('This thread was deleted.')}</p>
      <UnsentDraft timeline={timeline} canMove />
      {timeline.sending.refused.value.map((one) => (
        <RefusedMessage key={one.pending.nonce} refused={one} />
      ))}
    </div>
  );
}

interface UnsentDraftProps {
  timeline: Pick<Timeline, 'key' | 'channelId'>;
  /** Whether the draft can be moved to the channel. */
  canMove?: boolean;
}

/** The draft of a conversation where nothing can be sent any more. */
export function UnsentDraft({ timeline: { key, channelId }, canMove = false }: UnsentDraftProps) {
  const { t } = useTexts();
  const { drafts, attachments, navigate, servers, copy } = useApp();
  const [text, setText] = useState(() => drafts.of(key));
  useEffect(() => drafts.follow(key, setText), [key]);
  const { files } = attachments.of(key);
  if (text === '' && files.length === 0) return null;
  const move = () => {
    drafts.moveToChannel(key, channelId);
    navigate(pathTo.channel(servers.current.value?.id ?? null, channelId));
    // On a phone the channel has to be shown first.
    requestAnimationFrame(() => document.getElementById('composer')?.focus());
  };
  return (
    <section class="leftover" aria-label={t('Your unsent message')}>
      <h3>{t('Your unsent message')}</h3>
      {text !== '' && <div class="text">{text}</div>}
      {files.map(({ id, filename }) => (
        <div key={id} class="file">
          <Icon name="file" /> <span class="name">{filename}</span>
        </div>
      ))}
      <footer>
        {canMove && <Button label={t('Move it to the channel')} onClick={move} />}
        {/* Only secure pages have a clipboard. */}
        {navigator.clipboard && text !== '' && (
          <Button label={t('Copy')} kind="quiet" onClick={() => void copy(text)} />
        )}
        <Button label={t('Discard')} kind="quiet" onClick={() => drafts.discard(key)} />
      </footer>
    </section>
  );
}

/** All refused messages, also those of threads and channels that are deleted. */
export function NotSent() {
  const { t } = useTexts();
  const { refusals } = useApp();
  return (
    <Page title={t('Not sent')} back="/app/messages">
      {refusals.list.value.length === 0 && <p class="empty">{t('All your messages were sent.')}</p>}
      {refusals.list.value.map((one) => (
        <section key={one.pending.nonce} class="block">
          <Where refused={one} />
          <RefusedMessage refused={one} />
        </section>
      ))}
    </Page>
  );
}

function Where({ refused: { pending } }: { refused: Refused }) {
  const { rich, t } = useTexts();
  const { lists, destinations } = useApp();
  const destination = destinations.value.find(({ channelId }) => channelId === pending.channelId);
  if (!destination) return <h2>{lists.loaded.value ? t('A conversation you are no longer in') : '…'}</h2>;
  const place = <a href={destination.href}>{destination.name}</a>;
  return (
    <h2>
      {pending.input.threadId ? rich('A thread in {place}', { place }) : place}{' '}
      <span class="faint">{destination.about}</span>
    </h2>
  );
}
