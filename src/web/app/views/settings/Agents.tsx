import { useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { pathTo } from '../../state/router.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Row } from '../parts/Row.tsx';
import { Secret } from '../parts/Secret.tsx';
import { shortTime } from '../parts/time.ts';

export type Agent = RestAnswer<'GET /api/agents'>[number];

/** Bots of one's own. */
export function Agents() {
  const { value: list, load } = useLoaded(() => parley.rest('GET /api/agents'), []);
  const [secret, setSecret] = useState<{ name: string; token: string | null } | null>(null);
  const create = async ({ text }: Fields) => {
    const body = { name: text('name'), displayName: text('displayName') || undefined };
    const { token, displayName } = await parley.rest('POST /api/agents', { body });
    setSecret({ name: displayName, token });
    await load();
  };
  return (
    <Form class="block" action="New agent" work={create} clear>
      <h2>Agents</h2>
      <p class="faint">Bots with accounts of their own. Their programs sign in with their token.</p>
      <ul class="people">
        {list?.map((agent) => (
          <Row
            key={agent.id}
            picture={<Avatar user={agent.botUser} present />}
            href={pathTo.agent(agent.id)}
            name={agent.displayName}
            about={`@${agent.name} · ${lastSign(agent)}`}
          >
            <AgentStatus status={agent.status} />
          </Row>
        ))}
      </ul>
      <Secret title={`The token of ${secret?.name}`} secret={secret?.token ?? null} />
      <Field label="Username" name="name" minlength={3} maxlength={32} required />
      <Field label="Display name" name="displayName" maxlength={64} hint="May be left out." />
    </Form>
  );
}

const statusNames = { running: 'Running', stopped: 'Stopped', error: 'In trouble' };

export function AgentStatus({ status }: { status: Agent['status'] }) {
  return <span class={`state ${status}`}>{statusNames[status]}</span>;
}

export const lastSign = ({ lastHeartbeat }: Agent): string =>
  lastHeartbeat ? `last sign of life ${shortTime(lastHeartbeat)}` : 'not heard of yet';
