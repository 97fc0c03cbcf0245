import { useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import { outsideOf, typedPicture } from '../../state/pictures.ts';
import { pathTo } from '../../state/router.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Confirm } from '../parts/Dialog.tsx';
import { Field, Secret } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block, Row } from '../parts/Page.tsx';
import { PictureField } from '../parts/PictureField.tsx';
import { shortTime } from '../parts/time.ts';
import { useApp } from '../useApp.ts';
import { AgentPlaces, AgentWebhook } from './AgentPlaces.tsx';
import { HandOver } from './HandOver.tsx';

export type Agent = RestAnswer<'GET /api/agents'>[number];

/** The user's own bots. */
export function Agents() {
  const { client } = useApp();
  const { value: list, load } = useLoaded(() => client.rest('GET /api/agents'), []);
  const [secret, setSecret] = useState<{ name: string; token: string | null } | null>(null);
  const create = async ({ text }: Fields) => {
    const body = { name: text('name'), displayName: text('displayName') || undefined };
    const { token, displayName } = await client.rest('POST /api/agents', { body });
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
      <Field
        label="Username"
        name="name"
        minlength={3}
        maxlength={32}
        hint="Letters and digits of one script."
        required
      />
      <Field label="Display name" name="displayName" maxlength={64} hint="Optional." />
    </Form>
  );
}

const statusNames = { running: 'Running', stopped: 'Stopped', error: 'Error' };

export function AgentStatus({ status }: { status: Agent['status'] }) {
  return <span class={`state ${status}`}>{statusNames[status]}</span>;
}

export const lastSign = ({ lastHeartbeat }: Agent): string =>
  lastHeartbeat ? `last seen ${shortTime(lastHeartbeat)}` : 'never connected';

/** One bot: its state, its token, and its policies. */
export function AgentPage({ agentId }: { agentId: string }) {
  const { client, showToast } = useApp();
  const { value: agent, load } = useLoaded(() => client.rest('GET /api/agents/:id', { id: agentId }), [agentId]);
  if (!agent) return <p class="faint">One moment…</p>;
  const save = async ({ text }: Fields) => {
    const body = { displayName: text('displayName'), avatarUrl: typedPicture(text('avatarUrl'), agent.avatarUrl) };
    await client.rest('PATCH /api/agents/:id', { id: agentId, body });
    await load();
    showToast('The agent is saved.');
  };
  const setPicture = async (avatarUrl: string | null) => {
    await client.rest('PATCH /api/agents/:id', { id: agentId, body: { avatarUrl } });
    await load();
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
        <PictureField label="Picture" shape="square" url={agent.avatarUrl} onChange={setPicture}>
          {[...agent.displayName][0]?.toUpperCase()}
        </PictureField>
        <Field
          key={outsideOf(agent.avatarUrl)}
          label="Picture at another address"
          name="avatarUrl"
          type="url"
          value={outsideOf(agent.avatarUrl)}
        />
      </Form>
      <HandOverAgent agent={agent} />
      <Ending agent={agent} />
    </>
  );
}

function Running({ agent, onChange }: { agent: Agent; onChange(): Promise<void> }) {
  const { attempt, client } = useApp();
  const [secret, setSecret] = useState<string | null>(null);
  const { id } = agent;
  const switchOver = () =>
    attempt(async () => {
      if (agent.status === 'stopped') await client.rest('POST /api/agents/:id/start', { id });
      else await client.rest('POST /api/agents/:id/stop', { id });
      await onChange();
    });
  const rotate = () =>
    attempt(async () => {
      setSecret((await client.rest('POST /api/agents/:id/token', { id })).token);
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
  const { client } = useApp();
  const { value } = useLoaded(() => client.rest('GET /api/agents/:id/slash-commands', { id: agentId }), [agentId]);
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

/** To a friend. */
function HandOverAgent({ agent }: { agent: Agent }) {
  const { people } = useApp();
  return (
    <HandOver
      title="Hand the agent over"
      about="When they accept, its tokens and webhook end, it leaves the places that they are not in, and they can read what was written to it."
      what={{ agentId: agent.id }}
      people={people.friends.value.map(({ friendId, user }) => ({
        value: friendId,
        label: `${user.displayName} (@${user.username})`,
      }))}
      nobody="You can hand it over to your friends; there are none yet."
    />
  );
}

function Ending({ agent }: { agent: Agent }) {
  const { attempt, client, navigate } = useApp();
  const [asking, setAsking] = useState(false);
  const end = () =>
    attempt(async () => {
      await client.rest('DELETE /api/agents/:id', { id: agent.id });
      navigate(pathTo.settings('agents'));
    });
  return (
    <Block title="Delete the agent" about="Its tokens end at once; what it wrote stays.">
      <Button label="Delete the agent" kind="danger" onClick={() => setAsking(true)} />
      {asking && (
        <Confirm
          title={`Delete ${agent.displayName}?`}
          text="Its tokens end at once. This cannot be undone."
          action="Delete"
          onClose={() => setAsking(false)}
          onConfirm={() => void end()}
        />
      )}
    </Block>
  );
}
