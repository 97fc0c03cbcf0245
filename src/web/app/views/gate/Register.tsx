import { useState } from 'preact/hooks';
import { parley } from '../../state/client.ts';
import { Field, NewPassword } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { arrive, invitation } from './arriving.ts';
import { Providers } from './Providers.tsx';

export function Register() {
  const [inviteCode, setInviteCode] = useState('');
  const create = async ({ text, raw }: Fields) => {
    const more = { username: text('username') || undefined, inviteCode: text('inviteCode') || undefined };
    arrive(await parley.signUp({ email: text('email'), password: raw('password'), ...more }));
  };
  return (
    <>
      <Form action="Create account" work={create} class="gateway">
        <Field label="E-mail" name="email" type="email" autocomplete="email" autofocus required />
        <Field
          label="Username"
          name="username"
          autocomplete="username"
          minlength={3}
          maxlength={32}
          hint="May be left out."
        />
        <NewPassword label="Password" name="password" hint="8 characters or more." />
        {/* Who follows an invitation to a server would take its code for one of these. */}
        {!invitation() && (
          <Field
            label="Invite code"
            name="inviteCode"
            hint="If you have one; you can redeem it later."
            onInput={setInviteCode}
          />
        )}
      </Form>
      <Providers inviteCode={inviteCode.trim()} />
      <nav class="links" aria-label="Other ways to sign in">
        <a href="/app/login">I have an account</a>
      </nav>
    </>
  );
}
