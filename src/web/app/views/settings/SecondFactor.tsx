import { useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import type { Texts } from '../../state/texts.ts';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { CopyField, Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block, Row } from '../parts/Page.tsx';
import { hasPasskeys, makePasskey } from '../parts/passkeys.ts';
import { QrCode } from '../parts/QrCode.tsx';
import { useApp, useTexts } from '../useApp.ts';

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
  const { shortTime, t } = useTexts();
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
    ? t('In use since {time}.', { time: shortTime(factors.totp.createdAt) })
    : t(
        'An app on your phone shows a code that changes every 30 seconds. You enter it after your password when you sign in.',
      );
  if (begun)
    return (
      <Form
        class="block"
        action={t('Turn it on')}
        work={complete}
        beside={<Button label={t('Cancel')} kind="quiet" onClick={() => setBegun(null)} />}
      >
        <h2>{t('Authenticator app')}</h2>
        <p class="faint">
          {t('Scan this with the app, or type the secret into it. Then enter the code that it shows.')}
        </p>
        <QrCode label={t('QR code for the authenticator app')} text={begun.uri} />
        <CopyField label={t('Secret')} value={begun.secret} />
        <Field
          label={t('Code from the app')}
          name="totp"
          inputmode="numeric"
          autocomplete="one-time-code"
          autofocus
          required
        />
      </Form>
    );
  return (
    <Block title={t('Authenticator app')} about={about}>
      {factors.totp ? (
        <Button
          label={t('Remove the app')}
          kind="danger"
          onClick={() => after(() => client.rest('DELETE /api/auth/totp'))}
        />
      ) : (
        <Button label={t('Set up an app')} kind="quiet" onClick={() => void start()} />
      )}
    </Block>
  );
}

function Passkeys({ factors, onAdded, after, load }: PartProps) {
  const texts = useTexts();
  const { t } = texts;
  const { client } = useApp();
  const [renaming, setRenaming] = useState<Passkey | null>(null);
  const add = async ({ text }: Fields) => {
    const passkey = await makePasskey(texts, await client.rest('POST /api/auth/passkeys/start'));
    const body = { name: text('name'), passkey };
    const { recoveryCodes } = await client.rest('POST /api/auth/passkeys', { body });
    onAdded(recoveryCodes);
    await load();
  };
  return (
    <>
      <Block
        title={t('Passkeys')}
        about={t('Your fingerprint, face or a key: it signs you in alone, and completes a sign-in with the password.')}
      >
        <ul class="people">
          {factors.passkeys.map((passkey) => (
            <Row key={passkey.id} name={passkey.name} about={aboutPasskey(texts, passkey)}>
              <Button label={t('Rename')} kind="quiet" onClick={() => setRenaming(passkey)} />
              <Button
                label={t('Remove')}
                kind="quiet"
                onClick={() => after(() => client.rest('DELETE /api/auth/passkeys/:id', { id: passkey.id }))}
              />
            </Row>
          ))}
        </ul>
        {hasPasskeys() && (
          <Form action={t('Add a passkey')} work={add} clear>
            <Field
              label={t('Name of the passkey')}
              name="name"
              maxlength={64}
              hint={t('For example: my phone.')}
              required
            />
          </Form>
        )}
      </Block>
      {renaming && <Rename passkey={renaming} after={after} onClose={() => setRenaming(null)} />}
    </>
  );
}

function Rename({ passkey, after, onClose }: { passkey: Passkey; after: PartProps['after']; onClose(): void }) {
  const { t } = useTexts();
  const { client } = useApp();
  const rename = async ({ text }: Fields) => {
    const body = { name: text('name') };
    after(() => client.rest('PATCH /api/auth/passkeys/:id', { id: passkey.id, body }));
    onClose();
  };
  return (
    <Dialog title={t('Rename {name}', { name: passkey.name })} onClose={onClose}>
      <Form action={t('Rename')} work={rename}>
        <Field label={t('Name')} name="name" maxlength={64} value={passkey.name} required autofocus />
      </Form>
    </Dialog>
  );
}

function aboutPasskey({ shortTime, t }: Texts, { createdAt, lastUsedAt }: Passkey): string {
  const time = shortTime(createdAt);
  return lastUsedAt
    ? t('added {time}, last used {used}', { time, used: shortTime(lastUsedAt) })
    : t('added {time}, not used yet', { time });
}

function RecoveryCodes({ factors, onAdded, after }: PartProps) {
  const { t } = useTexts();
  const { client } = useApp();
  if (!factors.totp && factors.passkeys.length === 0) return null;
  const renew = () => after(async () => onAdded((await client.rest('POST /api/auth/recovery-codes')).recoveryCodes));
  return (
    <Block
      title={t('Recovery codes')}
      about={t('{recoveryCodes} of 10 are left. Each signs you in once if you lose your app or passkey.', {
        recoveryCodes: factors.recoveryCodes,
      })}
    >
      <Button label={t('Create new ones')} kind="quiet" onClick={renew} />
    </Block>
  );
}

/** Recovery codes, which are shown once. */
function Codes({ codes, onClose }: { codes: string[]; onClose(): void }) {
  const { t } = useTexts();
  const { copy } = useApp();
  return (
    <Dialog title={t('Your recovery codes')} onClose={onClose}>
      <p>{t('Keep them somewhere safe, away from this device. Each signs you in once. They are not shown again.')}</p>
      <ul class="codes" aria-label={t('Recovery codes')}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <footer>
        {/* Only secure pages have a clipboard. */}
        {navigator.clipboard && (
          <Button label={t('Copy all')} kind="quiet" onClick={() => void copy(codes.join('\n'))} />
        )}
        <Button label={t('I have saved them')} onClick={onClose} />
      </footer>
    </Dialog>
  );
}
