import { useEffect, useState } from 'preact/hooks';
import { ParleyError, type ServerRecord } from '../../../../client/index.ts';
import { parley, sentence } from '../../state/client.ts';
import { go, pathTo } from '../../state/router.ts';
import { joinByCode } from '../../state/servers.ts';
import { ServerPicture } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Problem } from '../parts/Form.tsx';
import { peopleIn } from '../people/Discover.tsx';

/** Where an invitation leads. */
export function Invite({ code }: { code: string }) {
  const [server, setServer] = useState<ServerRecord | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    parley.rest('GET /api/servers/invite/:code', { code }).then(setServer, (reason) => setError(sentence(reason)));
  }, [code]);
  const join = () => {
    setBusy(true);
    enterBy(code, server).catch((reason) => {
      setError(sentence(reason));
      setBusy(false);
    });
  };
  return (
    <section class="blank">
      {server && (
        <span class="server large" aria-hidden="true">
          <ServerPicture server={server} />
        </span>
      )}
      <h1>{server ? `Join ${server.name}` : 'An invitation'}</h1>
      {server?.description && <p>{server.description}</p>}
      {server && <p class="faint">{peopleIn(server)}</p>}
      <Problem text={error} />
      {server ? (
        <Button label="Join" disabled={busy} onClick={join} />
      ) : (
        error && (
          <a class="button" href="/app">
            To Parley
          </a>
        )
      )}
    </section>
  );
}

/** Joins, and goes there; whoever is in it already only goes there. */
async function enterBy(code: string, server: ServerRecord | null): Promise<void> {
  const joined = await joinByCode(code).catch((reason) => {
    if (reason instanceof ParleyError && reason.code === 'ALREADY_MEMBER' && server) return server;
    throw reason;
  });
  go(pathTo.server(joined.id), { replace: true });
}
