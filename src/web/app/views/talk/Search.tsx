import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Message } from '../../../../client/index.ts';
import { parley, sentence } from '../../state/client.ts';
import { isComposing } from '../../state/keyboard.ts';
import { channels, currentServer, isReadable } from '../../state/servers.ts';
import { attempt } from '../../state/toasts.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { type Option, Select } from '../parts/Field.tsx';
import { Author, authorCalled } from './Author.tsx';
import { type FindingProps, Found } from './Finding.tsx';

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
