import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import { isComposing } from '../../state/keyboard.ts';
import { isReadable } from '../../state/servers.ts';
import type { Texts } from '../../state/texts.ts';
import { errorText } from '../../state/toasts.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { type Option, Select } from '../parts/Field.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { type FindingProps, Found, type FoundMessage } from './Found.tsx';
import { mostShown, Overview } from './Overview.tsx';

/** The page size. */
const pageSize = 25;

/** Stands for all servers and direct conversations in the choice of a place. */
const everywhere = 'everywhere';

/** Searches a server or one of its channels, a direct conversation, or all that the user may read. */
export function Search({ channelId, onClose }: FindingProps) {
  const texts = useTexts();
  const { labelled, t } = texts;
  const app = useApp();
  const { servers } = app;
  const { list, overview, nothing, error, hasMore, search, more } = useSearch(channelId);
  const [place, setPlace] = useState('');
  const [sort, setSort] = useState<Sort>('time');
  const server = servers.current.value;
  const field = useRef<HTMLInputElement>(null);
  const hint = useId();
  // In a layout effect, to be ready for the next key.
  useLayoutEffect(() => field.current?.focus(), []);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const data = new FormData(event.currentTarget);
    const text = (name: string) => String(data.get(name) ?? '').trim();
    void search({ words: text('query'), author: text('author').replace(/^@/, ''), place, sort });
  };
  return (
    <Dialog
      title={server && place !== everywhere ? t('Search in {name}', { name: server.name }) : t('Search')}
      onClose={onClose}
    >
      <form onSubmit={submit}>
        <div class="inline">
          <input
            ref={field}
            type="search"
            name="query"
            aria-label={t('Words to look for')}
            aria-describedby={hint}
            maxLength={256}
            required
            // The browser would only clear the field.
            onKeyDown={(event) => event.key === 'Escape' && !isComposing(event) && onClose()}
          />
          <button type="submit" class="button">
            {t('Search')}
          </button>
        </div>
        <p class="hint" id={hint}>
          {t('Also “a phrase”, -without, from:name, in:channel, mentions:me, has:file, is:thread, before:2026-01-31.')}
        </p>
        <div class="filters">
          <Author channelId={channelForUsers(app, place, channelId)} />
          <Select label={t('In')} value={place} options={placeOptions(texts, app, channelId)} onChange={setPlace} />
          <Select
            label={t('Order')}
            value={sort}
            options={labelled(orders)}
            onChange={(value) => setSort(value === 'fit' ? 'fit' : 'time')}
          />
        </div>
      </form>
      {overview && <Overview key={overview.words} {...overview} onClose={onClose} />}
      <Found
        byTime={sort === 'time'}
        list={list}
        error={error}
        nothing={nothing}
        onMore={hasMore ? more : undefined}
        onClose={onClose}
      />
    </Dialog>
  );
}

const listed = (app: AppState, serverId: string) => app.servers.channels.value.get(serverId)?.filter(isReadable) ?? [];

function placeOptions({ t }: Texts, app: AppState, channelId: string): Option[] {
  const server = app.servers.current.value;
  const all = { value: everywhere, label: t('Everywhere') };
  if (!server) return [{ value: '', label: t('This conversation') }, all];
  const channels = listed(app, server.id).filter(({ id }) => id !== channelId);
  return [
    { value: '', label: t('This server') },
    { value: channelId, label: t('This channel') },
    all,
    ...channels.map(({ id, name }) => ({ value: id, label: `#${name}` })),
  ];
}

/** A channel whose members may have written in the searched place: for a whole server a public one. */
function channelForUsers(app: AppState, place: string, channelId: string): string {
  const server = app.servers.current.value;
  const isChannel = place !== '' && place !== everywhere;
  if (isChannel || !server) return isChannel ? place : channelId;
  return listed(app, server.id).find(({ isPrivate }) => !isPrivate)?.id ?? channelId;
}

type Sort = 'time' | 'fit';
const orders: readonly { value: Sort; label: Message }[] = [
  { value: 'time', label: 'Newest first' },
  { value: 'fit', label: 'Most relevant first' },
];

/** What else was found, and by which words where. */
interface Survey {
  found: RestAnswer<'GET /api/search'>;
  words: string;
  serverId: string | undefined;
}

