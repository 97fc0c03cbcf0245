import type { ComponentChildren } from 'preact';
import type { Message, Pending } from '../../../../client/index.ts';
import { connection, me, parley } from '../../state/client.ts';
import { nameOfFile } from '../../state/outgoing-files.ts';
import { forgetRefused, type Refused, sendAgain } from '../../state/refused.ts';
import type { Timeline } from '../../state/timeline.ts';
import { copy } from '../../state/toasts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Folding } from '../parts/Folding.tsx';
import { Icon } from '../parts/Icon.tsx';
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
