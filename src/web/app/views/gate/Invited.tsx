import { useEffect, useState } from 'preact/hooks';
import type { ServerRecord } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { invitation } from './arriving.ts';

/** Says what an invitation is to, for those who have to sign in first. */
export function Invited() {
  const [server, setServer] = useState<ServerRecord | null>(null);
  const code = invitation();
  useEffect(() => {
    setServer(null);
    // What is wrong with it is told when one gets there.
    if (code) parley.rest('GET /api/servers/invite/:code', { code }).then(setServer, () => {});
  }, [code]);
  if (!server) return null;
  return (
    <p class="note" role="status">
      You are invited to <strong>{server.name}</strong>. Create an account to join it, or sign in to yours.
    </p>
  );
}
