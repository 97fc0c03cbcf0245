import { useEffect } from 'preact/hooks';
import type { Message } from '../../../../client/index.ts';
import { linkedMessages } from '../../state/message-links.ts';
import type { MessagePreview } from '../../state/message-previews.ts';
import { pathTo } from '../../state/router.ts';
import { Text } from '../parts/text.tsx';
import { fullTime, shortTime } from '../parts/time.ts';
import { useApp } from '../useApp.ts';

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
  useEffect(() => previews.want(id), [previews, id]);
  return previews.of(id) ?? null;
}

/** Where a message is, as a link to it. */
export function PlaceLink({ preview }: { preview: MessagePreview }) {
  const { serverId, channelName, serverName } = preview;
  const place = channelName === null ? 'Direct messages' : `#${channelName}${serverName ? ` in ${serverName}` : ''}`;
  return (
    <a class="place" href={pathTo.messageOrThread(serverId, preview)}>
      {place}
    </a>
  );
}

function Linked({ id }: { id: string }) {
  const preview = usePreview(id);
  if (!preview) return null;
  const { author, content, isCut, mentions, attachmentCount, createdAt } = preview;
  return (
    <blockquote class="quoted" aria-label={`Message of ${author.displayName}`}>
      <p class="faint">
        <strong>{author.displayName}</strong>{' '}
        <time dateTime={createdAt} title={fullTime(createdAt)}>
          {shortTime(createdAt)}
        </time>{' '}
        <PlaceLink preview={preview} />
      </p>
      <div class="text">
        <Text content={isCut ? `${content}…` : content} mentions={mentions} />
      </div>
      {attachmentCount > 0 && <p class="faint">{attachmentCount === 1 ? '1 file' : `${attachmentCount} files`}</p>}
    </blockquote>
  );
}
