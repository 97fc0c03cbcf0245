import { useEffect, useState } from 'preact/hooks';
import type { Message } from '../../../../client/index.ts';
import { parley, sentence } from '../../state/client.ts';
import { pathTo } from '../../state/router.ts';
import { channels, currentServer } from '../../state/servers.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { More } from '../parts/More.tsx';
import { Text } from '../parts/text.tsx';
import { shortTime } from '../parts/time.ts';

export interface FindingProps {
  channelId: string;
  onClose(): void;
}

export function Pins({ channelId, onClose }: FindingProps) {
  const [list, setList] = useState<Message[] | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    parley
      .rest('GET /api/channels/:channelId/pins', { channelId })
      .then(setList, (reason) => setError(sentence(reason)));
  }, [channelId]);
  return (
    <Dialog title="Pinned messages" onClose={onClose}>
      <Found list={list} error={error} nothing="Nothing is pinned here." onClose={onClose} />
    </Dialog>
  );
}

interface FoundProps {
  list: Message[] | null;
  error: string | null;
  nothing: string;
  /** Fetches more, where there is more. */
  onMore?: (() => Promise<unknown>) | undefined;
  onClose(): void;
}

export function Found({ list, error, nothing, onMore, onClose }: FoundProps) {
  if (error)
    return (
      <p class="note bad" role="alert">
        {error}
      </p>
    );
  const said = list === null ? 'One moment…' : list.length === 0 ? nothing : countOf(list, onMore !== undefined);
  return (
    <>
      {/* It is there before it says something: so it is read out. */}
      <p class="faint" role="status">
        {said}
      </p>
      {list !== null && list.length > 0 && <FoundList list={list} onMore={onMore} onClose={onClose} />}
    </>
  );
}

function countOf(list: Message[], hasMore: boolean): string {
  if (hasMore) return `The newest ${list.length}`;
  return list.length === 1 ? '1 message' : `${list.length} messages`;
}

function FoundList({ list, onMore, onClose }: Pick<FoundProps, 'onMore' | 'onClose'> & { list: Message[] }) {
  return (
    <ul class="found">
      {list.map((message) => (
        <li key={message.id}>
          <a class="quoted" href={pathTo.said(currentServer.value?.id ?? null, message)} onClick={onClose}>
            <Avatar user={message.author} size="small" />
            <span class="who">
              <span>
                <strong>{message.author.displayName}</strong>{' '}
                <span class="faint">
                  {whereabouts(message)}
                  {shortTime(message.createdAt)}
                </span>
              </span>
              <span class="text">
                <Text content={message.content} plain />
              </span>
            </span>
          </a>
        </li>
      ))}
      {onMore && (
        <li>
          <More onMore={onMore} />
        </li>
      )}
    </ul>
  );
}

/** In which channel of the server it was said. */
function whereabouts({ channelId }: Message): string {
  const list = channels.value.get(currentServer.value?.id ?? '');
  const name = list?.find(({ id }) => id === channelId)?.name;
  return name ? `in #${name}, ` : '';
}
