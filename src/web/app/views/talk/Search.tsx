import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Message } from '../../../../client/index.ts';
import { isComposing } from '../../state/keyboard.ts';
import { pathTo } from '../../state/router.ts';
import { isReadable } from '../../state/servers.ts';
import { errorText } from '../../state/toasts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { More } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { type Option, Select } from '../parts/Field.tsx';
import { Text } from '../parts/text.tsx';
import { shortTime } from '../parts/time.ts';
import { type AppState, useApp } from '../useApp.ts';

/** The page size. */
const pageSize = 25;

/** Searches a server or one of its channels, or a direct conversation. */
export function Search({ channelId, onClose }: FindingProps) {
  const app = useApp();
  const { servers } = app;
  const { list, nothing, error, hasMore, search, more } = useSearch(channelId);
  const [place, setPlace] = useState('');
  const server = servers.current.value;
  const field = useRef<HTMLInputElement>(null);
  // In a layout effect, to be ready for the next key.
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
            // The browser would only clear the field.
            onKeyDown={(event) => event.key === 'Escape' && !isComposing(event) && onClose()}
          />
          <button type="submit" class="button">
            Search
          </button>
        </div>
        <div class="filters">
          <Author channelId={channelForUsers(app, place, channelId)} />
          {server && <Select label="In" value={place} options={channelOptions(app, server.id)} onChange={setPlace} />}
        </div>
      </form>
      <Found list={list} error={error} nothing={nothing} onMore={hasMore ? more : undefined} onClose={onClose} />
    </Dialog>
  );
}

const listed = (app: AppState, serverId: string) => app.servers.channels.value.get(serverId)?.filter(isReadable) ?? [];

const channelOptions = (app: AppState, serverId: string): Option[] => [
  { value: '', label: 'All channels' },
  ...listed(app, serverId).map(({ id, name }) => ({ value: id, label: `#${name}` })),
];

/** A channel whose members may have written in the searched place: for a whole server a public one. */
function channelForUsers(app: AppState, place: string, channelId: string): string {
  const server = app.servers.current.value;
  if (place || !server) return place || channelId;
  return listed(app, server.id).find(({ isPrivate }) => !isPrivate)?.id ?? channelId;
}

interface Asked {
  words: string;
  /** A username, or empty for all. */
  author: string;
  /** The id of a channel, or empty for all. */
  place: string;
}

/** The last search, and its results so far. */
function useSearch(channelId: string) {
  const app = useApp();
  const { servers, client, attempt } = app;
  const [list, setList] = useState<Message[] | null>([]);
  const [nothing, setNothing] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [hasMore, setHasMore] = useState(false);
  const server = servers.current.value;
  const latest = useRef<Asked | null>(null);
  const authorId = useRef<string | undefined>(undefined);
  const read = async (asked: Asked, before: Message[]) => {
    const where = server && !asked.place ? { serverId: server.id } : { channelId: asked.place || channelId };
    const page = { limit: pageSize, cursor: before.at(-1)?.id };
    const query = { query: asked.words, authorId: authorId.current, ...where, ...page };
    const found = await client.rest('GET /api/search/messages', { query });
    // Another search may have started meanwhile.
    if (latest.current !== asked) return;
    setList([...before, ...found]);
    setHasMore(found.length === pageSize);
  };
  const begin = async (asked: Asked) => {
    const id = asked.author
      ? await findAuthor(app, asked.author, channelForUsers(app, asked.place, channelId))
      : undefined;
    if (latest.current !== asked) return;
    authorId.current = id;
    await read(asked, []);
  };
  const search = async (asked: Asked) => {
    latest.current = asked;
    setList(null);
    setError(null);
    setNothing(`Nothing was found for “${asked.words}”${aboutFilters(app, asked)}.`);
    await begin(asked).catch((reason) => latest.current === asked && setError(errorText(reason)));
  };
  const more = () => attempt(async () => latest.current && (await read(latest.current, list ?? [])));
  return { list, nothing, error, hasMore, search, more };
}

function aboutFilters(app: AppState, { author, place }: Asked): string {
  const channel = listed(app, app.servers.current.value?.id ?? '').find(({ id }) => id === place);
  return `${author && ` from @${author}`}${channel ? ` in #${channel.name}` : ''}`;
}

const pauseMs = 120;
const most = 8;

/** Users whose username has a prefix: of a channel, or of its whole server if it is public. */
async function suggestUsers(app: AppState, q: string, channelId: string) {
  const query = { channelId, trigger: '@', q, limit: most } as const;
  const { suggestions } = await app.client.rest('GET /api/mentions/suggest', { query });
  return suggestions.filter(({ kind }) => kind === 'user');
}

const keyOf = (username: string): string => username.normalize('NFKC').toLowerCase();

/** The id of the user with a username. @throws Error when there is none */
export async function findAuthor(app: AppState, username: string, channelId: string): Promise<string> {
  const found = await suggestUsers(app, username, channelId);
  const author = found.find((one) => keyOf(one.username ?? '') === keyOf(username));
  if (!author) throw new Error(`Nobody here has the username @${username}.`);
  return author.targetId;
}

/** A field for an author, with suggestions of the browser. */
export function Author({ channelId }: { channelId: string }) {
  const app = useApp();
  const id = useId();
  const [typed, setTyped] = useState('');
  const [people, setPeople] = useState<Awaited<ReturnType<typeof suggestUsers>>>([]);
  useEffect(() => {
    if (!typed) return setPeople([]);
    let wanted = true;
    const timer = setTimeout(async () => {
      // Suggestions are optional.
      const found = await suggestUsers(app, typed, channelId).catch(() => []);
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
  list: Message[] | null;
  error: string | null;
  nothing: string;
  /** Loads more; undefined: there is none. */
  onMore?: (() => Promise<unknown>) | undefined;
  onClose(): void;
}

export function Found({ list, error, nothing, onMore, onClose }: ResultsProps) {
  if (error)
    return (
      <p class="note bad" role="alert">
        {error}
      </p>
    );
  const said = list === null ? 'One moment…' : list.length === 0 ? nothing : countOf(list, onMore !== undefined);
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

function countOf(list: Message[], hasMore: boolean): string {
  if (hasMore) return `The newest ${list.length}`;
  return list.length === 1 ? '1 message' : `${list.length} messages`;
}

function ResultList({ list, onMore, onClose }: Pick<ResultsProps, 'onMore' | 'onClose'> & { list: Message[] }) {
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
                <Text content={message.content} mentions={message.mentions} plain />
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

/** The channel of a message, unless it is a direct one. */
function channelPrefix(app: AppState, { channelId }: Message): string {
  const list = app.servers.channels.value.get(app.servers.current.value?.id ?? '');
  const name = list?.find(({ id }) => id === channelId)?.name;
  return name ? `in #${name}, ` : '';
}
