import { useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import { pathTo } from '../../state/router.ts';
import { Button } from '../parts/Button.tsx';
import { Check, Field, Secret, Select } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block, Row } from '../parts/Page.tsx';
import { shortTime } from '../parts/time.ts';
import { useApp } from '../useApp.ts';

type PersonalToken = RestAnswer<'GET /api/tokens'>[number];

const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'One year' },
  { value: '', label: 'Until it is revoked' },
];

/** What a token may be limited to (contract §3). */
const areas = [
  { value: 'messages', label: 'Messages, notifications and sockets' },
  { value: 'servers', label: 'Servers and channels' },
  { value: 'workspace', label: 'Files' },
  { value: 'agents', label: 'Bots' },
  { value: 'account', label: 'Profile, friends and invite codes' },
];

/** The scopes that were chosen; all areas together are the user. */
function scopesOf(isChecked: Fields['isChecked']): string[] {
  const chosen = areas.map(({ value }) => value).filter(isChecked);
  const of = chosen.length === areas.length ? ['user'] : chosen;
  return of.map((area) => `${area}:${isChecked('write') ? 'write' : 'read'}`);
}

/** Personal access tokens, for programs that act for their user. */
export function PersonalTokens() {
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
    <Form class="block" action="New token" work={create} clear>
      <h2>Personal access tokens</h2>
      <p class="faint">For programs that act for you, over REST and sockets.</p>
      <ul class="people">
        {list?.map((token) => (
          <Row key={token.id} name={token.name} about={aboutToken(token)}>
            <Button
              label="Revoke"
              kind="quiet"
              onClick={() => after(() => client.rest('DELETE /api/tokens/:id', { id: token.id }))}
            />
          </Row>
        ))}
      </ul>
      <Secret title="Your new token" secret={secret} />
      <Field label="What it is for" name="name" maxlength={100} required />
      <Select label="Valid for" name="lifetime" options={lifetimes} />
      <fieldset class="choices">
        <legend>What it may reach</legend>
        {areas.map(({ value, label }) => (
          <Check key={value} label={label} name={value} checked />
        ))}
      </fieldset>
      <Check label="It may change things too" name="write" />
    </Form>
  );
}

function aboutToken({ scopes, lastUsedAt, expiresAt }: PersonalToken): string {
  const may = scopes.map(mayOf).join(', ');
  const used = lastUsedAt ? `used ${shortTime(lastUsedAt)}` : 'never used';
  return `${may} · ${used} · ${expiresAt ? `until ${shortTime(expiresAt)}` : 'does not expire'}`;
}

function mayOf(scope: string): string {
  if (scope === 'user:write') return 'May do everything';
  if (scope === 'user:read') return 'May read everything';
  const [of, right] = scope.split(':');
  const { label } = areas.find(({ value }) => value === of) ?? { label: of };
  return right === 'write' ? `${label}` : `${label} (read only)`;
}

type InviteCode = RestAnswer<'GET /api/invite-codes'>[number];

/** Codes that turn visitors into members. Visitors cannot create any. */
export function InviteCodes() {
  const { can } = useApp();
  if (can('invite:create')) return <OwnCodes />;
  return (
    <Block title="Invite codes">
      <p class="faint">
        Members make them. To become one, <a href={pathTo.settings('profile')}>redeem one</a>.
      </p>
    </Block>
  );
}

function OwnCodes() {
  const { client } = useApp();
  const { value: list, load, after } = useLoaded(() => client.rest('GET /api/invite-codes'), []);
  const create = async ({ text }: Fields) => {
    await client.rest('POST /api/invite-codes', { body: { count: 1, note: text('note') || undefined } });
    await load();
  };
  return (
    <Form class="block" action="New code" work={create} clear>
      <h2>Invite codes</h2>
      <p class="faint">Whoever redeems one may create servers and invite others. Each works once.</p>
      <ul class="people">
        {list?.map((code) => (
          <Row key={code.id} name={code.code} about={aboutCode(code)}>
            {code.isActive && !code.usedBy && (
              <Button
                label="Deactivate"
                kind="quiet"
                onClick={() => after(() => client.rest('PATCH /api/invite-codes/:id/deactivate', { id: code.id }))}
              />
            )}
            <Button
              label="Delete"
              kind="quiet"
              onClick={() => after(() => client.rest('DELETE /api/invite-codes/:id', { id: code.id }))}
            />
          </Row>
        ))}
      </ul>
      <Field label="Note" name="note" maxlength={200} hint="Who it is for. Optional." />
    </Form>
  );
}

function aboutCode({ usedByUser, isActive, createdAt, note }: InviteCode): string {
  const state = usedByUser
    ? `used by ${usedByUser.displayName}`
    : isActive
      ? `made ${shortTime(createdAt)}`
      : 'not valid any more';
  return note ? `${note} · ${state}` : state;
}
