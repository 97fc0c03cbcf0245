import { Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Message, RestAnswer } from '../../../../client/index.ts';
import { saidIn } from '../../../../contract/quote.ts';
import { pathTo } from '../../state/router.ts';
import { errorText } from '../../state/toasts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { More } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Text } from '../parts/text.tsx';
import { shortTime } from '../parts/time.ts';
import { type AppState, useApp } from '../useApp.ts';

export type FoundMessage = RestAnswer<'GET /api/search/messages'>[number];
type Shown = Message | FoundMessage;

export interface FindingProps {
  channelId: string;
  onClose(): void;
}

export function Pins({ channelId, onClose }: FindingProps) {
  const { client } = useApp();
  const [list, setList] = useState<Message[] | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    client
      .rest('GET /api/channels/:channelId/pins', { channelId })
      .then(setList, (reason) => setError(errorText(reason)));
  }, [channelId]);
  return (
    <Dialog title="Pinned messages" onClose={onClose}>
      <Found list={list} error={error} nothing="Nothing is pinned here." onClose={onClose} />
    </Dialog>
  );
}

interface ResultsProps {
  list: Shown[] | null;
  error: string | null;
  nothing: string;
  /** Whether the list is in the order of time. */
  byTime?: boolean;
  /** Loads more; undefined: there is none. */
  onMore?: (() => Promise<unknown>) | undefined;
  onClose(): void;
}

export function Found({ list, error, nothing, byTime = true, onMore, onClose }: ResultsProps) {
  if (error)
    return (
      <p class="note bad" role="alert">
        {error}
      </p>
    );
  const said =
    list === null ? 'One moment…' : list.length === 0 ? nothing : countOf(list, onMore !== undefined, byTime);
  return (
    <>
      {/* It is rendered before it has a text, so that screen readers announce it. */}
      <p class="faint" role="status">
        {said}
      </p>
      {list !== null && list.length > 0 && <ResultList list={list} onMore={onMore} onClose={onClose} />}
    </>
  );
}

function countOf(list: Shown[], hasMore: boolean, byTime: boolean): string {
  if (hasMore) return `The ${byTime ? 'newest' : 'best'} ${list.length}`;
  return list.length === 1 ? '1 message' : `${list.length} messages`;
}

function ResultList({ list, onMore, onClose }: Pick<ResultsProps, 'onMore' | 'onClose'> & { list: Shown[] }) {
  const app = useApp();
  const { servers } = app;
  return (
    <ul class="found">
      {list.map((message) => (
        <li key={message.id}>
          <a class="quoted" href={pathTo.messageOrThread(servers.current.value?.id ?? null, message)} onClick={onClose}>
            <Avatar user={message.author} size="small" />
            <span class="who">
              <span>
                <strong>{message.author.displayName}</strong>{' '}
                <span class="faint">
                  {channelPrefix(app, message)}
                  {shortTime(message.createdAt)}
                </span>
              </span>
              <span class="text">
                <ShownText message={message} />
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

/** The text, or the piece of it with what was looked for. */
function ShownText({ message }: { message: Shown }) {
  if (!('excerpt' in message)) return <Text content={saidIn(message)} plain />;
  const { text, marks, attachmentId } = message.excerpt;
  const ends = marks.map((mark, index) => ({ ...mark, before: marks[index - 1]?.end ?? 0 }));
  return (
    <>
      {attachmentId !== null && <span class="faint">File: </span>}
      {ends.map(({ before, start, end }) => (
        <Fragment key={start}>
          {text.slice(before, start)}
          <mark>{text.slice(start, end)}</mark>
        </Fragment>
      ))}
      {text.slice(marks.at(-1)?.end ?? 0)}
    </>
  );
}

/** The channel of a message, unless it is a direct one. */
function channelPrefix(app: AppState, { channelId }: Shown): string {
  const list = app.servers.channels.value.get(app.servers.current.value?.id ?? '');
  const name = list?.find(({ id }) => id === channelId)?.name;
  return name ? `in #${name}, ` : '';
}
