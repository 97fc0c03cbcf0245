import { useState } from 'preact/hooks';
import { Button } from '../parts/Button.tsx';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useApp, useTexts } from '../useApp.ts';

/** Another address: first a code goes there. */
export function ChangeAddress() {
  const { t } = useTexts();
  const { client, me, refreshMe, showToast } = useApp();
  const [waiting, setWaiting] = useState<{ email: string; outbox: boolean } | null>(null);
  const start = async ({ text }: Fields) => {
    const email = text('email');
    const { outbox = false } = await client.rest('POST /api/auth/email-change/start', { body: { email } });
    setWaiting({ email, outbox });
  };
  const complete = async ({ text }: Fields) => {
    const { email } = await client.rest('POST /api/auth/email-change/complete', { body: { code: text('code') } });
    setWaiting(null);
    await refreshMe();
    showToast(t('Your address is {email} now. The old one got a link that undoes it.', { email }));
  };
  if (waiting !== null) {
    const back = <Button label={t('Another address')} kind="quiet" onClick={() => setWaiting(null)} />;
    return (
      <Form key="code" class="block" action={t('Change the address')} work={complete} beside={back}>
        <h2>{t('Change the e-mail address')}</h2>
        <p class="faint">
          {waiting.outbox
            ? t('This server sends no mail yet: the mail is a file in the folder “outbox” of its data directory.')
            : t('A code was mailed to {waiting}.', { waiting: waiting.email })}
        </p>
        <Field label={t('Code from the mail')} name="code" inputmode="numeric" autocomplete="one-time-code" required />
      </Form>
    );
  }
  return (
    <Form key="address" class="block" action={t('Mail a code')} work={start} clear>
      <h2>{t('Change the e-mail address')}</h2>
      <p class="faint">
        {me.value?.email ? t('It is {email}.', { email: me.value.email }) : t('You have no e-mail address.')}
      </p>
      <Field label={t('New address')} name="email" type="email" autocomplete="email" maxlength={254} required />
    </Form>
  );
}
