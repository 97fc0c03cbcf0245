import type { Message } from '../../../../client/index.ts';
import { Icon } from '../parts/Icon.tsx';
import { Text } from '../parts/text.tsx';
import { useTexts } from '../useApp.ts';
import { Attachments } from './Attachments.tsx';
import { AuthorButton } from './AuthorButton.tsx';
import { PlaceLink, usePreview } from './LinkedMessages.tsx';

/** What a message forwards; where it is from, for those who may read it there. */
export function Forwarded({ message }: { message: Pick<Message, 'forwarded'> }) {
  return message.forwarded ? <Copy forwarded={message.forwarded} /> : null;
}

function Copy({ forwarded }: { forwarded: NonNullable<Message['forwarded']> }) {
  const { fullTime, rich, shortTime, t } = useTexts();
  const { messageId, author, content, attachments, mentions, createdAt, isWithdrawn } = forwarded;
  const place = usePreview(messageId);
  return (
    <blockquote class="quoted" aria-label={t('Forwarded from {name}', { name: author.displayName })}>
      <p class="faint">
        <Icon name="forward" /> {rich('Forwarded from {name}', { name: <AuthorButton author={author} /> })}{' '}
        <time dateTime={createdAt} title={fullTime(createdAt)}>
          {shortTime(createdAt)}
        </time>{' '}
        {place && <PlaceLink preview={place} />}
      </p>
      <div class="text">
        {isWithdrawn ? (
          <span class="faint">{t('The message was erased.')}</span>
        ) : (
          <Text content={content} mentions={mentions} />
        )}
      </div>
      <Attachments list={attachments} />
    </blockquote>
  );
}
