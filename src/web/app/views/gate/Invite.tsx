import { useEffect, useState } from 'preact/hooks';
import { ParleyError, type ServerRecord } from '../../../../client/index.ts';
import { parley, sentence } from '../../state/client.ts';
import { go, pathTo } from '../../state/router.ts';
import { joinByCode } from '../../state/servers.ts';

/** Where an invitation leads. */
export function Invite({ code }: { code: string }) {
  const [server, setServer] = useState<ServerRecord | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    parley.rest('GET /api/servers/invite/:code', { code }).then(setServer, (reason) => setError(sentence(reason)));
  }, [code]);
  const join = async () => {
    setBusy(true);
    try {
      go(pathTo.server((await joinByCode(code)).id), { replace: true });
    } catch (reason) {
      const isMember = reason instanceof ParleyError && reason.code === 'ALREADY_MEMBER';
      if (isMember && server) go(pathTo.server(server.id), { replace: true });
      else setError(sentence(reason));
      setBusy(false);
    }
  };
  return (
    <section class="blank">
      <h1>{server ? `Join ${server.name}` : 'An invitation'}</h1>
      {server?.description && <p>{server.description}</p>}
      {server && (
        <p class="faint">
          {server.memberCount} {server.memberCount === 1 ? 'member' : 'members'}
        </p>
      )}
      {error && (
        <p class="note bad" role="alert">
          {error}
        </p>
      )}
      {server ? (
        <button type="button" class="button" disabled={busy} onClick={() => void join()}>
          Join
        </button>
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
