import { isUnconfirmed } from '../../state/email.ts';
import { sendAgain } from '../frame/Sidebar.tsx';
import { Button } from '../parts/Button.tsx';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useApp, useTexts } from '../useApp.ts';

/** Shown until the user has confirmed their e-mail address. */
export function ConfirmAddress() {
  const texts = useTexts();
  const { t } = texts;
  const app = useApp();
  const { client, setMe, showToast, me } = app;
  if (!isUnconfirmed(app.me.value)) return null;
  const prove = async ({ text }: Fields) => {
    const body = { code: text('code') };
    await client.rest('POST /api/auth/email-verification/complete', { body });
    setMe(await client.rest('GET /api/auth/me'));
    showToast(t('Your e-mail address is confirmed.'));
  };
  const again = <Button label={t('Send again')} kind="quiet" onClick={() => void sendAgain(texts, app)} />;
  return (
    <Form class="block" action={t('Confirm')} work={prove} beside={again}>
      <h2>{t('E-mail address')}</h2>
      <p class="faint">
        {t(
          'A code was mailed to {email}. Until you enter it, whoever can read mail there may take over this account.',
          { email: me.value?.email },
        )}
      </p>
      <Field label={t('Code')} name="code" inputmode="numeric" autocomplete="one-time-code" required />
    </Form>
  );
}
