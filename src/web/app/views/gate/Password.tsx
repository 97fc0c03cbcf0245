import { parley } from '../../state/client.ts';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form, Problem } from '../parts/Form.tsx';
import { arrive } from './arriving.ts';
import { Providers } from './Providers.tsx';

const general = 'Signing in with the other service did not work. Nothing was changed; try again.';
/** Why a sign-in with another service failed. */
const failures: Record<string, string> = {
  linked_elsewhere: 'That account signs in somebody else here already. Unlink it there first.',
  suspended: 'This account is suspended. Ask the operator of this server.',
  unverified: 'The other service has not verified your e-mail address, which is needed here.',
  denied: 'You did not allow it over there. Try again if that was not meant.',
};

export function Password() {
  const query = new URLSearchParams(location.search);
  const failed = query.has('error') ? (failures[query.get('reason') ?? ''] ?? general) : null;
  const signIn = async ({ text, raw }: Fields) =>
    arrive(await parley.signIn({ email: text('email'), password: raw('password') }));
  return (
    <>
      <Problem text={failed} />
      <Form action="Sign in" work={signIn} class="gateway">
        <Field label="E-mail or username" name="email" autocomplete="username" autofocus required />
        <Field label="Password" name="password" type="password" autocomplete="current-password" required />
      </Form>
      <Providers />
      <nav class="links" aria-label="Other ways to sign in">
        <a href="/app/register">Create an account</a>
        <a href="/app/code">Sign in with a code by e-mail</a>
        <a href="/app/forgot">Forgot the password?</a>
      </nav>
    </>
  );
}
