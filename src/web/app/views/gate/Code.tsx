import { useState } from 'preact/hooks';
import { parley } from '../../state/client.ts';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { arrive } from './arriving.ts';

/** Signing in, or up, with a code that comes by mail. */
export function Code() {
  const [sent, setSent] = useState<{ email: string; minutes: number } | null>(null);
  const start = async ({ text }: Fields) => {
    const email = text('email');
    const { expiresIn } = await parley.rest('POST /api/auth/email/start', { body: { email } });
    setSent({ email, minutes: Math.round(expiresIn / 60) });
  };
  const verify = async ({ text }: Fields) => {
    const body = { email: sent?.email ?? '', code: text('code') };
    arrive(parley.signedInAs(await parley.rest('POST /api/auth/email/verify', { body })));
  };
  return (
    <>
      {sent === null ? (
        <Form key="start" action="Send me a code" work={start} class="gateway">
          <Field label="E-mail" name="email" type="email" autocomplete="email" autofocus required />
        </Form>
      ) : (
        <Form key="verify" action="Sign in" work={verify} class="gateway">
          <p class="note" role="status">
            We sent six digits to {sent.email}. They are valid for {sent.minutes} minutes.
          </p>
          <Field label="Code" name="code" inputmode="numeric" autocomplete="one-time-code" autofocus required />
        </Form>
      )}
      <nav class="links" aria-label="Other ways to sign in">
        <a href="/app/login">Sign in with a password</a>
      </nav>
    </>
  );
}
