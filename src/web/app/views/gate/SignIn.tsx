import { useEffect, useState } from 'preact/hooks';
import { ParleyError, type RestAnswer, type ServerRecord } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import { Button } from '../parts/Button.tsx';
import { Field, NewPassword } from '../parts/Field.tsx';
import { type Fields, Form, Problem } from '../parts/Form.tsx';
import { askPasskey, hasPasskeys } from '../parts/passkeys.ts';
import { usePage, useTexts } from '../useApp.ts';
import { CompleteSignIn } from './CompleteSignIn.tsx';
import { Gate } from './Gate.tsx';

/** Signing in and up. The page at the address is shown afterwards. */
export function SignIn() {
  const { t } = useTexts();
  const { route, account, setTitle } = usePage();
  const { name: asked } = route.value;
  // Most invited people have no account yet; users who were signed out have one.
  const name = asked === 'invite' && !account.signedOutReason.value ? 'register' : asked;
  useEffect(() => {
    account.rememberNext();
    setTitle(name === 'register' ? t('Create an account') : t('Sign in'));
  }, [name]);
  return (
    <Gate>
      {account.signedOutReason.value && (
        <p class="note problem" role="alert">
          {account.signedOutReason.value}
        </p>
      )}
      <InvitationNote />
      {account.unfinished.value ? (
        <CompleteSignIn signIn={account.unfinished.value} onDone={(answer) => account.signedIn(answer)} />
      ) : (
        <Way name={name} />
      )}
    </Gate>
  );
}

function Way({ name }: { name: string }) {
  if (name === 'register') return <Register />;
  if (name === 'code') return <Code />;
  if (name === 'forgot') return <Forgot />;
  return <Password />;
}

/** Names the server of an invitation, for those who have to sign in first. */
export function InvitationNote() {
  const { rich, t } = useTexts();
  const { account } = usePage();
  const [server, setServer] = useState<ServerRecord | null>(null);
  const [isVoid, setIsVoid] = useState(false);
  const code = account.invitation;
  useEffect(() => {
    setServer(null);
    setIsVoid(false);
    if (!code) return;
    account.client
      .rest('GET /api/servers/invite/:code', { code })
      .then(setServer, (error) => setIsVoid(error instanceof ParleyError && error.status === 404));
  }, [code]);
  // Shown before someone creates an account for it.
  if (isVoid) {
    return (
      <p class="note problem" role="status">
        {t('This invitation is no longer valid. Ask for a new one.')}
      </p>
    );
  }
  if (!server) return null;
  return (
    <p class="note" role="status">
      {rich('You are invited to {name}. Create an account to join it, or sign in to yours.', {
        name: <strong>{server.name}</strong>,
      })}
    </p>
  );
}

const general: Message = 'Signing in with the other service did not work. Nothing was changed; try again.';
/** Why a sign-in with another service failed. */
const failures: Record<string, Message> = {
  linked_elsewhere: 'That account signs in somebody else here already. Unlink it there first.',
  suspended: 'This account is suspended. Ask the operator of this server.',
  unverified: 'The other service has not verified your e-mail address, which is needed here.',
  email_taken: 'Your mailbox has an account here under another spelling of its address. Sign in to that one.',
  denied: 'Access was not allowed there. Try again if that was a mistake.',
};

export function Password() {
  const { t } = useTexts();
  const { account } = usePage();
  const query = new URLSearchParams(location.search);
  const failed = query.has('error') ? t(failures[query.get('reason') ?? ''] ?? general) : null;
  const signIn = ({ text, raw }: Fields) =>
    account.signIn((client) => client.signIn({ email: text('email'), password: raw('password') }));
  return (
    <>
      <Problem text={failed} />
      <Form action={t('Sign in')} work={signIn} class="gateway">
        <Field label={t('E-mail or username')} name="email" autocomplete="username" autofocus required />
        <Field label={t('Password')} name="password" type="password" autocomplete="current-password" required />
      </Form>
      <Providers />
      <ByPasskey />
      <nav class="links" aria-label={t('Other ways to sign in')}>
        <a href="/app/register">{t('Create an account')}</a>
        <a href="/app/code">{t('Sign in with a code by e-mail')}</a>
        <a href="/app/forgot">{t('Forgot the password?')}</a>
      </nav>
    </>
  );
}

/** A passkey needs no name: the browser shows those of this site. */
function ByPasskey() {
  const texts = useTexts();
  const { t } = texts;
  const { account, attempt } = usePage();
  if (!hasPasskeys()) return null;
  const signIn = () =>
    account.signIn(async (client) => {
      const passkey = await askPasskey(texts, await client.rest('POST /api/auth/passkeys/sign-in/start'));
      return client.rest('POST /api/auth/passkeys/sign-in', { body: { passkey } });
    });
  return (
    <div class="providers">
      <Button label={t('Sign in with a passkey')} kind="quiet" onClick={() => void attempt(signIn)} />
    </div>
  );
}

type Provider = RestAnswer<'GET /api/auth/oauth/providers'>[number];

