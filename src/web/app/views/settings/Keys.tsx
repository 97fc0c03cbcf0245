import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import { can, parley } from '../../state/client.ts';
import { attempt } from '../../state/toasts.ts';
import { Field } from '../parts/Field.tsx';
import { useFields } from '../parts/fields.ts';
import { shortTime } from '../parts/time.ts';

/** Something that is shown once and never again. */
function Secret({ title, secret }: { title: string; secret: string | null }) {
  if (!secret) return null;
  return (
    <div class="field" role="status">
      <label for="secret">{title}: copy it now, it is not shown again.</label>
      <input id="secret" readOnly value={secret} onFocus={(event) => event.currentTarget.select()} />
    </div>
  );
}

interface RowProps {
  name: string;
  about: string;
  children?: ComponentChildren;
}

function Row({ name, about, children }: RowProps) {
  return (
    <li>
      <span class="who">
        <span class="name">{name}</span>
        <span class="faint">{about}</span>
      </span>
      {children}
    </li>
  );
}

/** A list that is read when it is shown, and again after each change. */
function useList<T>(read: () => Promise<T[]>) {
  const [list, setList] = useState<T[]>([]);
  const load = async () => setList(await read());
  useEffect(() => {
    void attempt(load);
  }, []);
  const after = (change: () => Promise<unknown>) => void attempt(async () => change().then(load));
  return { list, load, after };
}

type InviteCode = RestAnswer<'GET /api/invite-codes'>[number];

/** Codes that make members of visitors. */
export function InviteCodes() {
  const { list, after } = useList(() => parley.rest('GET /api/invite-codes'));
  if (!can('invite:create')) return null;
  const about = ({ usedByUser, isActive, createdAt }: InviteCode) =>
    usedByUser ? `Used by ${usedByUser.displayName}` : isActive ? `Made ${shortTime(createdAt)}` : 'Not valid any more';
  return (
    <div class="block">
      <h2>Invite codes</h2>
      <p class="faint">Whoever redeems one may create servers. Each works once.</p>
      <ul class="people">
        {list.map((code) => (
          <Row key={code.id} name={code.code} about={about(code)}>
            {code.isActive && !code.usedBy && (
              <button
                type="button"
                class="button quiet"
                onClick={() => after(() => parley.rest('DELETE /api/invite-codes/:id', { id: code.id }))}
              >
                Delete
              </button>
            )}
          </Row>
        ))}
      </ul>
      <button
        type="button"
        class="button"
        onClick={() => after(() => parley.rest('POST /api/invite-codes', { body: { count: 1 } }))}
      >
        New code
      </button>
    </div>
  );
}

/** Tokens for programs that act for their user. */
export function PersonalTokens() {
  const { list, load, after } = useList(() => parley.rest('GET /api/tokens'));
  const [secret, setSecret] = useState<string | null>(null);
  const submit = useFields(async (field) => {
    const scope = field('write') ? 'user:write' : 'user:read';
    const { token } = await parley.rest('POST /api/tokens', { body: { name: field('name'), scope } });
    setSecret(token);
    await load();
  }, true);
  return (
    <form class="block" onSubmit={submit}>
      <h2>Personal access tokens</h2>
      <p class="faint">For programs that act for you.</p>
      <ul class="people">
        {list.map(({ id, name, scope, lastUsedAt }) => (
          <Row
            key={id}
            name={name}
            about={`${scope === 'user:write' ? 'May do everything' : 'May read'} · ${lastUsedAt ? `used ${shortTime(lastUsedAt)}` : 'never used'}`}
          >
            <button
              type="button"
              class="button quiet"
              onClick={() => after(() => parley.rest('DELETE /api/tokens/:id', { id }))}
            >
              Revoke
            </button>
          </Row>
        ))}
      </ul>
      <Secret title="Your new token" secret={secret} />
      <Field label="What it is for" name="name" autocomplete="off" maxlength={100} required />
      <label class="check">
        <input type="checkbox" name="write" /> It may change things, too
      </label>
      <button type="submit" class="button">
        New token
      </button>
    </form>
  );
}

/** Bots of one's own. */
export function Agents() {
  const { list, load, after } = useList(() => parley.rest('GET /api/agents'));
  const [secret, setSecret] = useState<string | null>(null);
  const submit = useFields(async (field) => {
    const displayName = field('displayName') || undefined;
    const { token } = await parley.rest('POST /api/agents', { body: { name: field('name'), displayName } });
    setSecret(token);
    await load();
  }, true);
  return (
    <form class="block" onSubmit={submit}>
      <h2>Agents</h2>
      <p class="faint">Bots with accounts of their own. Their programs sign in with their token.</p>
      <ul class="people">
        {list.map(({ id, name, displayName, status }) => (
          <Row key={id} name={displayName} about={`@${name} · ${status}`}>
            <button
              type="button"
              class="button quiet"
              onClick={() =>
                after(() =>
                  status === 'stopped'
                    ? parley.rest('POST /api/agents/:id/start', { id })
                    : parley.rest('POST /api/agents/:id/stop', { id }),
                )
              }
            >
              {status === 'stopped' ? 'Start' : 'Stop'}
            </button>
            <button
              type="button"
              class="button quiet"
              onClick={() =>
                after(async () => setSecret((await parley.rest('POST /api/agents/:id/token', { id })).token))
              }
            >
              New token
            </button>
            <button
              type="button"
              class="button danger"
              onClick={() => after(() => parley.rest('DELETE /api/agents/:id', { id }))}
            >
              Delete
            </button>
          </Row>
        ))}
      </ul>
      <Secret title="The token of the agent" secret={secret} />
      <Field label="Username" name="name" autocomplete="off" minlength={3} maxlength={32} required />
      <Field label="Display name" name="displayName" autocomplete="off" maxlength={64} />
      <button type="submit" class="button">
        New agent
      </button>
    </form>
  );
}
