import { useEffect, useState } from 'preact/hooks';
import { type ChannelRecord, ParleyError, type RestAnswer } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { channels, isReadable, loadChannels, servers } from '../../state/servers.ts';
import { attempt, tell } from '../../state/toasts.ts';
import { Button } from '../parts/Button.tsx';
import { Field, PickAndAdd, Secret } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block } from '../parts/Page.tsx';
import { fullTime } from '../parts/time.ts';
import { addAgent, openPolicy, type Policy, PolicyRow, saidBy } from '../server/ServerAgents.tsx';
import type { Agent } from './Agents.tsx';

type Config = RestAnswer<'GET /api/agents/:id/config'>;
type Place = Config['servers'][number];
type Kept = RestAnswer<'GET /api/agents/:id/policies'>[number];

/** The servers and channels that a bot is in, with what it may hear and say there. */
export function AgentPlaces({ agent }: { agent: Agent }) {
  const { value, after } = useLoaded(
    async () => ({
      config: await parley.rest('GET /api/agents/:id/config', { id: agent.id }),
      kept: await parley.rest('GET /api/agents/:id/policies', { id: agent.id, query: {} }),
    }),
    [agent.id],
  );
  if (!value) return null;
  const { config, kept } = value;
  const missing = servers.value.filter(({ id }) => !config.servers.some((place) => place.id === id));
  const add = (id: string) => after(() => addAgent(id, agent.id));
  return (
    <Block title="Where it is" about="What it hears and says there is held by the server, whatever its program does.">
      {config.servers.length === 0 && <p class="empty">It is in no server yet.</p>}
      {config.servers.map((place) => (
        <ServerPolicies key={place.id} agent={agent} place={place} kept={kept} after={after} />
      ))}
      <PickAndAdd
        label="Server to add it to"
        options={missing.map(({ id, name }) => ({ value: id, label: name }))}
        onAdd={add}
      />
    </Block>
  );
}

interface ServerPoliciesProps {
  agent: Agent;
  place: Place;
  kept: Kept[];
  after(change: () => Promise<unknown>): void;
}

function ServerPolicies({ agent, place, kept, after }: ServerPoliciesProps) {
  const { id } = agent;
  const keptFor = (channelId: string | null) =>
    kept.find((policy) => policy.serverId === place.id && policy.channelId === channelId);
  const set = (channelId: string | null, policy: Partial<Policy> | null) =>
    after(async () => {
      const old = keptFor(channelId);
      if (policy) {
        const body = { ...policy, serverId: place.id, channelId };
        return parley.rest('PUT /api/agents/:id/policies', { id, body });
      }
      return old?.owner && parley.rest('DELETE /api/agents/:id/policies/:policyId', { id, policyId: old.id });
    });
  return (
    <section class="policies" aria-label={place.name}>
      <h3>{place.name}</h3>
      <ul class="people">
        <PolicyRow
          name="Everywhere in the server"
          policy={keptFor(null)?.owner ?? openPolicy}
          isOwn
          other={saidBy("The server's admins", keptFor(null)?.server)}
          onChange={(policy) => set(null, policy)}
        />
        {place.channels.map((channel) => (
          <PolicyRow
            key={channel.id}
            name={`#${channel.name}`}
            policy={keptFor(channel.id)?.owner ?? channel.policy}
            isOwn={keptFor(channel.id)?.owner != null}
            other={saidBy("The server's admins", keptFor(channel.id)?.server ?? keptFor(null)?.server)}
            fallback="As everywhere in the server"
            onChange={(policy) => set(channel.id, policy)}
          />
        ))}
      </ul>
      <MoreChannels agent={agent} place={place} after={after} />
    </section>
  );
}

/** Channels that the bot could be in, and is not. */
function MoreChannels({ agent, place, after }: Omit<ServerPoliciesProps, 'kept'>) {
  useEffect(() => {
    // Without its channels the bot can still be added from the server's own pages.
    void loadChannels(place.id).catch(() => {});
  }, [place.id]);
  const missing = channels.value.get(place.id)?.filter((channel) => isReadable(channel) && !isIn(place, channel)) ?? [];
  return (
    <PickAndAdd
      label={`Channel of ${place.name} to add it to`}
      options={missing.map(({ id, name }) => ({ value: id, label: `#${name}` }))}
      onAdd={(id) => after(() => parley.rest('POST /api/channels/:id/members', { id, body: { userId: agent.userId } }))}
    />
  );
}

