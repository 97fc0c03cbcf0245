import { useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { Button } from '../parts/Button.tsx';
import { Check, Field, Select } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Row } from '../parts/Row.tsx';
import { Secret } from '../parts/Secret.tsx';
import { shortTime } from '../parts/time.ts';

type PersonalToken = RestAnswer<'GET /api/tokens'>[number];

const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'One year' },
  { value: '', label: 'Until it is revoked' },
];

/** Tokens for programs that act for their user. */
export function PersonalTokens() {
  const { value: list, load, after } = useLoaded(() => parley.rest('GET /api/tokens'), []);
  const [secret, setSecret] = useState<string | null>(null);
  const create = async ({ text, raw, isChecked }: Fields) => {
    const scope = isChecked('write') ? 'user:write' : 'user:read';
    const expiresInDays = Number(raw('lifetime')) || null;
    const { token } = await parley.rest('POST /api/tokens', { body: { name: text('name'), scope, expiresInDays } });
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
              onClick={() => after(() => parley.rest('DELETE /api/tokens/:id', { id: token.id }))}
            />
          </Row>
        ))}
      </ul>
      <Secret title="Your new token" secret={secret} />
      <Field label="What it is for" name="name" maxlength={100} required />
      <Select label="Valid for" name="lifetime" options={lifetimes} />
      <Check label="It may change things, too" name="write" />
    </Form>
  );
}

function aboutToken({ scope, lastUsedAt, expiresAt }: PersonalToken): string {
  const may = scope === 'user:write' ? 'May do everything' : 'May read';
  const used = lastUsedAt ? `used ${shortTime(lastUsedAt)}` : 'never used';
  return `${may} · ${used} · ${expiresAt ? `until ${shortTime(expiresAt)}` : 'does not expire'}`;
}
