import { useEffect, useState } from 'preact/hooks';
import type { AuthAnswer } from '../../../../client/index.ts';
import type { Unfinished } from '../../state/account.ts';
import type { PageState } from '../../state/page.ts';
import type { Texts } from '../../state/texts.ts';
import { errorText } from '../../state/toasts.ts';
import { Button } from '../parts/Button.tsx';
import { usePage, useTexts } from '../useApp.ts';
import { CompleteSignIn } from './CompleteSignIn.tsx';
import { Gate } from './Gate.tsx';

/** A sign-in that was not started here, to be confirmed. */
interface Question {
  user: AuthAnswer['user'];
  accept(): void;
}

/** The end of a sign-in with another service: the tokens are in the fragment, which servers never receive. */
export function OAuthCallback() {
  const texts = useTexts();
  const { t } = texts;
  const page = usePage();
  const [error, setError] = useState<string | null>(null);
  const [question, setQuestion] = useState<Question | null>(null);
  const [unfinished, setUnfinished] = useState<(Unfinished & { onDone(answer: AuthAnswer): void }) | null>(null);
  useEffect(() => {
    const given = new URLSearchParams(location.hash.slice(1));
    // Tokens must not stay in the address or the history.
    history.replaceState(null, '', location.pathname);
    const ended = (answer: AuthAnswer) => {
      setUnfinished(null);
      accept(page, given, answer, setQuestion);
    };
    const ticket = given.get('ticket');
    if (ticket) setUnfinished({ ticket, methods: given.get('methods')?.split(',') ?? [], onDone: ended });
    else void finish(texts, page, given, ended).catch((reason) => setError(errorText(reason, texts)));
  }, []);
  if (unfinished)
    return (
      <Gate>
        <CompleteSignIn signIn={unfinished} onDone={unfinished.onDone} />
      </Gate>
    );
  if (question) return <ConfirmSignIn question={question} />;
  return (
    <Gate>
      <p class="note" role="status">
        {error ?? t('Signing you in…')}
      </p>
      {error && <a href="/app/login">{t('Sign in')}</a>}
    </Gate>
  );
}

/** A link can carry anyone's tokens: a user who follows it would write as someone else without knowing. */
function ConfirmSignIn({ question: { user, accept } }: { question: Question }) {
  const { rich, t } = useTexts();
  return (
    <Gate>
      <p class="note" role="status">
        {rich('You did not start signing in here. Is {strong} you?', { strong: <strong>@{user.username}</strong> })}
      </p>
      <Button label={t('Continue as @{username}', { username: user.username })} onClick={accept} />
      <nav class="links" aria-label={t('Other options')}>
        <a href="/app">{t('No, that is not me')}</a>
      </nav>
    </Gate>
  );
}

async function finish(
  { t }: Texts,
  page: PageState,
  given: URLSearchParams,
  ended: (answer: AuthAnswer) => void,
): Promise<void> {
  const { account, navigate } = page;
  if (given.has('linked')) {
    (account.session.peek() ?? page).showToast(t('The account is linked. From now on you can sign in with it, too.'));
    return navigate(targetOf(given) ?? '/app/settings/account', { replace: true });
  }
  const accessToken = given.get('access_token');
  const refreshToken = given.get('refresh_token');
  if (!accessToken || !refreshToken) throw new Error(t('This page completes a sign-in with another service.'));
  // The present session continues until the user has confirmed this.
  const adopted = await account.newClient().adopt({ accessToken, refreshToken });
  const deviceToken = given.get('device_token') ?? undefined;
  ended({ ...adopted, deviceToken, ...(given.has('restored') ? { restored: true } : {}) });
}

function accept(page: PageState, given: URLSearchParams, answer: AuthAnswer, ask: (question: Question) => void): void {
  const { account } = page;
  const startedHere = account.takeProviderSignIn();
  const accept = () => account.signedIn(answer, targetOf(given));
  // For a user who is signed in already nothing changes.
  const isSame = account.session.peek() !== null && !account.belongsToOther(answer.user);
  if (startedHere || isSame) accept();
  else ask({ user: answer.user, accept });
}

/** Where to go afterwards. */
function targetOf(given: URLSearchParams): string | undefined {
  const wanted = given.get('redirect') ?? '';
  return wanted.startsWith('/app/') ? wanted : undefined;
}
