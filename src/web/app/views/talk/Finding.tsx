import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Message } from '../../../../client/index.ts';
import { parley, sentence } from '../../state/client.ts';
import { isComposing } from '../../state/keyboard.ts';
import { pathTo } from '../../state/router.ts';
import { channels, currentServer } from '../../state/servers.ts';
import { attempt } from '../../state/toasts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { More } from '../parts/More.tsx';
import { Text } from '../parts/text.tsx';
import { shortTime } from '../parts/time.ts';

interface FindingProps {
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

/** So many are fetched at a time. */
const pageSize = 25;

/** Looks in the whole server, or in a conversation between two. */
export function Search({ channelId, onClose }: FindingProps) {
  const { list, asked, error, hasMore, search, more } = useSearch(channelId);
  const server = currentServer.value;
  const field = useRef<HTMLInputElement>(null);
  // Before the next key is pressed.
  useLayoutEffect(() => field.current?.focus(), []);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    void search(String(new FormData(event.currentTarget).get('query') ?? '').trim());
  };
  return (
    <Dialog title={server ? `Search in ${server.name}` : 'Search'} onClose={onClose}>
      <form class="inline" onSubmit={submit}>
        <input
          ref={field}
          type="search"
          name="query"
          aria-label="Words to look for"
          maxLength={256}
          required
          // The browser would only empty the field.
          onKeyDown={(event) => event.key === 'Escape' && !isComposing(event) && onClose()}
        />
        <button type="submit" class="button">
          Search
        </button>
      </form>
      <Found
        list={list}
        error={error}
        nothing={asked ? `Nothing was found for “${asked}”.` : ''}
        onMore={hasMore ? more : undefined}
        onClose={onClose}
      />
    </Dialog>
  );
}

/** What was asked for last, and what of it was found so far. */
function useSearch(channelId: string) {
  const [list, setList] = useState<Message[] | null>([]);
  const [asked, setAsked] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [hasMore, setHasMore] = useState(false);
  const server = currentServer.value;
  const latest = useRef('');
  const read = async (query: string, before: Message[]) => {
    const where = server ? { serverId: server.id } : { channelId };
    const page = { limit: pageSize, cursor: before.at(-1)?.id };
    const found = await parley.rest('GET /api/search/messages', { query: { query, ...where, ...page } });
    // Meanwhile something else may have been asked for.
    if (latest.current !== query) return;
    setList([...before, ...found]);
    setHasMore(found.length === pageSize);
  };
  const search = async (query: string) => {
    latest.current = query;
    setList(null);
    setError(null);
    setAsked(query);
    await read(query, []).catch((reason) => latest.current === query && setError(sentence(reason)));
  };
  const more = () => attempt(() => read(asked, list ?? []));
  return { list, asked, error, hasMore, search, more };
}

interface FoundProps {
  list: Message[] | null;
  error: string | null;
  nothing: string;
  /** Fetches more, where there is more. */
  onMore?: (() => Promise<unknown>) | undefined;
  onClose(): void;
}

function Found({ list, error, nothing, onMore, onClose }: FoundProps) {
  if (error) return <p class="note bad">{error}</p>;
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
