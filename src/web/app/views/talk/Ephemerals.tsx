import type { Ephemeral } from '../../state/interactions.ts';
import type { Timeline } from '../../state/timeline.ts';
import { Folding } from '../parts/Folding.tsx';
import { PersonPicture } from '../parts/PersonButton.tsx';
import { Text } from '../parts/text.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { AuthorButton } from './AuthorButton.tsx';
import { PendingCommands } from './PendingCommands.tsx';

/** What bots replied to the user alone here, after all messages. */
export function Ephemerals({ timeline: { channelId, threadId } }: { timeline: Timeline }) {
  const { interactions } = useApp();
  return (
    <>
      {interactions.repliesIn(channelId, threadId).map((reply) => (
        <One key={reply.id} reply={reply} />
      ))}
      <PendingCommands channelId={channelId} threadId={threadId} />
    </>
  );
}

function One({ reply }: { reply: Ephemeral }) {
  const { clockTime, t } = useTexts();
  const { attempt, interactions } = useApp();
  const { author, content } = reply;
  return (
    <article
      class="message ephemeral"
      aria-label={t('{name}, to you alone', { name: author.displayName })}
      tabIndex={-1}
    >
      <div class="gutter">
        <PersonPicture user={author} />
      </div>
      <div class="content">
        <header>
          <AuthorButton author={author} />
          <span class="tag">{t('Bot')}</span>
          <time dateTime={reply.createdAt}>{clockTime(reply.createdAt)}</time>
        </header>
        <Folding content={content}>
          <div class="text">
            <Text content={content} />
          </div>
        </Folding>
      </div>
      <p class="hint" role="status">
        {t('Only you see this.')}{' '}
        <button type="button" class="link" onClick={() => void attempt(() => interactions.dismiss(reply.id))}>
          {t('Dismiss')}
        </button>
      </p>
    </article>
  );
}
