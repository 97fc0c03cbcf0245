import { useEffect, useState } from 'preact/hooks';
import { type AuthAnswer, Parley } from '../../../../client/index.ts';
import { belongsToOther, enter, parley, sentence } from '../../state/client.ts';
import { go } from '../../state/router.ts';
import { tell } from '../../state/toasts.ts';
import { Button } from '../parts/Button.tsx';
import { cameFromProvider, takeNext } from './arriving.ts';
import { Gate } from './SignIn.tsx';

/** A sign-in that did not begin here, and what is done when it is meant. */
interface Question {
  user: AuthAnswer['user'];
  accept(): void;
}

/** Where a sign-in with another service ends: the tokens are in the fragment, which servers never see. */
export function OAuthCallback() {
  const [error, setError] = useState<string | null>(null);
  const [question, setQuestion] = useState<Question | null>(null);
  useEffect(() => {
    const given = new URLSearchParams(location.hash.slice(1));
    // Tokens are not to stay in the address, nor in the history.
    history.replaceState(null, '', location.pathname);
    void finish(given, setQuestion).catch((reason) => setError(sentence(reason)));
  }, []);
  if (question) return <AskWhether question={question} />;
  return (
    <Gate>
      <p class="note" role="status">
        {error ?? 'Signing you in…'}
      </p>
      {error && <a href="/app/login">Sign in</a>}
    </Gate>
  );
}

/** A link can carry anyone's tokens: whoever follows it would write as them without knowing, signed in before or not. */
function AskWhether({ question: { user, accept } }: { question: Question }) {
  return (
    <Gate>
      <p class="note" role="status">
        You did not begin to sign in here. Is <strong>@{user.username}</strong> you?
      </p>
      <Button label={`Go on as @${user.username}`} onClick={accept} />
      <nav class="links" aria-label="Otherwise">
        <a href="/app">No, that is not me</a>
      </nav>
    </Gate>
  );
}

async function finish(given: URLSearchParams, ask: (question: Question) => void): Promise<void> {
  const wanted = given.get('redirect') ?? '';
  const to = (fallback: string) => go(wanted.startsWith('/app/') ? wanted : fallback, { replace: true });
  if (given.has('linked')) {
    tell('The account is linked. From now on you can sign in with it, too.');
    return to('/app/settings/account');
  }
  const begun = cameFromProvider();
  const accessToken = given.get('access_token');
  const refreshToken = given.get('refresh_token');
  if (!accessToken || !refreshToken) throw new Error('This page ends a sign-in with another service.');
  // Whoever is signed in stays so until it is known that this is meant.
  const answer = await new Parley().adopt({ accessToken, refreshToken });
  const accept = () => {
    to(takeNext());
    enter(parley.signedInAs(answer));
  };
  // Whoever is signed in already as that user gains nothing that they did not have.
  const isSame = parley.signedIn && !belongsToOther(answer.user);
  if (begun || isSame) accept();
  else ask({ user: answer.user, accept });
}
