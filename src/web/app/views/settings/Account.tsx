import type { RestAnswer } from '../../../../client/index.ts';
import type { Texts } from '../../state/texts.ts';
import { Button } from '../parts/Button.tsx';
import { Check, Field, NewPassword } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { Icon } from '../parts/Icon.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block, Row } from '../parts/Page.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { AccountExport } from './AccountExport.tsx';
import { ChangeAddress } from './ChangeAddress.tsx';
import { ConfirmAddress } from './ConfirmAddress.tsx';
import { DeleteAccount } from './DeleteAccount.tsx';
import { SecondFactor } from './SecondFactor.tsx';

/** Everything about signing in. */
export function Account() {
  const { t } = useTexts();
  const { account } = useApp();
  return (
    <>
      <ConfirmAddress />
      <ChangeAddress />
      <ChangePassword />
      <SecondFactor />
      <LinkedAccounts />
      <AccountExport />
      <Block title={t('Sign out')} about={t('On this device. Unsent messages are discarded.')}>
        <Button label={t('Sign out')} kind="danger" onClick={() => void account.signOut()} />
      </Block>
      <DeleteAccount />
    </>
  );
}

function ChangePassword() {
  const { t } = useTexts();
  const { client, showToast } = useApp();
  const change = async ({ raw, isChecked }: Fields) => {
    const endTokens = isChecked('endTokens');
    const body = { oldPassword: raw('oldPassword'), newPassword: raw('newPassword'), endTokens };
    const { remaining } = await client.rest('PUT /api/auth/password', { body });
    const { passkeys, ...others } = remaining;
    const isMore = Object.values(others).some((count) => count > 0);
    const said = [
      t('Your password is changed; all other sessions were ended.'),
      isMore && t('Your tokens, linked accounts and webhooks still work.'),
      passkeys > 0 && t('Your passkeys still sign you in.'),
    ];
    showToast(said.filter(Boolean).join(' '));
  };
  return (
    <Form class="block" action={t('Change')} work={change} clear>
      <h2>{t('Password')}</h2>
      <Field
        label={t('Current password')}
        name="oldPassword"
        type="password"
        autocomplete="current-password"
        required
      />
      <NewPassword
        label={t('New password')}
        name="newPassword"
        hint={t('At least 8 characters. Your other devices are signed out.')}
      />
      <Check
        name="endTokens"
        label={t(
          'Someone else may know the old one: also revoke my tokens, my bots’ tokens, linked accounts and webhooks',
        )}
      />
    </Form>
  );
}

/** Opens another service, which redirects back here. */
const link = (app: AppState, provider: string) =>
  app.attempt(async () => {
    const body = { redirect: '/app/settings/account' };
    const { url } = await app.client.rest('POST /api/auth/oauth/:provider/link', { provider, body });
    location.assign(url);
  });

/** Accounts at other services that sign the user in here. */
function LinkedAccounts() {
  const { shortTime, t } = useTexts();
  const app = useApp();
  const { client } = app;
  const { value: list, after } = useLoaded(() => client.rest('GET /api/auth/oauth/accounts'), []);
  const { value: providers } = useLoaded(() => client.rest('GET /api/auth/oauth/providers'), []);
  if (!list || !providers || list.length + providers.length === 0) return null;
  const titleOf = (provider: string) => providers.find((one) => one.provider === provider)?.name ?? provider;
  const missing = providers.filter(({ provider }) => !list.some((account) => account.provider === provider));
  return (
    <Block title={t('Linked accounts')} about={t('Each of them can sign you in without a password.')}>
      <ul class="people">
        {list.map(({ id, provider, providerEmail, createdAt }) => (
          <Row
            key={id}
            name={titleOf(provider)}
            about={`${providerEmail ?? t('No e-mail')} · ${t('since {time}', { time: shortTime(createdAt) })}`}
          >
            <Button
              label={t('Unlink')}
              kind="quiet"
              onClick={() => after(() => client.rest('DELETE /api/auth/oauth/accounts/:accountId', { accountId: id }))}
            />
          </Row>
        ))}
      </ul>
      <div class="inline">
        {missing.map(({ provider, name }) => (
          <Button
            key={provider}
            label={t('Link {name}', { name })}
            kind="quiet"
            onClick={() => void link(app, provider)}
          />
        ))}
      </div>
    </Block>
  );
}

type SessionRecord = RestAnswer<'GET /api/auth/sessions'>[number];

/** The user's sessions. */
export function Devices() {
  const texts = useTexts();
  const { t } = texts;
  const { client } = useApp();
  const { value: list, after } = useLoaded(() => client.rest('GET /api/auth/sessions'), []);
  const others = list?.filter(({ current }) => !current) ?? [];
  const end = (sessions: SessionRecord[]) =>
    after(async () => {
      for (const { id } of sessions) await client.rest('DELETE /api/auth/sessions/:id', { id });
    });
  return (
    <Block title={t('Where you are signed in')} about={t('Ending a session signs that device out at once.')}>
      <ul class="people">
        {list?.map((session) => (
          <Row
            key={session.id}
            picture={<Icon name="device" />}
            name={session.deviceName ?? session.userAgent ?? t('Unknown device')}
            about={aboutSession(texts, session)}
          >
            {session.current ? (
              <span class="tag">{t('This device')}</span>
            ) : (
              <Button label={t('End')} kind="quiet" onClick={() => end([session])} />
            )}
          </Row>
        ))}
      </ul>
      {others.length > 1 && <Button label={t('Sign out all others')} kind="danger" onClick={() => end(others)} />}
    </Block>
  );
}

function aboutSession({ shortTime, t }: Texts, { place, lastSeenAt, createdAt }: SessionRecord): string {
  const since = t('signed in {time}, last used {used}', { time: shortTime(createdAt), used: shortTime(lastSeenAt) });
  return place ? `${t('from {place}', { place })} · ${since}` : since;
}
