import { useEffect, useState } from 'preact/hooks';
import type { Message } from '../../../../client/index.ts';
import { parley, sentence } from '../../state/client.ts';
import { pathTo } from '../../state/router.ts';
import { channels, currentServer } from '../../state/servers.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Dialog } from '../parts/Dialog.tsx';
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

/** Looks in the whole server, or in a conversation between two. */
export function Search({ channelId, onClose }: FindingProps) {
  const [list, setList] = useState<Message[] | null>([]);
  const [asked, setAsked] = useState('');
  const [error, setError] = useState<string | null>(null);
  const server = currentServer.value;
  const search = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const query = String(new FormData(event.currentTarget).get('query') ?? '').trim();
    setList(null);
    setError(null);
    setAsked(query);
    const where = server ? { serverId: server.id } : { channelId };
    try {
      setList(await parley.rest('GET /api/search/messages', { query: { query, ...where } }));
    } catch (reason) {
      setError(sentence(reason));
    }
  };
  return (
    <Dialog title={server ? `Search in ${server.name}` : 'Search'} onClose={onClose}>
      <form class="inline" onSubmit={search}>
        <input
          type="search"
          name="query"
          aria-label="Words to look for"
          maxLength={256}
          required
          // The browser would only empty the field.
          onKeyDown={({ key }) => key === 'Escape' && onClose()}
        />
        <button type="submit" class="button">
          Search
        </button>
      </form>
      <Found list={list} error={error} nothing={asked ? `Nothing was found for “${asked}”.` : ''} onClose={onClose} />
    </Dialog>
  );
}

interface FoundProps {
  list: Message[] | null;
  error: string | null;
  nothing: string;
  onClose(): void;
}

function Found({ list, error, nothing, onClose }: FoundProps) {
  if (error) return <p class="note bad">{error}</p>;
  if (list === null) return <p class="faint">One moment…</p>;
  if (list.length === 0) return <p class="faint">{nothing}</p>;
  return (
    <ul class="found">
      {list.map((message) => (
        <li key={message.id}>
          <a
            class="quoted"
            href={pathTo.message(currentServer.value?.id ?? null, message.channelId, message.id)}
            onClick={onClose}
          >
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
    </ul>
  );
}

/** In which channel of the server it was said. */
function whereabouts({ channelId }: Message): string {
  const list = channels.value.get(currentServer.value?.id ?? '');
  const name = list?.find(({ id }) => id === channelId)?.name;
  return name ? `in #${name}, ` : '';
}
