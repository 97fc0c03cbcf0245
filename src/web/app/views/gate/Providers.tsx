import { useEffect, useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { leaveForProvider } from './arriving.ts';

type Provider = RestAnswer<'GET /api/auth/oauth/providers'>[number];

/** The services that sign one in here; without an answer the other ways are still there. */
export function Providers({ inviteCode = '' }: { inviteCode?: string }) {
  const [list, setList] = useState<Provider[]>([]);
  useEffect(() => {
    parley.rest('GET /api/auth/oauth/providers').then(setList, () => {});
  }, []);
  if (list.length === 0) return null;
  const search = inviteCode ? `?${new URLSearchParams({ inviteCode })}` : '';
  return (
    <>
      <p class="or">or</p>
      <ul class="providers" aria-label="Sign in with another service">
        {list.map(({ provider, name }) => (
          <li key={provider}>
            <a
              class="button quiet wide"
              href={`/api/auth/oauth/${encodeURIComponent(provider)}${search}`}
              onClick={leaveForProvider}
            >
              Continue with {name}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
