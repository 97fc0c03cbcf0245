import { useEffect, useState } from 'preact/hooks';
import { me, parley, resume } from '../../state/client.ts';
import { entitle } from '../../state/title.ts';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { Gate } from './SignIn.tsx';

/** Where the mailed link leads. Programs that look at links in mails open it too, so nothing happens before a click. */
export function VerifyEmail() {
  const [token] = useState(() => new URLSearchParams(location.search).get('token') ?? '');
  const [outcome, setOutcome] = useState<string | null>(null);
  useEffect(() => {
    entitle('Confirm your e-mail address');
    // The link is a secret: it is not to stay in the address, nor in the history.
    history.replaceState(null, '', location.pathname);
  }, []);
  const confirm = async (password?: string) => {
    const body = { token, password };
    const { takenOver } = await parley.rest('POST /api/auth/email-verification/complete', { body });
    setOutcome(takenOver ? claimed : 'Your e-mail address is confirmed.');
    await resume();
  };
  if (outcome !== null || token === '') return <Outcome text={outcome ?? incomplete} />;
  return <Gate>{isUnproven() ? <Own confirm={confirm} /> : <Stranger confirm={confirm} />}</Gate>;
}

const incomplete = 'This link is not complete. Open it once more from your mail, or have another one sent.';
const claimed =
  'The account is yours alone now: what let its maker in has ended. Sign in with a code by e-mail, or set a new password.';

/** Whether the address of whoever is signed in is still to be proven. */
export const isUnproven = (): boolean => me.value?.emailVerifiedAt === null && me.value.email !== null;

function Outcome({ text }: { text: string }) {
  return (
    <Gate>
      <p class="note" role="status">
        {text}
      </p>
      <nav class="links" aria-label="Go on">
        <a href="/app">To Parley</a>
        {!me.value && <a href="/app/code">Sign in with a code by e-mail</a>}
        {!me.value && <a href="/app/forgot">Set a new password</a>}
      </nav>
    </Gate>
  );
}

interface ConfirmProps {
  confirm(password?: string): Promise<void>;
}

function Own({ confirm }: ConfirmProps) {
  return (
    <Form action="Confirm" work={() => confirm()} class="gateway">
      <p class="note">Confirm that {me.value?.email} is your e-mail address.</p>
    </Form>
  );
}

/** Whoever made the account can show that by its password; for anyone else confirming means taking it over. */
function Stranger({ confirm }: ConfirmProps) {
  const withPassword = ({ raw }: Fields) => confirm(raw('password'));
  return (
    <>
      <Form action="Confirm" work={withPassword} class="gateway">
        <p class="note">
          You made the account yourself? Then confirm your e-mail address with its password, or open the link where you
          are signed in to it.
        </p>
        <Field label="Password" name="password" type="password" autocomplete="current-password" required />
      </Form>
      <Form action="Take over the account" work={() => confirm()} class="gateway grave">
        <p class="note">
          Somebody else made it with your address? Then take it over: its password, sessions, tokens and linked accounts
          end.
        </p>
      </Form>
    </>
  );
}
