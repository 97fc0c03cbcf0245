import { useState } from 'preact/hooks';
import type { RestAnswer, RestInput } from '../../../../client/index.ts';
import { errorText } from '../../state/toasts.ts';
import { useTexts } from '../useApp.ts';
import { Button } from './Button.tsx';
import { Field } from './Field.tsx';
import { type Fields, Form, Problem } from './Form.tsx';
import { askPasskey, hasPasskeys } from './passkeys.ts';

type Proof = Omit<RestInput<'POST /api/auth/second-factor/sign-in'>['body'], 'ticket'>;

interface FactorProofProps {
  /** Those of the account: `totp`, `passkey`, `recovery`. */
  methods: readonly string[];
  /** The label of what it does. */
  action: string;
  /** Asks the server what a passkey has to sign. */
  options(): Promise<RestAnswer<'POST /api/auth/passkeys/sign-in/start'>>;
  work(proof: Proof): Promise<unknown>;
}

/** Asks for a second factor: what is at hand first, a recovery code if that is lost. */
export function FactorProof({ methods, action, options, work }: FactorProofProps) {
  const { t } = useTexts();
  const [isLost, setLost] = useState(false);
  const usable = methods.filter((method) => method !== 'passkey' || hasPasskeys());
  const hasOther = usable.some((method) => method !== 'recovery');
  if (isLost || !hasOther)
    return (
      <div class="proofs">
        <ByRecovery action={action} work={work} />
        {hasOther && <Button label={t('Use another way')} kind="quiet" onClick={() => setLost(false)} />}
      </div>
    );
  return (
    <div class="proofs">
      {usable.includes('passkey') && <ByPasskey options={options} work={work} />}
      {usable.includes('totp') && <ByApp action={action} work={work} />}
      {usable.includes('recovery') && (
        <Button label={t('Use a recovery code')} kind="quiet" onClick={() => setLost(true)} />
      )}
    </div>
  );
}

function ByPasskey({ options, work }: Pick<FactorProofProps, 'options' | 'work'>) {
  const texts = useTexts();
  const { t } = texts;
  const [error, setError] = useState<string | null>(null);
  const use = async () => {
    setError(null);
    try {
      await work({ passkey: await askPasskey(texts, await options()) });
    } catch (reason) {
      setError(errorText(reason, texts));
    }
  };
  return (
    <div class="form">
      <Problem text={error} />
      <Button label={t('Use a passkey')} onClick={() => void use()} />
    </div>
  );
}

function ByApp({ action, work }: Pick<FactorProofProps, 'action' | 'work'>) {
  const { t } = useTexts();
  return (
    <Form action={action} work={({ text }: Fields) => work({ totp: text('totp') })} class="gateway">
      <Field
        label={t('Code from your authenticator app')}
        name="totp"
        inputmode="numeric"
        autocomplete="one-time-code"
        autofocus
        required
      />
    </Form>
  );
}

function ByRecovery({ action, work }: Pick<FactorProofProps, 'action' | 'work'>) {
  const { t } = useTexts();
  return (
    <Form action={action} work={({ text }: Fields) => work({ recoveryCode: text('recoveryCode') })} class="gateway">
      <Field
        label={t('Recovery code')}
        name="recoveryCode"
        maxlength={64}
        hint={t('It works once.')}
        autofocus
        required
      />
    </Form>
  );
}
