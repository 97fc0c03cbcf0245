import { useEffect, useState } from 'preact/hooks';
import type { AuthAnswer } from '../../../../client/index.ts';
import type { PageState } from '../../state/page.ts';
import { errorText } from '../../state/toasts.ts';
import { Button } from '../parts/Button.tsx';
import { usePage } from '../useApp.ts';
import { Gate } from './SignIn.tsx';

/** A sign-in that was not started here, to be confirmed. */
interface Question {
  user: AuthAnswer['user'];
  accept(): void;
}

/** The end of a sign-in with another service: the tokens are in the fragment, which servers never receive. */
export function OAuthCallback() {
  const page = usePage();
  const [error, setError] = useState<string | null>(null);
  const [question, setQuestion] = useState<Question | null>(null);
  useEffect(() => {
    const given = new URLSearchParams(location.hash.slice(1));
    // Tokens must not stay in the address or the history.
    history.replaceState(null, '', location.pathname);
    void finish(page, given, setQuestion).catch((reason) => setError(errorText(reason)));
  }, []);
  if (question) return <ConfirmSignIn question={question} />;
  return (
    <Gate>
      <p class="note" role="status">
        {error ?? 'Signing you in…'}
      </p>
      {error && <a href="/app/login">Sign in</a>}
    </Gate>
  );
}

/** A link can carry anyone's tokens: a user who follows it would write as someone else without knowing. */
function ConfirmSignIn({ question: { user, accept } }: { question: Question }) {
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

async function finish(page: PageState, given: URLSearchParams, ask: (question: Question) => void): Promise<void> {
  const wanted = given.get('redirect') ?? '';
  const target = wanted.startsWith('/app/') ? wanted : undefined;
  const { account, navigate } = page;
  const session = account.session.peek();
  if (given.has('linked')) {
    (session ?? page).showToast('The account is linked. From now on you can sign in with it, too.');
    return navigate(target ?? '/app/settings/account', { replace: true });
  }
  const startedHere = account.takeProviderSignIn();
  const accessToken = given.get('access_token');
  const refreshToken = given.get('refresh_token');
  if (!accessToken || !refreshToken) throw new Error('This page ends a sign-in with another service.');
  // The present session continues until the user has confirmed this.
  const adopted = await account.newClient().adopt({ accessToken, refreshToken });
  const answer: AuthAnswer = given.has('restored') ? { ...adopted, restored: true } : adopted;
  const accept = () => account.signedIn(answer, target);
  // For a user who is signed in already nothing changes.
  const isSame = session !== null && !account.belongsToOther(answer.user);
  if (startedHere || isSame) accept();
  else ask({ user: answer.user, accept });
}
