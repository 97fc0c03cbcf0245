import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Message, Pending } from '../../../../client/index.ts';
import { connection, me, parley } from '../../state/client.ts';
import { draftOf, followDraft } from '../../state/drafts.ts';
import { goalOf } from '../../state/goals.ts';
import { discardUnsent, moveToChannel } from '../../state/leftovers.ts';
import { listsRead } from '../../state/lists.ts';
import { filesFor, nameOfFile } from '../../state/outgoing-files.ts';
import { forgetRefused, type Refused, refused, sendAgain } from '../../state/refused.ts';
import { go, pathTo } from '../../state/router.ts';
import { currentServer } from '../../state/servers.ts';
import type { Timeline } from '../../state/timeline.ts';
import { copy } from '../../state/toasts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Folding } from '../parts/Folding.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Page } from '../parts/Page.tsx';
import { Text } from '../parts/text.tsx';
import { clockTime } from '../parts/time.ts';
import { isGrouped } from './grouping.ts';
import { AnsweredPreview } from './Message.tsx';

interface UnsentProps {
  pending: Pending;
  before: Pick<Message, 'authorId' | 'createdAt'> | undefined;
  timeline: Timeline;
}

/** What is known of the message that it is to become. */
export function asMessage({ input, queuedAt }: Pending) {
  const createdAt = new Date(queuedAt).toISOString();
  return { authorId: me.value?.id ?? '', replyToId: input.replyToId ?? null, createdAt };
}

/** A message that the server has not confirmed; it says whether it waits or is on its way. */
export function PendingMessage(props: UnsentProps) {
  const { pending } = props;
  const offline = connection.value.status === 'offline';
  const canCancel = offline && !pending.attempted;
  return (
    <Standing {...props} kind="unsent" label="Not sent yet" state={offline ? '' : 'Sending…'}>
      {offline && (
        <p class="hint">
          Will be sent when you are back online.{' '}
          {canCancel && (
            <button type="button" class="link" onClick={() => parley.cancel(pending)}>
              Take back
            </button>
          )}
        </p>
      )}
    </Standing>
  );
}

/** A message that the server has, until it comes as one of the conversation. */
export function SentMessage(props: UnsentProps) {
  return <Standing {...props} label="Sent" />;
}

interface StandingProps extends UnsentProps {
  kind?: string;
  label: string;
  state?: string;
  children?: ComponentChildren;
}

/** Stands as the message will, so that nothing moves when it comes. */
function Standing({ pending, before, timeline, kind = '', label, state, children }: StandingProps) {
  const grouped = isGrouped(before, asMessage(pending));
  return (
    <article class={`message ${kind} ${grouped ? 'grouped' : ''}`} aria-label={label}>
      <AnsweredPreview id={pending.input.replyToId} timeline={timeline} />
      <Unsent pending={pending} grouped={grouped} state={state} />
      {children}
    </article>
  );
}

/** A message that the server refused. */
export function RefusedMessage({ refused }: { refused: Refused }) {
  const { pending, reason, code } = refused;
  const content = pending.input.content ?? '';
  return (
    <article class="message failed" aria-label="Not sent">
      <Unsent pending={pending} />
      <p class="hint bad" role="alert">
        Not sent: {reason}{' '}
        <button type="button" class="link" onClick={() => sendAgain(refused)}>
          {code === 'THREAD_NOT_FOUND' ? 'Send to the channel' : 'Send again'}
        </button>{' '}
        {/* Only secure pages have a clipboard. */}
        {navigator.clipboard && content !== '' && (
          <button type="button" class="link" onClick={() => void copy(content)}>
            Copy
          </button>
        )}{' '}
        <button type="button" class="link" onClick={() => forgetRefused(pending.nonce)}>
          Discard
        </button>
      </p>
    </article>
  );
}

interface BodyProps {
  pending: Pending;
  grouped?: boolean;
  /** Where its time will stand. */
  state?: string | undefined;
}

function Unsent({ pending, grouped = false, state }: BodyProps) {
  const user = me.value;
  const files = pending.input.attachments ?? [];
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
        <Folding content={pending.input.content ?? ''}>
          <div class="text">
            <Text content={pending.input.content ?? ''} />
          </div>
        </Folding>
        {files.length > 0 && (
          <ul class="attachments">
            {files.map(({ id = '' }) => (
              <li key={id} class="file">
                <Icon name="file" /> <span class="name">{nameOfFile(id ?? '')}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </>
  );
}

/** In the place of a thread that was deleted. */
export function GoneThread({ timeline }: { timeline: Timeline }) {
  return (
    <div class="lost">
      <p role="status">This thread is not here. It was deleted.</p>
      <Leftover timeline={timeline} canMove />
      {timeline.sending.refused.value.map((one) => (
        <RefusedMessage key={one.pending.nonce} refused={one} />
      ))}
    </div>
  );
}

interface LeftoverProps {
  timeline: Timeline;
  /** Whether its channel may still be written in. */
  canMove?: boolean;
}

/** What someone was writing where nothing can be sent any more: they get it back. */
export function Leftover({ timeline: { key, channelId }, canMove = false }: LeftoverProps) {
  const [text, setText] = useState(() => draftOf(key));
  useEffect(() => followDraft(key, setText), [key]);
  const { files } = filesFor(key);
  if (text === '' && files.length === 0) return null;
  const move = () => {
    moveToChannel(key, channelId);
    go(pathTo.channel(currentServer.value?.id ?? null, channelId));
    // On a phone the channel is to come into view first.
    requestAnimationFrame(() => document.getElementById('composer')?.focus());
  };
  return (
    <section class="leftover" aria-label="What you were writing">
      <h3>What you were writing</h3>
      {text !== '' && <div class="text">{text}</div>}
      {files.map(({ id, filename }) => (
        <div key={id} class="file">
          <Icon name="file" /> <span class="name">{filename}</span>
        </div>
      ))}
      <footer>
        {canMove && <Button label="Move it to the channel" onClick={move} />}
        {/* Only secure pages have a clipboard. */}
        {navigator.clipboard && text !== '' && <Button label="Copy" kind="quiet" onClick={() => void copy(text)} />}
        <Button label="Discard" kind="quiet" onClick={() => discardUnsent(key)} />
      </footer>
    </section>
  );
}

/** Everything that was refused, wherever it was written: a thread or channel that was deleted is nowhere to be found. */
export function NotSent() {
  return (
    <Page title="Not sent" back="/app/messages">
      {refused.value.length === 0 && <p class="empty">Everything that you wrote was sent.</p>}
      {refused.value.map((one) => (
        <section key={one.pending.nonce} class="block">
          <Where refused={one} />
          <RefusedMessage refused={one} />
        </section>
      ))}
    </Page>
  );
}

function Where({ refused: { pending } }: { refused: Refused }) {
  const goal = goalOf(pending.channelId);
  if (!goal) return <h2>{listsRead.value ? 'A conversation that is in none of your lists' : '…'}</h2>;
  return (
    <h2>
      {pending.input.threadId && 'A thread in '}
      <a href={goal.href}>{goal.name}</a> <span class="faint">{goal.about}</span>
    </h2>
  );
}
