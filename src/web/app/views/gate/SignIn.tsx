import { useEffect } from 'preact/hooks';
import { signedOutReason } from '../../state/client.ts';
import { place } from '../../state/router.ts';
import { entitle } from '../../state/title.ts';
import { rememberNext } from './arriving.ts';
import { Code } from './Code.tsx';
import { Forgot } from './Forgot.tsx';
import { Gate } from './Gate.tsx';
import { Invited } from './Invited.tsx';
import { Password } from './Password.tsx';
import { Register } from './Register.tsx';

/** Signing in and up; what was asked for in the address comes after it. */
export function SignIn() {
  const { name: asked } = place.value;
  // Most who are invited have no account yet; those who were signed out have one.
  const name = asked === 'invite' && !signedOutReason.value ? 'register' : asked;
  useEffect(() => {
    rememberNext();
    entitle(name === 'register' ? 'Create an account' : 'Sign in');
  }, [name]);
  return (
    <Gate>
      {signedOutReason.value && (
        <p class="note problem" role="alert">
          {signedOutReason.value}
        </p>
      )}
      <Invited />
      <Way name={name} />
    </Gate>
  );
}

function Way({ name }: { name: string }) {
  if (name === 'register') return <Register />;
  if (name === 'code') return <Code />;
  if (name === 'forgot') return <Forgot />;
  return <Password />;
}
