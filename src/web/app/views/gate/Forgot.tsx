import { useState } from 'preact/hooks';
import { parley } from '../../state/client.ts';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';

export function Forgot() {
  const [sent, setSent] = useState(false);
  const send = async ({ text }: Fields) => {
    await parley.rest('POST /api/auth/password-reset/start', { body: { email: text('email') } });
    setSent(true);
  };
  return (
    <>
      {sent ? (
        <p class="note" role="status">
          If there is an account with this address, a link to set a new password is on its way. It is valid for half an
          hour.
        </p>
      ) : (
        <Form action="Send me a link" work={send} class="gateway">
          <Field label="E-mail" name="email" type="email" autocomplete="email" autofocus required />
        </Form>
      )}
      <nav class="links" aria-label="Other ways to sign in">
        <a href="/app/login">Back</a>
      </nav>
    </>
  );
}
