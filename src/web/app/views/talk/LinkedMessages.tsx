import { useEffect } from 'preact/hooks';
import type { Message } from '../../../../client/index.ts';
import { linkedMessages } from '../../state/message-links.ts';
import type { MessagePreview } from '../../state/message-previews.ts';
import { pathTo } from '../../state/router.ts';
import type { Texts } from '../../state/texts.ts';
import { PersonButton } from '../parts/PersonButton.tsx';
import { Text } from '../parts/text.tsx';
import { useApp, useTexts } from '../useApp.ts';

/** The beginnings of messages that a message links to, for whoever may read them. */
export function LinkedMessages({ message }: { message: Pick<Message, 'content'> }) {
  const { surroundings } = useApp();
  const ids = message.content.includes('/app/') ? linkedMessages(message.content, surroundings.origin) : [];
  return (
    <>
      {ids.map((id) => (
        <Linked key={id} id={id} />
      ))}
    </>
  );
}

/** @returns what is known of a message that is shown somewhere */
export function usePreview(id: string): MessagePreview | null {
  const { previews } = useApp();
  const preview = previews.of(id);
  // Also where it was dropped: whoever left a channel may still read it.
  useEffect(() => previews.want(id), [previews, id, preview === undefined]);
  return preview ?? null;
}

/** Where a message is, as a link to it. */
export function PlaceLink({ preview }: { preview: MessagePreview }) {
  const texts = useTexts();
  const { serverId } = preview;
  return (
    <a class="place" href={pathTo.messageOrThread(serverId, preview)}>
      {placeOf(texts, preview)}
    </a>
  );
}

function placeOf({ t }: Texts, { channelName, serverName }: MessagePreview): string {
  if (channelName === null) return t('Direct messages');
  if (!serverName) return `#${channelName}`;
  return t('#{channel} in {server}', { channel: channelName, server: serverName });
}

function Linked({ id }: { id: string }) {
  const { fullTime, shortTime, t } = useTexts();
  const preview = usePreview(id);
  if (!preview) return null;
  const { author, content, isCut, mentions, attachmentCount, createdAt } = preview;
  return (
    <blockquote class="quoted" aria-label={t('Message of {name}', { name: author.displayName })}>
      <p class="faint">
        <PersonButton person={author} class="author">
          {author.displayName}
        </PersonButton>{' '}
        <time dateTime={createdAt} title={fullTime(createdAt)}>
          {shortTime(createdAt)}
        </time>{' '}
        <PlaceLink preview={preview} />
      </p>
      <div class="text">
        <Text content={isCut ? `${content}…` : content} mentions={mentions} />
      </div>
      {attachmentCount > 0 && (
        <p class="faint">{t('{count, plural, one {# file} other {# files}}', { count: attachmentCount })}</p>
      )}
    </blockquote>
  );
}
