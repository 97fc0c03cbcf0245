import { useEffect, useState } from 'preact/hooks';
import type { ServerRecord } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { go, pathTo } from '../../state/router.ts';
import { joinPublic, servers } from '../../state/servers.ts';
import { attempt } from '../../state/toasts.ts';

export function Discover() {
  const [list, setList] = useState<ServerRecord[] | null>(null);
  const find = (query: string) =>
    attempt(async () => setList(await parley.rest('GET /api/servers/discover', { query: { query } })));
  useEffect(() => {
    void find('');
  }, []);
  const search = (event: SubmitEvent) => {
    event.preventDefault();
    if (event.currentTarget instanceof HTMLFormElement) {
      void find(String(new FormData(event.currentTarget).get('query') ?? '').trim());
    }
  };
  return (
    <section class="page">
      <header class="bar">
        <a class="icon back" href="/app/friends" aria-label="Back">
          ‹
        </a>
        <h1 class="title">Discover servers</h1>
      </header>
      <div class="body">
        <form class="inline" onSubmit={search}>
          <input type="search" name="query" aria-label="Part of a name" placeholder="Part of a name" maxLength={100} />
          <button type="submit" class="button">
            Find
          </button>
        </form>
        {list?.length === 0 && <p class="empty">There is no public server like that.</p>}
        <ul class="people">
          {list?.map((server) => (
            <Entry key={server.id} server={server} />
          ))}
        </ul>
      </div>
    </section>
  );
}

function Entry({ server }: { server: ServerRecord }) {
  const isMember = servers.value.some(({ id }) => id === server.id);
  const join = () =>
    attempt(async () => {
      if (!isMember) await joinPublic(server.id);
      go(pathTo.server(server.id));
    });
  return (
    <li>
      <span class="who">
        <span class="name">{server.name}</span>
        <span class="faint">
          {server.memberCount} {server.memberCount === 1 ? 'member' : 'members'}
          {server.description && ` · ${server.description}`}
        </span>
      </span>
      <button type="button" class={isMember ? 'button quiet' : 'button'} onClick={() => void join()}>
        {isMember ? 'Open' : 'Join'}
      </button>
    </li>
  );
}
