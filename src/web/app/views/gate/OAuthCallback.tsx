import { useEffect, useState } from 'preact/hooks';
import { enter, parley, sentence } from '../../state/client.ts';
import { go } from '../../state/router.ts';
import { tell } from '../../state/toasts.ts';
import { takeNext } from './arriving.ts';
import { Gate } from './Gate.tsx';

/** Where a sign-in with another service ends: the tokens are in the fragment, which servers never see. */
export function OAuthCallback() {
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    const given = new URLSearchParams(location.hash.slice(1));
    // Tokens are not to stay in the address, nor in the history.
    history.replaceState(null, '', location.pathname);
    void finish(given).catch((reason) => setError(sentence(reason)));
  }, []);
  return (
    <Gate>
      <p class="note" role="status">
        {error ?? 'Signing you in…'}
      </p>
      {error && <a href="/app/login">Sign in</a>}
    </Gate>
  );
}

async function finish(given: URLSearchParams): Promise<void> {
  const wanted = given.get('redirect') ?? '';
  const to = (fallback: string) => go(wanted.startsWith('/app/') ? wanted : fallback, { replace: true });
  if (given.has('linked')) {
    tell('The account is linked. From now on you can sign in with it, too.');
    return to('/app/settings/account');
  }
  const accessToken = given.get('access_token');
  const refreshToken = given.get('refresh_token');
  if (!accessToken || !refreshToken) throw new Error('This page ends a sign-in with another service.');
  enter(await parley.adopt({ accessToken, refreshToken }));
  to(takeNext());
}
