import { useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import type { Texts } from '../../state/texts.ts';
import { Button } from '../parts/Button.tsx';
import { Check, Field, Secret, TextArea } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block, Row } from '../parts/Page.tsx';
import { mayOf } from '../parts/scopes.ts';
import { useApp, useTexts } from '../useApp.ts';

type Allowed = RestAnswer<'GET /api/oauth/allowed'>[number];

/** What the user has allowed apps of others, to take it back. */
export function AllowedApps() {
  const texts = useTexts();
  const { t } = texts;
  const { client } = useApp();
  const { value: list, after } = useLoaded(() => client.rest('GET /api/oauth/allowed'), []);
  return (
    <Block title={t('Apps with access to your account')}>
      {list?.length === 0 && <p class="faint">{t('No app has access to your account.')}</p>}
      <ul class="people">
        {list?.map((one) => (
          <Row key={one.id} name={one.app.name} about={aboutAllowed(texts, one)}>
            <Button
              label={t('Revoke')}
              kind="quiet"
              onClick={() => after(() => client.rest('DELETE /api/oauth/allowed/:id', { id: one.id }))}
            />
          </Row>
        ))}
      </ul>
    </Block>
  );
}

function aboutAllowed(texts: Texts, { scopes, lastUsedAt }: Allowed): string {
  const { listed, shortTime, t } = texts;
  const used = lastUsedAt ? t('used {time}', { time: shortTime(lastUsedAt) }) : t('never used');
  return `${listed(scopes.map((scope) => mayOf(texts, scope)))} · ${used}`;
}

/** The apps that the user registered, for those who may. */
export function OwnApps() {
  const { can } = useApp();
  return can('oauth_app:create') ? <Registered /> : null;
}

function Registered() {
  const { t } = useTexts();
  const { client } = useApp();
  const { value: list, load, after } = useLoaded(() => client.rest('GET /api/oauth/apps'), []);
  const [secret, setSecret] = useState<string | null>(null);
  const create = async ({ text, isChecked }: Fields) => {
    const redirectUris = text('redirectUris').split(/\s+/);
    const body = { name: text('name'), redirectUris, confidential: isChecked('confidential') };
    const { clientSecret } = await client.rest('POST /api/oauth/apps', { body });
    setSecret(clientSecret);
    await load();
  };
  return (
    <Form class="block" action={t('Register the app')} work={create} clear>
      <h2>{t('Apps you develop')}</h2>
      <p class="faint">
        {t('Programs that others can allow to act for them, or that let people sign in with their account here.')}
      </p>
      <ul class="people">
        {list?.map((app) => (
          <Row key={app.id} name={app.name} about={app.clientId}>
            <Button
              label={t('Delete')}
              kind="quiet"
              onClick={() => after(() => client.rest('DELETE /api/oauth/apps/:appId', { appId: app.id }))}
            />
          </Row>
        ))}
      </ul>
      <Secret title={t('The secret of your app')} secret={secret} />
      <Field label={t('Name of the app')} name="name" maxlength={100} required />
      <TextArea
        label={t('Redirect addresses')}
        name="redirectUris"
        hint={t('Where browsers are sent after signing in, one per line.')}
        required
      />
      <Check label={t('It runs on a server and can keep a secret')} name="confidential" />
    </Form>
  );
}