/** Other services to sign in with. They are optional, so a failed request is ignored. */
export function Providers({ inviteCode = '' }: { inviteCode?: string }) {
  const { t } = useTexts();
  const { account } = usePage();
  const [list, setList] = useState<Provider[]>([]);
  useEffect(() => {
    account.client.rest('GET /api/auth/oauth/providers').then(setList, () => {});
  }, []);
  if (list.length === 0) return null;
  const search = inviteCode ? `?${new URLSearchParams({ inviteCode })}` : '';
  return (
    <>
      <p class="or">{t('or')}</p>
      <ul class="providers" aria-label={t('Sign in with another service')}>
        {list.map(({ provider, name }) => (
          <li key={provider}>
            <a
              class="button quiet wide"
              href={`/api/auth/oauth/${encodeURIComponent(provider)}${search}`}
              onClick={() => account.providerSignInStarted()}
            >
              {t('Continue with {name}', { name })}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

export function Register() {
  const { t } = useTexts();
  const { account } = usePage();
  const [inviteCode, setInviteCode] = useState('');
  const create = async ({ text, raw }: Fields) => {
    const more = { username: text('username') || undefined, inviteCode: text('inviteCode') || undefined };
    account.signedIn(await account.client.signUp({ email: text('email'), password: raw('password'), ...more }));
  };
  return (
    <>
      <Form action={t('Create account')} work={create} class="gateway">
        <Field
          label={t('E-mail')}
          name="email"
          type="email"
          autocomplete="email"
          autofocus
          required
          hint={t('We send a mail there to confirm the address, or to say that it already has an account.')}
        />
        <Field
          label={t('Username')}
          name="username"
          autocomplete="username"
          minlength={3}
          maxlength={32}
          hint={t('Optional; letters and digits of one script.')}
        />
        <NewPassword label={t('Password')} name="password" hint={t('At least 8 characters.')} />
        {/* Someone with an invitation to a server would mistake its code for one of these. */}
        {!account.invitation && (
          <Field
            label={t('Invite code')}
            name="inviteCode"
            hint={t('Optional; you can also redeem it later.')}
            onInput={setInviteCode}
          />
        )}
      </Form>
      <Providers inviteCode={inviteCode.trim()} />
      <nav class="links" aria-label={t('Other ways to sign in')}>
        <a href="/app/login">{t('I already have an account')}</a>
      </nav>
    </>
  );
}

/** Signing in or up with a code that is mailed. */
export function Code() {
  const { t } = useTexts();
  const { account } = usePage();
  const [sent, setSent] = useState<{ said: { email: string; minutes: number }; outbox: boolean } | null>(null);
  const start = async ({ text }: Fields) => {
    const email = text('email');
    const { deviceToken } = account.client;
    const { expiresIn, outbox = false } = await account.client.rest('POST /api/auth/email/start', {
      body: { email, deviceToken },
    });
    setSent({ said: { email, minutes: Math.round(expiresIn / 60) }, outbox });
  };
  const verify = async ({ text }: Fields) => {
    const { deviceToken } = account.client;
    const body = { email: sent?.said.email ?? '', code: text('code'), deviceToken };
    await account.signIn((client) => client.rest('POST /api/auth/email/verify', { body }));
  };
  return (
    <>
      {sent === null ? (
        <Form key="start" action={t('Send me a code')} work={start} class="gateway">
          <Field label={t('E-mail')} name="email" type="email" autocomplete="email" autofocus required />
        </Form>
      ) : (
        <Form key="verify" action={t('Sign in')} work={verify} class="gateway">
          <p class="note" role="status">
            {sent.outbox
              ? t(
                  'This server sends no mail yet. The six-digit code for {email} is in a file in the folder “outbox” of its data directory. It is valid for {minutes} minutes.',
                  sent.said,
                )
              : t('We sent a six-digit code to {email}. It is valid for {minutes} minutes.', sent.said)}
          </p>
          <Field label={t('Code')} name="code" inputmode="numeric" autocomplete="one-time-code" autofocus required />
        </Form>
      )}
      <nav class="links" aria-label={t('Other ways to sign in')}>
        <a href="/app/login">{t('Sign in with a password')}</a>
      </nav>
    </>
  );
}

export function Forgot() {
  const { t } = useTexts();
  const { account } = usePage();
  const [sent, setSent] = useState<{ outbox: boolean } | null>(null);
  const send = async ({ text }: Fields) => {
    const { deviceToken } = account.client;
    const body = { email: text('email'), deviceToken };
    const { outbox = false } = await account.client.rest('POST /api/auth/password-reset/start', { body });
    setSent({ outbox });
  };
  return (
    <>
      {sent ? (
        <p class="note" role="status">
          {sent.outbox
            ? t(
                'This server sends no mail yet. If there is an account with this address, a link to set a new password is in a file in the folder “outbox” of its data directory. It is valid for half an hour.',
              )
            : t(
                'If there is an account with this address, a link to set a new password is on its way. It is valid for half an hour.',
              )}
        </p>
      ) : (
        <Form action={t('Send me a link')} work={send} class="gateway">
          <Field label={t('E-mail')} name="email" type="email" autocomplete="email" autofocus required />
        </Form>
      )}
      <nav class="links" aria-label={t('Other ways to sign in')}>
        <a href="/app/login">{t('Back')}</a>
      </nav>
    </>
  );
}
