import { useEffect, useState } from 'preact/hooks';
import type { Message } from '../../../../languages/catalogue.ts';
import { isUnconfirmed } from '../../state/email.ts';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { usePage, useTexts } from '../useApp.ts';
import { Gate } from './Gate.tsx';

/** The page of a mailed link. Mail scanners open it too, so nothing happens before a click. */
export function VerifyEmail() {
  const { t } = useTexts();
  const { setTitle, account } = usePage();
  const [token] = useState(() => new URLSearchParams(location.search).get('token') ?? '');
  const [outcome, setOutcome] = useState<string | null>(null);
  useEffect(() => {
    setTitle(t('Confirm your e-mail address'));
    // The link is a secret: it must not stay in the address or the history.
    history.replaceState(null, '', location.pathname);
  }, []);
  const confirm = async (password?: string) => {
    const body = { token, password };
    const { takenOver } = await account.client.rest('POST /api/auth/email-verification/complete', { body });
    setOutcome(takenOver ? t(claimed) : t('Your e-mail address is confirmed.'));
    await account.session.peek()?.refreshMe();
  };
  if (outcome !== null || token === '') return <Outcome text={outcome ?? t(incomplete)} />;
  return (
    <Gate>
      {isUnconfirmed(account.session.value?.me.value) ? (
        <Own confirm={confirm} />
      ) : (
        <ConfirmAsStranger confirm={confirm} />
      )}
    </Gate>
  );
}

const incomplete: Message = 'This link is not complete. Open it once more from your mail, or have another one sent.';
const claimed: Message =
  'The account is yours alone now: what let its maker in has ended. Sign in with a code by e-mail, or set a new password.';

function Outcome({ text }: { text: string }) {
  const { t } = useTexts();
  const isSignedIn = usePage().account.session.value !== null;
  return (
    <Gate>
      <p class="note" role="status">
        {text}
      </p>
      <nav class="links" aria-label={t('Continue')}>
        <a href="/app">{t('To Parley')}</a>
        {!isSignedIn && <a href="/app/code">{t('Sign in with a code by e-mail')}</a>}
        {!isSignedIn && <a href="/app/forgot">{t('Set a new password')}</a>}
      </nav>
    </Gate>
  );
}

interface ConfirmProps {
  confirm(password?: string): Promise<void>;
}

function Own({ confirm }: ConfirmProps) {
  const { t } = useTexts();
  const email = usePage().account.session.value?.me.value?.email;
  return (
    <Form action={t('Confirm')} work={() => confirm()} class="gateway">
      <p class="note">{t('Confirm that {email} is your e-mail address.', { email })}</p>
    </Form>
  );
}

/** The account's creator confirms with its password; for anyone else confirming means taking the account over. */
function ConfirmAsStranger({ confirm }: ConfirmProps) {
  const { t } = useTexts();
  const withPassword = ({ raw }: Fields) => confirm(raw('password'));
  return (
    <>
      <Form action={t('Confirm')} work={withPassword} class="gateway">
        <p class="note">
          {t(
            'You made the account yourself? Then confirm your e-mail address with its password, or open the link where you are signed in to it.',
          )}
        </p>
        <Field label={t('Password')} name="password" type="password" autocomplete="current-password" required />
      </Form>
      <Form action={t('Take over the account')} work={() => confirm()} class="gateway grave">
        <p class="note">
          {t(
            'Somebody else made it with your address? Then take it over: its password, sessions, tokens and linked accounts end.',
          )}
        </p>
      </Form>
    </>
  );
}
