import { useState } from 'preact/hooks';
import { parley } from '../../state/client.ts';
import { go, pathTo } from '../../state/router.ts';
import { attempt, tell } from '../../state/toasts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Confirm } from '../parts/Dialog.tsx';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block } from '../parts/Page.tsx';
import { Row } from '../parts/Row.tsx';
import { Secret } from '../parts/Secret.tsx';
import { AgentPlaces } from './AgentPlaces.tsx';
import { type Agent, AgentStatus, lastSign } from './Agents.tsx';
import { AgentWebhook } from './AgentWebhook.tsx';

/** One bot: whether it runs, its token, and what it may do where. */
export function AgentPage({ agentId }: { agentId: string }) {
  const { value: agent, load } = useLoaded(() => parley.rest('GET /api/agents/:id', { id: agentId }), [agentId]);
  if (!agent) return <p class="faint">One moment…</p>;
  const save = async ({ text }: Fields) => {
    const body = { displayName: text('displayName'), avatarUrl: text('avatarUrl') || null };
    await parley.rest('PATCH /api/agents/:id', { id: agentId, body });
    await load();
    tell('The agent is saved.');
  };
  return (
    <>
      <p class="crumbs">
        <a href={pathTo.settings('agents')}>Agents</a> › {agent.displayName}
      </p>
      <Running agent={agent} onChange={load} />
      <AgentPlaces agent={agent} />
      <Commands agentId={agentId} />
      <AgentWebhook agentId={agentId} />
      <Form class="block" action="Save" work={save}>
        <h2>How it shows itself</h2>
        <Field label="Display name" name="displayName" maxlength={64} value={agent.displayName} required />
        <Field label="Picture (address)" name="avatarUrl" type="url" value={agent.avatarUrl ?? ''} />
      </Form>
      <Ending agent={agent} />
    </>
  );
}

function Running({ agent, onChange }: { agent: Agent; onChange(): Promise<void> }) {
  const [secret, setSecret] = useState<string | null>(null);
  const { id } = agent;
  const switchOver = () =>
    attempt(async () => {
      if (agent.status === 'stopped') await parley.rest('POST /api/agents/:id/start', { id });
      else await parley.rest('POST /api/agents/:id/stop', { id });
      await onChange();
    });
  const rotate = () =>
    attempt(async () => {
      setSecret((await parley.rest('POST /api/agents/:id/token', { id })).token);
    });
  const hours = Math.floor(agent.totalOnlineSeconds / 3600);
  return (
    <section class="block">
      <ul class="people">
        <Row
          picture={<Avatar user={agent.botUser} present />}
          name={agent.displayName}
          about={`@${agent.name} · ${lastSign(agent)} · ${hours} h online in all`}
        >
          <AgentStatus status={agent.status} />
          <Button
            label={agent.status === 'stopped' ? 'Start' : 'Stop'}
            kind="quiet"
            onClick={() => void switchOver()}
          />
          <Button label="New token" kind="quiet" onClick={() => void rotate()} />
        </Row>
      </ul>
      <Secret title="The new token; the old one is valid for ten more minutes" secret={secret} />
    </section>
  );
}

function Commands({ agentId }: { agentId: string }) {
  const { value } = useLoaded(() => parley.rest('GET /api/agents/:id/slash-commands', { id: agentId }), [agentId]);
  return (
    <Block title="Slash commands" about="Set by its program, and suggested to those who type a slash.">
      {value?.commands.length === 0 && <p class="empty">It understands none.</p>}
      <ul class="people">
        {value?.commands.map(({ name, description, aliases }) => (
          <Row key={name} name={[name, ...aliases].map((one) => `/${one}`).join(', ')} about={description} />
        ))}
      </ul>
    </Block>
  );
}

function Ending({ agent }: { agent: Agent }) {
  const [asking, setAsking] = useState(false);
  const end = () =>
    attempt(async () => {
      await parley.rest('DELETE /api/agents/:id', { id: agent.id });
      go(pathTo.settings('agents'));
    });
  return (
    <Block title="Delete the agent" about="Its tokens end at once; what it wrote stays.">
      <Button label="Delete the agent" kind="danger" onClick={() => setAsking(true)} />
      {asking && (
        <Confirm
          title={`Delete ${agent.displayName}?`}
          text="Its tokens end at once, and it does not come back."
          action="Delete"
          onClose={() => setAsking(false)}
          onConfirm={() => void end()}
        />
      )}
    </Block>
  );
}
