import { useEffect, useMemo } from 'preact/hooks';
import { saidIn } from '../../../../contract/quote.ts';
import type { HeldMessage } from '../../state/held.ts';
import type { Timeline } from '../../state/timeline.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Folding } from '../parts/Folding.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Text } from '../parts/text.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { Forwarded } from './Forwarded.tsx';

/** The user's own messages here that others do not see yet, or will not. */
export function OwnHeld({ timeline: { channelId, threadId } }: { timeline: Timeline }) {
  const { connection, held, servers } = useApp();
  const isServer = servers.current.value !== null;
  useEffect(() => {
    if (isServer) return connection.load(() => held.load(channelId));
  }, [channelId, isServer]);
  const list = useMemo(() => held.of(channelId, threadId), [channelId, threadId]);
  return (
    <>
      {list.value.map((one) => (
        <One key={one.heldId} one={one} />
      ))}
    </>
  );
}

function One({ one }: { one: HeldMessage }) {
  const { t } = useTexts();
  const { attempt, held, me } = useApp();
  const isRejected = one.status === 'rejected';
  const own = saidIn({ content: one.content, poll: one.poll });
  const isEdit = one.kind === 'edit';
  const rejected = isEdit ? t('Your change was not approved.') : t('This message was not approved.');
  const waiting = isEdit
    ? t('Your change is waiting for a moderator; only you see it.')
    : t('This message is waiting for a moderator; only you see it.');
  return (
    <article
      class={`message ${isRejected ? 'failed' : 'unsent'}`}
      aria-label={isRejected ? t('Not approved') : t('Waiting for a moderator')}
    >
      <div class="gutter">{me.value && <Avatar user={me.value} />}</div>
      <div class="content">
        <header>
          <strong class="name">{one.author.displayName}</strong>
        </header>
        <Folding content={own}>
          <div class="text">
            <Text content={own} />
          </div>
        </Folding>
        <Forwarded message={one} />
        {one.attachments.length > 0 && (
          <ul class="attachments">
            {one.attachments.map(({ id, filename }) => (
              <li key={id} class="file">
                <Icon name="file" /> <span class="name">{filename}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
      <p class={isRejected ? 'hint bad' : 'hint'} role="status">
        {isRejected ? rejected : waiting}{' '}
        <button type="button" class="link" onClick={() => void attempt(() => held.withdraw(one))}>
          {isRejected ? t('Discard') : t('Withdraw')}
        </button>
      </p>
    </article>
  );
}
