import { useEffect, useState } from 'preact/hooks';
import type { AuthAnswer } from '../../../../client/index.ts';
import { enter, parley, sentence, signedOutReason } from '../../state/client.ts';
import { go, place } from '../../state/router.ts';
import { tell } from '../../state/toasts.ts';
import { Field } from '../parts/Field.tsx';

/** Signing in and up; what was asked for in the address comes after it. */
export function SignIn() {
  const { name } = place.value;
  useEffect(() => {
    // Whoever follows an invitation and creates an account first still wants to get there.
    if (!isGate(name)) sessionStorage.setItem(nextKey, location.pathname);
  }, [name]);
  return (
    <main class="gate">
      <div class="card">
        <h1 class="brand">Parley</h1>
        {signedOutReason.value && (
          <p class="note bad" role="alert">
            {signedOutReason.value}
          </p>
        )}
        {name === 'register' ? (
          <Register />
        ) : name === 'code' ? (
          <Code />
        ) : name === 'forgot' ? (
          <Forgot />
        ) : (
          <Password />
        )}
      </div>
    </main>
  );
}

const nextKey = 'parley:next';
const isGate = (name: string): boolean =>
  ['home', 'login', 'register', 'code', 'forgot', 'oauth-callback'].includes(name);

function arrive(answer: AuthAnswer): void {
  enter(answer);
  const next = sessionStorage.getItem(nextKey);
  sessionStorage.removeItem(nextKey);
  if (isGate(place.peek().name)) go(next ?? '/app', { replace: true });
}

/** A form that says what went wrong, and cannot be sent twice at once. */
function useSubmit(work: (data: (name: string) => string) => Promise<void>) {
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const form = new FormData(event.currentTarget);
    setBusy(true);
    setError(null);
    try {
      await work((name) => String(form.get(name) ?? '').trim());
    } catch (reason) {
      setError(sentence(reason));
    } finally {
      setBusy(false);
    }
  };
  return { error, busy, submit };
}

function Problem({ text }: { text: string | null }) {
  return (
    <p class="note bad" role="alert" hidden={text === null}>
      {text}
    </p>
  );
}

/** Why a sign-in with another service failed. */
const failures: Record<string, string> = {
  general: 'Signing in with the other service did not work. Nothing was changed; try again.',
  linked_elsewhere: 'That account signs in somebody else here already. Unlink it there first.',
  denied: 'You did not allow it over there. Try again if that was not meant.',
};

function Password() {
  const query = new URLSearchParams(location.search);
  const failed = query.has('error') ? (failures[query.get('reason') ?? ''] ?? failures.general) : null;
  const { error, busy, submit } = useSubmit(async (data) => {
    arrive(await parley.signIn({ email: data('email'), password: data('password') }));
  });
  return (
    <form onSubmit={submit}>
      <Problem text={error ?? failed ?? null} />
      <Field label="E-mail or username" name="email" autocomplete="username" autofocus required />
      <Field label="Password" name="password" type="password" autocomplete="current-password" required />
      <button class="button wide" type="submit" disabled={busy}>
        Sign in
      </button>
      <nav class="links">
        <a href="/app/code">Sign in with a code by e-mail</a>
        <a href="/app/forgot">Forgot the password?</a>
        <a href="/app/register">Create an account</a>
      </nav>
    </form>
  );
}

function Register() {
  const { error, busy, submit } = useSubmit(async (data) => {
    const inviteCode = data('inviteCode') || undefined;
    const username = data('username') || undefined;
    arrive(await parley.signUp({ email: data('email'), password: data('password'), username, inviteCode }));
  });
  return (
    <form onSubmit={submit}>
      <Problem text={error} />
      <Field label="E-mail" name="email" type="email" autocomplete="email" autofocus required />
      <Field
        label="Username"
        name="username"
        autocomplete="username"
        minlength={3}
        maxlength={32}
        hint="May be left out."
      />
      <Field
        label="Password"
        name="password"
        type="password"
        autocomplete="new-password"
        minlength={8}
        maxlength={128}
        hint="8 characters or more."
        required
      />
      <Field
        label="Invite code"
        name="inviteCode"
        autocomplete="off"
        hint="If you have one; you can redeem it later."
      />
      <button class="button wide" type="submit" disabled={busy}>
        Create account
      </button>
      <nav class="links">
        <a href="/app/login">I have an account</a>
      </nav>
    </form>
  );
}

function Code() {
  const [email, setEmail] = useState<string | null>(null);
  const { error, busy, submit } = useSubmit(async (data) => {
    if (email === null) {
      await parley.rest('POST /api/auth/email/start', { body: { email: data('email') } });
      setEmail(data('email'));
    } else {
      arrive(await parley.rest('POST /api/auth/email/verify', { body: { email, code: data('code') } }).then(signedIn));
    }
  });
  return (
    <form onSubmit={submit}>
      <Problem text={error} />
      {email === null ? (
        <Field key="email" label="E-mail" name="email" type="email" autocomplete="email" autofocus required />
      ) : (
        <>
          <p class="note">We sent six digits to {email}. They are valid for ten minutes.</p>
          <Field
            key="code"
            label="Code"
            name="code"
            inputmode="numeric"
            autocomplete="one-time-code"
            autofocus
            required
          />
        </>
      )}
      <button class="button wide" type="submit" disabled={busy}>
        {email === null ? 'Send me a code' : 'Sign in'}
      </button>
      <nav class="links">
        <a href="/app/login">Sign in with a password</a>
      </nav>
    </form>
  );
}

const signedIn = (answer: AuthAnswer): AuthAnswer => parley.signedInAs(answer);

function Forgot() {
  const [sent, setSent] = useState(false);
  const { error, busy, submit } = useSubmit(async (data) => {
    await parley.rest('POST /api/auth/password-reset/start', { body: { email: data('email') } });
    setSent(true);
  });
  return (
    <form onSubmit={submit}>
      <Problem text={error} />
      {sent ? (
        <p class="note" role="status">
          If there is an account with this address, a link to set a new password is on its way. It is valid for half an
          hour.
        </p>
      ) : (
        <>
          <Field label="E-mail" name="email" type="email" autocomplete="email" autofocus required />
          <button class="button wide" type="submit" disabled={busy}>
            Send me a link
          </button>
        </>
      )}
      <nav class="links">
        <a href="/app/login">Back</a>
      </nav>
    </form>
  );
}

/** Where a sign-in with another service ends: the tokens are in the fragment, which servers never see. */
export function OAuthCallback() {
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    const given = new URLSearchParams(location.hash.slice(1));
    const accessToken = given.get('access_token');
    const refreshToken = given.get('refresh_token');
    history.replaceState(null, '', location.pathname);
    const redirect = given.get('redirect') ?? '';
    if (given.has('linked')) {
      tell('The account is linked. From now on you can sign in with it, too.');
      return go('/app/settings', { replace: true });
    }
    if (!accessToken || !refreshToken) return setError('This page ends a sign-in with another service.');
    void parley
      .adopt({ accessToken, refreshToken })
      .then((answer) => {
        enter(answer);
        go(redirect.startsWith('/app/') ? redirect : '/app', { replace: true });
      })
      .catch((reason) => setError(sentence(reason)));
  }, []);
  return (
    <main class="gate">
      <div class="card">
        <h1 class="brand">Parley</h1>
        <p class="note" role="status">
          {error ?? 'Signing you in…'}
        </p>
        {error && <a href="/app/login">Sign in</a>}
      </div>
    </main>
  );
}
