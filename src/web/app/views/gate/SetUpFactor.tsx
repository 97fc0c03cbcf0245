import { useEffect } from 'preact/hooks';
import { isUnconfirmed } from '../../state/email.ts';
import { ConfirmIdentity } from '../frame/ConfirmIdentity.tsx';
import { Button } from '../parts/Button.tsx';
import { ChangeAddress } from '../settings/ChangeAddress.tsx';
import { ConfirmAddress } from '../settings/ConfirmAddress.tsx';
import { SecondFactor } from '../settings/SecondFactor.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { Gate } from './Gate.tsx';

/** For those without the second factor that the operator requires: nothing else is possible until they have one. */
export function SetUpFactor() {
  const { t } = useTexts();
  const { account, client, me, setTitle } = useApp();
  useEffect(() => {
    setTitle(t('Set up a second factor'));
    return () => {
      if (me.peek()?.secondFactor !== 'active') return;
      // It was refused until now.
      client.disconnect();
      client.connect();
    };
  }, []);
  return (
    <Gate>
      <p class="note" role="status">
        {t('This server asks everyone for a second factor. Set one up to go on.')}
      </p>
      {isUnconfirmed(me.value) ? (
        <>
          <ConfirmAddress />
          <ChangeAddress />
        </>
      ) : (
        <SecondFactor />
      )}
      <Button label={t('Sign out')} kind="quiet" onClick={() => void account.signOut()} />
      <ConfirmIdentity />
    </Gate>
  );
}
