import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Message } from '../../../../client/index.ts';
import { parley, sentence } from '../../state/client.ts';
import { isComposing } from '../../state/keyboard.ts';
import { pathTo } from '../../state/router.ts';
import { channels, currentServer, isReadable } from '../../state/servers.ts';
import { attempt } from '../../state/toasts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { More } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { type Option, Select } from '../parts/Field.tsx';
import { Text } from '../parts/text.tsx';
import { shortTime } from '../parts/time.ts';

/** So many are fetched at a time. */
const pageSize = 25;

/** Looks in the whole server or one of its channels, or in a conversation between two. */
export function Search({ channelId, onClose }: FindingProps) {
  const { list, nothing, error, hasMore, search, more } = useSearch(channelId);
  const [place, setPlace] = useState('');
  const server = currentServer.value;
  const field = useRef<HTMLInputElement>(null);
  // Before the next key is pressed.
  useLayoutEffect(() => field.current?.focus(), []);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const data = new FormData(event.currentTarget);
    const text = (name: string) => String(data.get(name) ?? '').trim();
    void search({ words: text('query'), author: text('author').replace(/^@/, ''), place });
  };
  return (
    <Dialog title={server ? `Search in ${server.name}` : 'Search'} onClose={onClose}>
      <form onSubmit={submit}>
        <div class="inline">
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
        </div>
        <div class="filters">
          <Author channelId={knownTo(place, channelId)} />
          {server && <Select label="In" value={place} options={placesIn(server.id)} onChange={setPlace} />}
        </div>
      </form>
      <Found list={list} error={error} nothing={nothing} onMore={hasMore ? more : undefined} onClose={onClose} />
    </Dialog>
  );
}

const listed = (serverId: string) => channels.value.get(serverId)?.filter(isReadable) ?? [];

const placesIn = (serverId: string): Option[] => [
  { value: '', label: 'All channels' },
  ...listed(serverId).map(({ id, name }) => ({ value: id, label: `#${name}` })),
];

/** A channel whose people are those who may have said something there: a public one, for a whole server. */
function knownTo(place: string, channelId: string): string {
  const server = currentServer.value;
  if (place || !server) return place || channelId;
  return listed(server.id).find(({ isPrivate }) => !isPrivate)?.id ?? channelId;
}

interface Asked {
  words: string;
  /** A username, or empty for all. */
  author: string;
  /** The id of a channel, or empty for all. */
  place: string;
}

/** What was asked for last, and what of it was found so far. */
function useSearch(channelId: string) {
  const [list, setList] = useState<Message[] | null>([]);
  const [nothing, setNothing] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [hasMore, setHasMore] = useState(false);
  const server = currentServer.value;
  const latest = useRef<Asked | null>(null);
  const authorId = useRef<string | undefined>(undefined);
  const read = async (asked: Asked, before: Message[]) => {
    const where = server && !asked.place ? { serverId: server.id } : { channelId: asked.place || channelId };
    const page = { limit: pageSize, cursor: before.at(-1)?.id };
    const query = { query: asked.words, authorId: authorId.current, ...where, ...page };
    const found = await parley.rest('GET /api/search/messages', { query });
    // Meanwhile something else may have been asked for.
    if (latest.current !== asked) return;
    setList([...before, ...found]);
    setHasMore(found.length === pageSize);
  };
  const begin = async (asked: Asked) => {
    const id = asked.author ? await authorCalled(asked.author, knownTo(asked.place, channelId)) : undefined;
    if (latest.current !== asked) return;
    authorId.current = id;
    await read(asked, []);
  };
  const search = async (asked: Asked) => {
    latest.current = asked;
    setList(null);
    setError(null);
    setNothing(`Nothing was found for “${asked.words}”${aboutFilters(asked)}.`);
    await begin(asked).catch((reason) => latest.current === asked && setError(sentence(reason)));
  };
  const more = () => attempt(async () => latest.current && (await read(latest.current, list ?? [])));
  return { list, nothing, error, hasMore, search, more };
}

function aboutFilters({ author, place }: Asked): string {
  const channel = listed(currentServer.value?.id ?? '').find(({ id }) => id === place);
  return `${author && ` from @${author}`}${channel ? ` in #${channel.name}` : ''}`;
}

const pauseMs = 120;
const most = 8;

/** Those of a channel, or of all of its server if that is a public one, whose username begins so. */
async function peopleLike(q: string, channelId: string) {
  const query = { channelId, trigger: '@', q, limit: most } as const;
  const { suggestions } = await parley.rest('GET /api/mentions/suggest', { query });
  return suggestions.filter(({ kind }) => kind === 'user');
}

const keyOf = (username: string): string => username.normalize('NFC').toLowerCase();

/** Whose username it is. @throws Error for nobody's */
export async function authorCalled(username: string, channelId: string): Promise<string> {
  const found = await peopleLike(username, channelId);
  const author = found.find((one) => keyOf(one.username ?? '') === keyOf(username));
  if (!author) throw new Error(`Nobody here has the username @${username}.`);
  return author.targetId;
}

/** A field for who said it; the browser suggests people while one types. */
export function Author({ channelId }: { channelId: string }) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const [people, setPeople] = useState<Awaited<ReturnType<typeof peopleLike>>>([]);
  useEffect(() => {
    if (!typed) return setPeople([]);
    let wanted = true;
    const timer = setTimeout(async () => {
      // Without suggestions one can type on.
      const found = await peopleLike(typed, channelId).catch(() => []);
      if (wanted) setPeople(found);
    }, pauseMs);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [typed, channelId]);
  return (
    <div class="field">
      <label for={id}>From</label>
      <input
        type="text"
        id={id}
        name="author"
        list={`${id}-people`}
        placeholder="@username"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        maxLength={64}
        onInput={(event) => setTyped(event.currentTarget.value.trim().replace(/^@/, ''))}
      />
      <datalist id={`${id}-people`}>
        {people.map(({ targetId, username, label }) => (
          <option key={targetId} value={`@${username}`}>
            {label}
          </option>
        ))}
      </datalist>
    </div>
  );
}

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
