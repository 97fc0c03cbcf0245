import type { Pending } from '../../../../client/index.ts';
import { connection, me, parley } from '../../state/client.ts';
import { nameOfFile } from '../../state/outgoing-files.ts';
import { forgetRefused, type Refused, sendAgain } from '../../state/refused.ts';
import { copy } from '../../state/toasts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Folding } from '../parts/Folding.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Text } from '../parts/text.tsx';

/** A message that the server has not confirmed; it says whether it waits or is on its way. */
export function PendingMessage({ pending }: { pending: Pending }) {
  const offline = connection.value.status === 'offline';
  const canCancel = offline && !pending.attempted;
  return (
    <article class="message unsent" aria-label="Not sent yet">
      <Unsent pending={pending} />
      <p class="hint">
        {offline ? 'Will be sent when you are back online.' : 'Sending…'}{' '}
        {canCancel && (
          <button type="button" class="link" onClick={() => parley.cancel(pending)}>
            Take back
          </button>
        )}
      </p>
    </article>
  );
}

/** A message that the server has, until it comes as one of the conversation. */
export function SentMessage({ pending }: { pending: Pending }) {
  return (
    <article class="message" aria-label="Sent">
      <Unsent pending={pending} />
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

function Unsent({ pending }: { pending: Pending }) {
  const user = me.value;
  const files = pending.input.attachments ?? [];
  return (
    <>
      <div class="gutter">{user && <Avatar user={user} />}</div>
      <div class="content">
        <header>
          <strong class="name">{user?.displayName}</strong>
        </header>
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
