import { useState } from 'preact/hooks';
import type { RestInput } from '../../../../client/index.ts';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { FactorProof } from '../parts/FactorProof.tsx';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useApp, useTexts } from '../useApp.ts';

/** Asks for the password or a mailed code before something dangerous goes on. */
export function ConfirmIdentity() {
  const { t } = useTexts();
  const { confirmation } = useApp();
  const question = confirmation.question.value;
  if (!question) return null;
  return (
    <Dialog title={t('Confirm that it is you')} onClose={() => question.answer(false)}>
      <p>{t('Confirm that it is you, so that nobody else can do this from your device.')}</p>
      {question.methods.includes('password') && <ByPassword onDone={() => question.answer(true)} />}
      {question.methods.includes('code') && <ByCode onDone={() => question.answer(true)} />}
      <ByFactor methods={question.methods.filter(isFactor)} onDone={() => question.answer(true)} />
      {question.methods.length === 0 && <p class="note">{t('Sign out and in again, then repeat it.')}</p>}
    </Dialog>
  );
}

const isFactor = (method: string) => ['totp', 'passkey', 'recovery'].includes(method);

function ByFactor({ methods, onDone }: { methods: string[]; onDone(): void }) {
  const { t } = useTexts();
  const { client } = useApp();
  if (methods.length === 0) return null;
  const confirm = async (body: RestInput<'POST /api/auth/confirm'>['body']) => {
    await client.rest('POST /api/auth/confirm', { body });
    onDone();
  };
  const options = () => client.rest('POST /api/auth/confirm/passkey');
  return <FactorProof methods={methods} action={t('Confirm')} options={options} work={confirm} />;
}

function ByPassword({ onDone }: { onDone(): void }) {
  const { t } = useTexts();
  const { client } = useApp();
  const confirm = async ({ raw }: Fields) => {
    await client.rest('POST /api/auth/confirm', { body: { password: raw('password') } });
    onDone();
  };
  return (
    <Form action={t('Confirm')} work={confirm}>
      <Field label={t('Password')} name="password" type="password" autocomplete="current-password" required autofocus />
    </Form>
  );
}

function ByCode({ onDone }: { onDone(): void }) {
  const { t } = useTexts();
  const { client, me, attempt } = useApp();
  const [mailed, setMailed] = useState<{ outbox?: true | undefined } | null>(null);
  const email = me.value?.email ?? '';
  const mail = () =>
    attempt(async () => {
      setMailed(await client.rest('POST /api/auth/email/start', { body: { email, deviceToken: client.deviceToken } }));
    });
  const confirm = async ({ text }: Fields) => {
    await client.rest('POST /api/auth/confirm', { body: { code: text('code'), deviceToken: client.deviceToken } });
    onDone();
  };
  if (!mailed) return <Button label={t('Mail a code to {email}', { email })} kind="quiet" onClick={mail} />;
  return (
    <Form action={t('Confirm with the code')} work={confirm}>
      <Field
        label={t('Six-digit code')}
        name="code"
        inputmode="numeric"
        autocomplete="one-time-code"
        hint={
          mailed.outbox
            ? t('This server sends no mail yet: the mail is a file in the folder “outbox” of its data directory.')
            : t('Sent to {email}.', { email })
        }
        required
        autofocus
      />
    </Form>
  );
}
