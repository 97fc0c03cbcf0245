import { useEffect } from 'preact/hooks';
import type { ChannelRecord, RestAnswer } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { channels, isReadable, loadChannels, servers } from '../../state/servers.ts';
import { useLoaded } from '../parts/loading.ts';
import { Block } from '../parts/Page.tsx';
import { PickAndAdd } from '../parts/PickAndAdd.tsx';
import { openPolicy, type Policy, PolicyRow, saidBy } from '../server/PolicyRow.tsx';
import { addAgent } from '../server/ServerAgents.tsx';
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
