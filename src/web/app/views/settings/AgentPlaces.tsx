import { useEffect, useState } from 'preact/hooks';
import { type ChannelRecord, ParleyError, type RestAnswer } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import { isReadable } from '../../state/servers.ts';
import { Button } from '../parts/Button.tsx';
import { Field, PickAndAdd, Secret } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block } from '../parts/Page.tsx';
import { describePolicy, openPolicy, type Policy, PolicyRow } from '../server/Policy.tsx';
import { addAgent } from '../server/ServerAgents.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import type { Agent } from './Agents.tsx';

type Config = RestAnswer<'GET /api/agents/:id/config'>;
type Place = Config['servers'][number];
type Kept = RestAnswer<'GET /api/agents/:id/policies'>[number];

/** The servers and channels that a bot is in, with its policies. */
export function AgentPlaces({ agent }: { agent: Agent }) {
  const { t } = useTexts();
  const app = useApp();
  const { client, servers } = app;
  const { value, after } = useLoaded(
    async () => ({
      config: await client.rest('GET /api/agents/:id/config', { id: agent.id }),
      kept: await client.rest('GET /api/agents/:id/policies', { id: agent.id, query: {} }),
    }),
    [agent.id],
  );
  if (!value) return null;
  const { config, kept } = value;
  const missing = servers.list.value.filter(({ id }) => !config.servers.some((place) => place.id === id));
  const add = (id: string) => after(() => addAgent(app, id, agent.id));
  return (
    <Block
      title={t('Where it is')}
      about={t('The server enforces what it receives and writes there, whatever its program does.')}
    >
      {config.servers.length === 0 && <p class="empty">{t('It is not in any server yet.')}</p>}
      {config.servers.map((place) => (
        <ServerPolicies key={place.id} agent={agent} place={place} kept={kept} after={after} />
      ))}
      <PickAndAdd
        label={t('Server to add it to')}
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
  const texts = useTexts();
  const { t } = texts;
  const { client } = useApp();
  const { id } = agent;
  const keptFor = (channelId: string | null) =>
    kept.find((policy) => policy.serverId === place.id && policy.channelId === channelId);
  const set = (channelId: string | null, policy: Partial<Policy> | null) =>
    after(async () => {
      const old = keptFor(channelId);
      if (policy) {
        const body = { ...policy, serverId: place.id, channelId };
        return client.rest('PUT /api/agents/:id/policies', { id, body });
      }
      return old?.owner && client.rest('DELETE /api/agents/:id/policies/:policyId', { id, policyId: old.id });
    });
  return (
    <section class="policies" aria-label={place.name}>
      <h3>{place.name}</h3>
      <ul class="people">
        <PolicyRow
          name={t('Everywhere in the server')}
          policy={keptFor(null)?.owner ?? openPolicy}
          isOwn
          other={describePolicy(texts, t("The server's admins"), keptFor(null)?.server)}
          onChange={(policy) => set(null, policy)}
        />
        {place.channels.map((channel) => (
          <PolicyRow
            key={channel.id}
            name={`#${channel.name}`}
            policy={keptFor(channel.id)?.owner ?? channel.policy}
            isOwn={keptFor(channel.id)?.owner != null}
            other={describePolicy(
              texts,
              t("The server's admins"),
              keptFor(channel.id)?.server ?? keptFor(null)?.server,
            )}
            fallback={t('Same as in the server')}
            onChange={(policy) => set(channel.id, policy)}
          />
        ))}
      </ul>
      <AddToChannel agent={agent} place={place} after={after} />
    </section>
  );
}

/** Adds the bot to more channels. */
function AddToChannel({ agent, place, after }: Omit<ServerPoliciesProps, 'kept'>) {
  const { t } = useTexts();
  const { servers, client } = useApp();
  useEffect(() => {
    // Without its channels the bot can still be added from the server's own pages.
    void servers.loadChannels(place.id).catch(() => {});
  }, [place.id]);
  const missing =
    servers.channels.value.get(place.id)?.filter((channel) => isReadable(channel) && !isIn(place, channel)) ?? [];
  return (
    <PickAndAdd
      label={t('Channel of {name} to add it to', { name: place.name })}
      options={missing.map(({ id, name }) => ({ value: id, label: `#${name}` }))}
      onAdd={(id) => after(() => client.rest('POST /api/channels/:id/members', { id, body: { userId: agent.userId } }))}
    />
  );
}

const isIn = ({ channels }: Place, { id }: ChannelRecord) => channels.some((channel) => channel.id === id);

type Webhook = RestAnswer<'GET /api/agents/:id/webhook'>;

/** A bot's webhook, and the state of its deliveries. */
export function AgentWebhook({ agentId }: { agentId: string }) {
  const { t } = useTexts();
  const app = useApp();
  const { client } = app;
  const id = agentId;
  const { value, load } = useLoaded(() => read(app, id), [id]);
  const [secret, setSecret] = useState<string | null>(null);
  if (!value) return null;
  const { webhook } = value;
  const save = async ({ text }: Fields) => {
    setSecret((await client.rest('PUT /api/agents/:id/webhook', { id, body: { url: text('url') } })).secret);
    await load();
  };
  const rotate = async () => setSecret((await client.rest('POST /api/agents/:id/webhook/secret', { id })).secret);
  return (
    <Block
      title={t('Webhook')}
      about={t('For a bot without a connection: its events are sent to this address, signed.')}
    >
      {webhook && <Deliveries webhook={webhook} />}
      <Form action={webhook ? t('Change the address') : t('Deliver events')} work={save}>
        <Field label={t('Address (https)')} name="url" type="url" value={webhook?.url ?? ''} required />
      </Form>
      <Secret title={t('The secret that deliveries are signed with')} secret={secret} />
      {webhook && <WebhookActions id={id} isPaused={webhook.state === 'paused'} load={load} rotate={rotate} />}
    </Block>
  );
}

function Deliveries({ webhook }: { webhook: Webhook }) {
  const { fullTime, t } = useTexts();
  const { state, lastError, failingSince, stoppedAt, lastDeliveredAt, pending } = webhook;
  const since = stoppedAt ?? failingSince;
  return (
    <>
      <p class={state === 'active' ? 'hint' : 'note problem'} role="status">
        {t(saying[state])}
        {since && ` ${t('Since {time}.', { time: fullTime(since) })}`}
        {since && lastError && ` ${lastError}`}
      </p>
      <p class="hint">
        {lastDeliveredAt
          ? t('Last delivery: {time}.', { time: fullTime(lastDeliveredAt) })
          : t('Nothing was delivered yet.')}
        {pending > 0 && ` ${t('{pending} waiting.', { pending })}`}
      </p>
    </>
  );
}

const saying: Record<Webhook['state'], Message> = {
  active: 'Deliveries work.',
  failing: 'Some deliveries fail, and are tried again.',
  dead: 'Stopped after failing for too long.',
  gone: 'Stopped: the address no longer accepts deliveries.',
  paused: 'Paused until you confirm the address: the token of this bot was renewed, or a session was ended.',
};

interface WebhookActionsProps {
  id: string;
  isPaused: boolean;
  load(): Promise<void>;
  rotate(): Promise<void>;
}

function WebhookActions({ id, isPaused, load, rotate }: WebhookActionsProps) {
  const { t } = useTexts();
  const { attempt, client, showToast } = useApp();
  const doing = (work: () => Promise<unknown>) => () => void attempt(() => work().then(load));
  const test = async () => {
    const { delivered, error } = await client.rest('POST /api/agents/:id/webhook/test', { id });
    showToast(
      delivered ? t('The test was delivered.') : t('The test was not delivered. {error}', { error: error ?? '' }),
    );
  };
  const enable = () => client.rest('POST /api/agents/:id/webhook/enable', { id, body: {} });
  return (
    <div class="inline">
      <Button label={t('Send a test')} kind="quiet" onClick={doing(test)} />
      <Button label={isPaused ? t('Confirm the address') : t('Try again now')} kind="quiet" onClick={doing(enable)} />
      <Button label={t('New secret')} kind="quiet" onClick={doing(rotate)} />
      <Button
        label={t('Stop deliveries')}
        kind="quiet"
        onClick={doing(() => client.rest('DELETE /api/agents/:id/webhook', { id }))}
      />
    </div>
  );
}

/** @returns null for a bot without a webhook */
async function read(app: AppState, id: string): Promise<{ webhook: Webhook | null }> {
  try {
    return { webhook: await app.client.rest('GET /api/agents/:id/webhook', { id }) };
  } catch (error) {
    if (error instanceof ParleyError && error.code === 'WEBHOOK_NOT_FOUND') return { webhook: null };
    throw error;
  }
}
