import { useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import { pathTo } from '../../state/router.ts';
import type { Texts } from '../../state/texts.ts';
import { Button } from '../parts/Button.tsx';
import { Check, Field, Secret, Select } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block, Row } from '../parts/Page.tsx';
import { areas, mayOf } from '../parts/scopes.ts';
import { useApp, useTexts } from '../useApp.ts';

type PersonalToken = RestAnswer<'GET /api/tokens'>[number];

const lifetimes: { value: string; label: Message }[] = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'One year' },
  { value: '', label: 'Until it is revoked' },
];

/** The scopes that were chosen; all areas together are the user. */
function scopesOf(isChecked: Fields['isChecked']): string[] {
  const chosen = areas.map(({ value }) => value).filter(isChecked);
  const of = chosen.length === areas.length ? ['user'] : chosen;
  return of.map((area) => `${area}:${isChecked('write') ? 'write' : 'read'}`);
}

/** Personal access tokens, for programs that act for their user. */
export function PersonalTokens() {
  const texts = useTexts();
  const { labelled, t } = texts;
  const { client } = useApp();
  const { value: list, load, after } = useLoaded(() => client.rest('GET /api/tokens'), []);
  const [secret, setSecret] = useState<string | null>(null);
  const create = async ({ text, raw, isChecked }: Fields) => {
    const scopes = scopesOf(isChecked);
    const expiresInDays = Number(raw('lifetime')) || null;
    const { token } = await client.rest('POST /api/tokens', { body: { name: text('name'), scopes, expiresInDays } });
    setSecret(token);
    await load();
  };
  return (
    <Form class="block" action={t('New token')} work={create} clear>
      <h2>{t('Personal access tokens')}</h2>
      <p class="faint">{t('For programs that act for you, over REST and sockets.')}</p>
      <ul class="people">
        {list?.map((token) => (
          <Row key={token.id} name={token.name} about={aboutToken(texts, token)}>
            <Button
              label={t('Revoke')}
              kind="quiet"
              onClick={() => after(() => client.rest('DELETE /api/tokens/:id', { id: token.id }))}
            />
          </Row>
        ))}
      </ul>
      <Secret title={t('Your new token')} secret={secret} />
      <Field label={t('Token name')} name="name" maxlength={100} required />
      <Select label={t('Valid for')} name="lifetime" options={labelled(lifetimes)} />
      <fieldset class="choices">
        <legend>{t('Access')}</legend>
        {areas.map(({ value, label }) => (
          <Check key={value} label={t(label)} name={value} checked />
        ))}
      </fieldset>
      <Check label={t('It can change things too')} name="write" />
    </Form>
  );
}

function aboutToken(texts: Texts, { scopes, lastUsedAt, expiresAt }: PersonalToken): string {
  const { listed, shortTime, t } = texts;
  const may = listed(scopes.map((scope) => mayOf(texts, scope)));
  const used = lastUsedAt ? t('used {time}', { time: shortTime(lastUsedAt) }) : t('never used');
  return `${may} · ${used} · ${expiresAt ? t('until {time}', { time: shortTime(expiresAt) }) : t('does not expire')}`;
}

type InviteCode = RestAnswer<'GET /api/invite-codes'>[number];

/** Codes that turn visitors into members. Visitors cannot create any. */
export function InviteCodes() {
  const { rich, t } = useTexts();
  const { can } = useApp();
  if (can('invite:create')) return <OwnCodes />;
  return (
    <Block title={t('Invite codes')}>
      <p class="faint">
        {rich('Members create them. To become one, {link}.', {
          link: <a href={pathTo.settings('profile')}>{t('redeem one')}</a>,
        })}
      </p>
    </Block>
  );
}

function OwnCodes() {
  const texts = useTexts();
  const { t } = texts;
  const { client } = useApp();
  const { value: list, load, after } = useLoaded(() => client.rest('GET /api/invite-codes'), []);
  const create = async ({ text }: Fields) => {
    await client.rest('POST /api/invite-codes', { body: { count: 1, note: text('note') || undefined } });
    await load();
  };
  return (
    <Form class="block" action={t('New code')} work={create} clear>
      <h2>{t('Invite codes')}</h2>
      <p class="faint">{t('People who redeem one can create servers and invite others. Each works once.')}</p>
      <ul class="people">
        {list?.map((code) => (
          <Row key={code.id} name={code.code} about={aboutCode(texts, code)}>
            {code.isActive && !code.usedBy && (
              <Button
                label={t('Deactivate')}
                kind="quiet"
                onClick={() => after(() => client.rest('PATCH /api/invite-codes/:id/deactivate', { id: code.id }))}
              />
            )}
            <Button
              label={t('Delete')}
              kind="quiet"
              onClick={() => after(() => client.rest('DELETE /api/invite-codes/:id', { id: code.id }))}
            />
          </Row>
        ))}
      </ul>
      <Field label={t('Note')} name="note" maxlength={200} hint={t('Who it is for. Optional.')} />
    </Form>
  );
}

function aboutCode({ shortTime, t }: Texts, { usedByUser, isActive, createdAt, note }: InviteCode): string {
  const state = usedByUser
    ? t('used by {name}', { name: usedByUser.displayName })
    : isActive
      ? t('created {time}', { time: shortTime(createdAt) })
      : t('not valid any more');
  return note ? `${note} · ${state}` : state;
}