interface Asked {
  words: string;
  sort: Sort;
  /** A username, or empty for all. */
  author: string;
  /** The id of a channel, `everywhere`, or empty for all of the server or conversation. */
  place: string;
}

/** The last search, and its results so far. */
function useSearch(channelId: string) {
  const texts = useTexts();
  const app = useApp();
  const { servers, client, attempt, surroundings } = app;
  const [list, setList] = useState<FoundMessage[] | null>([]);
  const [overview, setOverview] = useState<Survey | null>(null);
  const [nothing, setNothing] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [hasMore, setHasMore] = useState(false);
  const server = servers.current.value;
  const latest = useRef<Asked | null>(null);
  const authorId = useRef<string | undefined>(undefined);
  const read = async (asked: Asked, before: FoundMessage[]) => {
    const where = whereOf(asked.place, server?.id, channelId);
    const cursor = asked.sort === 'fit' && before.length > 0 ? String(before.length) : before.at(-1)?.id;
    const page = { limit: pageSize, cursor, sort: asked.sort, timeZone: surroundings.timeZone };
    const from = asked.place === everywhere && asked.author !== '' ? asked.author : undefined;
    const query = { query: asked.words, authorId: authorId.current, from, ...where, ...page };
    const found = await client.rest('GET /api/search/messages', { query });
    // Another search may have started meanwhile.
    if (latest.current !== asked) return;
    setList([...before, ...found]);
    setHasMore(found.length === pageSize);
  };
  /** People, channels and files, beside the messages of a server or of all. */
  const survey = async (asked: Asked) => {
    const serverId = asked.place === everywhere ? undefined : server?.id;
    if (asked.place !== everywhere && !serverId) return;
    // Operators are about messages.
    const words = asked.words.replace(/(^|\s)-?(from|in|mentions|has|is|before|after|on):\S+/gi, ' ').trim();
    if (!words) return;
    const found = await client.rest('GET /api/search', { query: { query: words, serverId, limit: mostShown } });
    if (latest.current === asked) setOverview({ found, words, serverId });
  };
  const begin = async (asked: Asked) => {
    // Everywhere the server knows by their name who is meant.
    const isHere = asked.author !== '' && asked.place !== everywhere;
    const id = isHere ? await findAuthor(app, asked.author, channelForUsers(app, asked.place, channelId)) : undefined;
    if (latest.current !== asked) return;
    authorId.current = id;
    await Promise.all([
      read(asked, []),
      asked.author || (asked.place && asked.place !== everywhere) ? undefined : survey(asked),
    ]);
  };
  const search = async (asked: Asked) => {
    latest.current = asked;
    setList(null);
    setOverview(null);
    setError(null);
    setNothing(nothingFor(texts, app, asked));
    await begin(asked).catch((reason) => latest.current === asked && setError(errorText(reason, texts)));
  };
  const more = () => attempt(async () => latest.current && (await read(latest.current, list ?? [])));
  return { list, overview, nothing, error, hasMore, search, more };
}

function whereOf(place: string, serverId: string | undefined, channelId: string) {
  if (place === everywhere) return {};
  return serverId && !place ? { serverId } : { channelId: place || channelId };
}

function nothingFor({ t }: Texts, app: AppState, { words, author, place }: Asked): string {
  const channel = listed(app, app.servers.current.value?.id ?? '').find(({ id }) => id === place)?.name;
  if (author && channel)
    return t('Nothing was found for “{words}” from @{author} in #{channel}.', { words, author, channel });
  if (author) return t('Nothing was found for “{words}” from @{author}.', { words, author });
  if (channel) return t('Nothing was found for “{words}” in #{channel}.', { words, channel });
  return t('Nothing was found for “{words}”.', { words });
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
  if (!author) throw new Error(app.texts.peek().t('Nobody here has the username @{username}.', { username }));
  return author.targetId;
}

/** A field for an author, with suggestions of the browser. */
export function Author({ channelId }: { channelId: string }) {
  const { t } = useTexts();
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
      <label for={id}>{t('Written by')}</label>
      <input
        type="text"
        id={id}
        name="author"
        list={`${id}-people`}
        placeholder={t('@username')}
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
