import { useEffect, useState } from 'preact/hooks';
import { Form } from '../parts/Form.tsx';
import { usePage, useTexts } from '../useApp.ts';
import { Gate } from './Gate.tsx';

/** The page of the link in the mail to an old address. Mail scanners open it too, so nothing happens before a click. */
export function UndoEmail() {
  const { t } = useTexts();
  const { setTitle, account } = usePage();
  const [token] = useState(() => new URLSearchParams(location.search).get('token') ?? '');
  const [email, setEmail] = useState<string | null>(null);
  useEffect(() => {
    setTitle(t('Undo the change of address'));
    // The link is a secret: it must not stay in the address or the history.
    history.replaceState(null, '', location.pathname);
  }, []);
  const undo = async () => {
    const answer = await account.newClient().rest('POST /api/auth/email-change/undo', { body: { token } });
    setEmail(answer.email);
  };
  if (email !== null)
    return (
      <Gate>
        <p class="note" role="status">
          {t(
            'The address of your account is {email} again, and everything that let anyone in has ended. Set a new password.',
            { email },
          )}
        </p>
        <nav class="links" aria-label={t('Continue')}>
          <a href="/app/forgot">{t('Set a new password')}</a>
        </nav>
      </Gate>
    );
  return (
    <Gate>
      <Form action={t('Undo the change')} work={undo} class="gateway grave">
        <p class="note">
          {t(
            'Somebody changed the address of your account. If it was not you, take it back: all sessions, tokens, linked accounts and the password end.',
          )}
        </p>
      </Form>
    </Gate>
  );
}