const isIn = ({ channels }: Place, { id }: ChannelRecord) => channels.some((channel) => channel.id === id);

type Webhook = RestAnswer<'GET /api/agents/:id/webhook'>;

/** The address that a bot's events are delivered to, and how that goes. */
export function AgentWebhook({ agentId }: { agentId: string }) {
  const id = agentId;
  const { value, load } = useLoaded(() => read(id), [id]);
  const [secret, setSecret] = useState<string | null>(null);
  if (!value) return null;
  const { webhook } = value;
  const save = async ({ text }: Fields) => {
    setSecret((await parley.rest('PUT /api/agents/:id/webhook', { id, body: { url: text('url') } })).secret);
    await load();
  };
  const rotate = async () => setSecret((await parley.rest('POST /api/agents/:id/webhook/secret', { id })).secret);
  return (
    <Block title="Webhook" about="Its events are sent to this address, signed, for a bot that holds no connection.">
      {webhook && <Deliveries webhook={webhook} />}
      <Form action={webhook ? 'Change the address' : 'Deliver events'} work={save}>
        <Field label="Address (https)" name="url" type="url" value={webhook?.url ?? ''} required />
      </Form>
      <Secret title="The secret that deliveries are signed with" secret={secret} />
      {webhook && <Care id={id} isPaused={webhook.state === 'paused'} load={load} rotate={rotate} />}
    </Block>
  );
}

function Deliveries({ webhook }: { webhook: Webhook }) {
  const { state, lastError, failingSince, stoppedAt, lastDeliveredAt, pending } = webhook;
  const since = stoppedAt ?? failingSince;
  return (
    <>
      <p class={state === 'active' ? 'hint' : 'note problem'} role="status">
        {saying[state]}
        {since && ` Since ${fullTime(since)}.`}
        {since && lastError && ` ${lastError}`}
      </p>
      <p class="hint">
        {lastDeliveredAt ? `Last delivery: ${fullTime(lastDeliveredAt)}.` : 'Nothing was delivered yet.'}
        {pending > 0 && ` ${pending} waiting.`}
      </p>
    </>
  );
}

const saying: Record<Webhook['state'], string> = {
  active: 'Deliveries work.',
  failing: 'Some deliveries fail, and are tried again.',
  dead: 'Given up, since it failed for too long.',
  gone: 'Ended, since the address wants no more.',
  paused: 'Paused until you confirm the address: the token of this bot was renewed, or a session was ended.',
};

interface CareProps {
  id: string;
  isPaused: boolean;
  load(): Promise<void>;
  rotate(): Promise<void>;
}

function Care({ id, isPaused, load, rotate }: CareProps) {
  const doing = (work: () => Promise<unknown>) => () => void attempt(() => work().then(load));
  const test = async () => {
    const { delivered, error } = await parley.rest('POST /api/agents/:id/webhook/test', { id });
    tell(delivered ? 'The test was delivered.' : `The test was not delivered. ${error ?? ''}`);
  };
  const enable = () => parley.rest('POST /api/agents/:id/webhook/enable', { id, body: {} });
  return (
    <div class="inline">
      <Button label="Send a test" kind="quiet" onClick={doing(test)} />
      <Button label={isPaused ? 'Confirm the address' : 'Try again now'} kind="quiet" onClick={doing(enable)} />
      <Button label="New secret" kind="quiet" onClick={doing(rotate)} />
      <Button
        label="End deliveries"
        kind="quiet"
        onClick={doing(() => parley.rest('DELETE /api/agents/:id/webhook', { id }))}
      />
    </div>
  );
}

/** An agent need not have one. */
async function read(id: string): Promise<{ webhook: Webhook | null }> {
  try {
    return { webhook: await parley.rest('GET /api/agents/:id/webhook', { id }) };
  } catch (error) {
    if (error instanceof ParleyError && error.code === 'WEBHOOK_NOT_FOUND') return { webhook: null };
    throw error;
  }
}
