import { useState } from 'preact/hooks';
import type { ServerRecord } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { go, pathTo } from '../../state/router.ts';
import { joinPublic, servers } from '../../state/servers.ts';
import { attempt } from '../../state/toasts.ts';
import { Button } from '../parts/Button.tsx';
import { Field } from '../parts/Field.tsx';
import { Form } from '../parts/Form.tsx';
import { usePages } from '../parts/loading.ts';
import { More } from '../parts/More.tsx';
import { Page } from '../parts/Page.tsx';
import { ServerPicture } from '../parts/ServerPicture.tsx';
import { JoinByLink } from './Welcome.tsx';

/** So many are fetched at a time. */
const pageSize = 50;

export function Discover() {
  const [query, setQuery] = useState('');
  const { list, onMore } = usePages<ServerRecord>(
    pageSize,
    ({ length: offset }) => parley.rest('GET /api/servers/discover', { query: { query, limit: pageSize, offset } }),
    [query],
  );
  return (
    <Page title="Discover servers" back="/app/messages">
      <Form class="block beside" action="Find" work={async ({ text }) => setQuery(text('query'))}>
        <Field label="Part of a name" name="query" maxlength={100} />
      </Form>
      <JoinByLink />
      {list?.length === 0 && (
        <p class="empty">{query ? 'There is no public server like that.' : 'No server is open to all yet.'}</p>
      )}
      <ul class="cards">
        {list?.map((server) => (
          <Entry key={server.id} server={server} />
        ))}
      </ul>
      {onMore && <More onMore={onMore} />}
    </Page>
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
      <span class="server" aria-hidden="true">
        <ServerPicture server={server} />
      </span>
      <strong class="name">{server.name}</strong>
      <p class="faint">{server.description}</p>
      <footer>
        <span class="faint">{peopleIn(server)}</span>
        <Button label={isMember ? 'Open' : 'Join'} kind={isMember ? 'quiet' : undefined} onClick={() => void join()} />
      </footer>
    </li>
  );
}

export const peopleIn = ({ memberCount }: Pick<ServerRecord, 'memberCount'>): string =>
  memberCount === 1 ? '1 member' : `${memberCount} members`;
