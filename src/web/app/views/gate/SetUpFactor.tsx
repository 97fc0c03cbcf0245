import { useEffect } from 'preact/hooks';
import { ConfirmIdentity } from '../frame/ConfirmIdentity.tsx';
import { Button } from '../parts/Button.tsx';
import { ChangeAddress } from '../settings/ChangeAddress.tsx';
import { ConfirmAddress } from '../settings/ConfirmAddress.tsx';
import { SecondFactor } from '../settings/SecondFactor.tsx';
import { useApp } from '../useApp.ts';
import { Gate } from './SignIn.tsx';
import { isUnconfirmed } from './VerifyEmail.tsx';

/** For those without the second factor that the operator requires: nothing else is possible until they have one. */
export function SetUpFactor() {
  const { account, client, me, setTitle } = useApp();
  useEffect(() => {
    setTitle('Set up a second factor');
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
        This server asks everyone for a second factor. Set one up to go on.
      </p>
      {isUnconfirmed(me.value) ? (
        <>
          <ConfirmAddress />
          <ChangeAddress />
        </>
      ) : (
        <SecondFactor />
      )}
      <Button label="Sign out" kind="quiet" onClick={() => void account.signOut()} />
      <ConfirmIdentity />
    </Gate>
  );
}
