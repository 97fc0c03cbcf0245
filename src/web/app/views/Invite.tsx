import { useState } from 'preact/hooks';
import { ParleyError } from '../../../client/index.ts';
import { sentence } from '../state/client.ts';
import { go, pathTo } from '../state/router.ts';
import { joinByCode, loadServers, servers } from '../state/servers.ts';

/** Where an invitation leads. */
export function Invite({ code }: { code: string }) {
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const join = async () => {
    setBusy(true);
    try {
      const server = await joinByCode(code);
      go(pathTo.server(server.id), { replace: true });
    } catch (reason) {
      if (reason instanceof ParleyError && reason.code === 'ALREADY_MEMBER') return void (await enter());
      setError(sentence(reason));
    } finally {
      setBusy(false);
    }
  };
  const enter = async () => {
    await loadServers();
    const server = servers.value.find(({ inviteCode }) => inviteCode === code);
    go(server ? pathTo.server(server.id) : '/app', { replace: true });
  };
  return (
    <section class="blank">
      <h1>You are invited</h1>
      <p>Someone asks you to join a server.</p>
      {error && (
        <p class="note bad" role="alert">
          {error}
        </p>
      )}
      <button type="button" class="button" disabled={busy} onClick={() => void join()}>
        Join
      </button>
    </section>
  );
}
