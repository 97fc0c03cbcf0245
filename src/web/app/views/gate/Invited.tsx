import { useEffect, useState } from 'preact/hooks';
import { ParleyError, type ServerRecord } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { invitation } from './arriving.ts';

/** Says what an invitation is to, for those who have to sign in first. */
export function Invited() {
  const [server, setServer] = useState<ServerRecord | null>(null);
  const [isVoid, setIsVoid] = useState(false);
  const code = invitation();
  useEffect(() => {
    setServer(null);
    setIsVoid(false);
    if (!code) return;
    parley
      .rest('GET /api/servers/invite/:code', { code })
      .then(setServer, (error) => setIsVoid(error instanceof ParleyError && error.status === 404));
  }, [code]);
  // Before someone creates an account for it.
  if (isVoid) {
    return (
      <p class="note problem" role="status">
        This invitation does not hold any more. Ask for a new one.
      </p>
    );
  }
  if (!server) return null;
  return (
    <p class="note" role="status">
      You are invited to <strong>{server.name}</strong>. Create an account to join it, or sign in to yours.
    </p>
  );
}
