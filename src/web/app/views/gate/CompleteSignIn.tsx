import type { AuthAnswer } from '../../../../client/index.ts';
import type { Unfinished } from '../../state/account.ts';
import { FactorProof } from '../parts/FactorProof.tsx';
import { usePage, useTexts } from '../useApp.ts';

/** A sign-in that a second factor completes. */
export function CompleteSignIn({ signIn, onDone }: { signIn: Unfinished; onDone(answer: AuthAnswer): void }) {
  const { t } = useTexts();
  const { account } = usePage();
  const { ticket, methods } = signIn;
  return (
    <>
      <p class="note" role="status">
        {t('One more step: confirm that it is you.')}
      </p>
      <FactorProof
        methods={methods}
        action={t('Sign in')}
        options={() => account.newClient().rest('POST /api/auth/second-factor/passkey', { body: { ticket } })}
        work={async (proof) => onDone(await account.newClient().completeSignIn({ ticket, ...proof }))}
      />
      <nav class="links" aria-label={t('Other options')}>
        <a href="/app/login" onClick={() => account.startOver()}>
          {t('Start over')}
        </a>
      </nav>
    </>
  );
}
