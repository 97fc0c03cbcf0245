import { useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { CopyField, Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block, Row } from '../parts/Page.tsx';
import { hasPasskeys, makePasskey } from '../parts/passkeys.ts';
import { QrCode } from '../parts/QrCode.tsx';
import { shortTime } from '../parts/time.ts';
import { useApp } from '../useApp.ts';

type Factors = RestAnswer<'GET /api/auth/second-factor'>;
type Passkey = Factors['passkeys'][number];

interface PartProps {
  factors: Factors;
  /** Loads them again. */
  load(): Promise<void>;
  /** Makes a change and loads again; failures are shown. */
  after(change: () => Promise<unknown>): void;
  /** A factor was added; with the first one there are codes, which are shown once. */
  onAdded(codes: string[] | null): void;
}

/** The second factor of the user. */
export function SecondFactor() {
  const { client, refreshMe, servers } = useApp();
  const { value: factors, load, after } = useLoaded(() => client.rest('GET /api/auth/second-factor'), []);
  const [codes, setCodes] = useState<string[] | null>(null);
  if (!factors) return null;
  // Some servers let only those use their role who have one.
  const refresh = async () => {
    await refreshMe();
    await servers.load().catch(() => {});
  };
  // Only then: where a second factor is required, this page is left with it.
  const done = () => {
    setCodes(null);
    void refresh();
  };
  const part = {
    factors,
    load,
    after: (change: () => Promise<unknown>) => after(() => change().then(refresh)),
    onAdded: (given: string[] | null) => (given ? setCodes(given) : done()),
  };
  return (
    <>
      <AuthenticatorApp {...part} />
      <Passkeys {...part} />
      <RecoveryCodes {...part} />
      {codes && <Codes codes={codes} onClose={done} />}
    </>
  );
}

function AuthenticatorApp({ factors, onAdded, after, load }: PartProps) {
  const { client, attempt } = useApp();
  const [begun, setBegun] = useState<{ secret: string; uri: string } | null>(null);
  const start = () => attempt(async () => setBegun(await client.rest('POST /api/auth/totp')));
  const complete = async ({ text }: Fields) => {
    const { recoveryCodes } = await client.rest('POST /api/auth/totp/complete', { body: { totp: text('totp') } });
    setBegun(null);
    onAdded(recoveryCodes);
    await load();
  };
  const about = factors.totp
    ? `In use since ${shortTime(factors.totp.createdAt)}.`
    : 'An app on your phone shows a code that changes every half a minute. Signing in takes it beside the password.';
  if (begun)
    return (
      <Form
        class="block"
        action="Turn it on"
        work={complete}
        beside={<Button label="Cancel" kind="quiet" onClick={() => setBegun(null)} />}
      >
        <h2>Authenticator app</h2>
        <p class="faint">Scan this with the app, or type the secret into it. Then enter the code that it shows.</p>
        <QrCode label="QR code for the authenticator app" text={begun.uri} />
        <CopyField label="Secret" value={begun.secret} />
        <Field
          label="Code of the app"
          name="totp"
          inputmode="numeric"
          autocomplete="one-time-code"
          autofocus
          required
        />
      </Form>
    );
  return (
    <Block title="Authenticator app" about={about}>
      {factors.totp ? (
        <Button
          label="Remove the app"
          kind="danger"
          onClick={() => after(() => client.rest('DELETE /api/auth/totp'))}
        />
      ) : (
        <Button label="Set up an app" kind="quiet" onClick={() => void start()} />
      )}
    </Block>
  );
}

function Passkeys({ factors, onAdded, after, load }: PartProps) {
  const { client } = useApp();
  const [renaming, setRenaming] = useState<Passkey | null>(null);
  const add = async ({ text }: Fields) => {
    const passkey = await makePasskey(await client.rest('POST /api/auth/passkeys/start'));
    const body = { name: text('name'), passkey };
    const { recoveryCodes } = await client.rest('POST /api/auth/passkeys', { body });
    onAdded(recoveryCodes);
    await load();
  };
  return (
    <>
      <Block
        title="Passkeys"
        about="Your fingerprint, face or a key: it signs you in alone, and completes a sign-in with the password."
      >
        <ul class="people">
          {factors.passkeys.map((passkey) => (
            <Row key={passkey.id} name={passkey.name} about={aboutPasskey(passkey)}>
              <Button label="Rename" kind="quiet" onClick={() => setRenaming(passkey)} />
              <Button
                label="Remove"
                kind="quiet"
                onClick={() => after(() => client.rest('DELETE /api/auth/passkeys/:id', { id: passkey.id }))}
              />
            </Row>
          ))}
        </ul>
        {hasPasskeys() && (
          <Form action="Add a passkey" work={add} clear>
            <Field label="Name of the passkey" name="name" maxlength={64} hint="Where it is, say: my phone." required />
          </Form>
        )}
      </Block>
      {renaming && <Rename passkey={renaming} after={after} onClose={() => setRenaming(null)} />}
    </>
  );
}

function Rename({ passkey, after, onClose }: { passkey: Passkey; after: PartProps['after']; onClose(): void }) {
  const { client } = useApp();
  const rename = async ({ text }: Fields) => {
    const body = { name: text('name') };
    after(() => client.rest('PATCH /api/auth/passkeys/:id', { id: passkey.id, body }));
    onClose();
  };
  return (
    <Dialog title={`Rename ${passkey.name}`} onClose={onClose}>
      <Form action="Rename" work={rename}>
        <Field label="Name" name="name" maxlength={64} value={passkey.name} required autofocus />
      </Form>
    </Dialog>
  );
}

function aboutPasskey({ createdAt, lastUsedAt }: Passkey): string {
  const used = lastUsedAt ? `last used ${shortTime(lastUsedAt)}` : 'not used yet';
  return `added ${shortTime(createdAt)}, ${used}`;
}

function RecoveryCodes({ factors, onAdded, after }: PartProps) {
  const { client } = useApp();
  if (!factors.totp && factors.passkeys.length === 0) return null;
  const renew = () => after(async () => onAdded((await client.rest('POST /api/auth/recovery-codes')).recoveryCodes));
  return (
    <Block
      title="Recovery codes"
      about={`${factors.recoveryCodes} of 10 are left. Each signs you in once, instead of an app or a passkey that is lost.`}
    >
      <Button label="Make new ones" kind="quiet" onClick={renew} />
    </Block>
  );
}

/** Recovery codes, which are shown once. */
function Codes({ codes, onClose }: { codes: string[]; onClose(): void }) {
  const { copy } = useApp();
  return (
    <Dialog title="Your recovery codes" onClose={onClose}>
      <p>Keep them where you find them without this device: each signs you in once. They are not shown again.</p>
      <ul class="codes" aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <footer>
        {/* Only secure pages have a clipboard. */}
        {navigator.clipboard && <Button label="Copy them" kind="quiet" onClick={() => void copy(codes.join('\n'))} />}
        <Button label="I have kept them" onClick={onClose} />
      </footer>
    </Dialog>
  );
}
