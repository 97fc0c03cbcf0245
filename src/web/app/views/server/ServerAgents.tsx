import { useState } from 'preact/hooks';
import type { ChannelRecord, RestAnswer, ServerRecord } from '../../../../client/index.ts';
import { isReadable, type Member } from '../../state/servers.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Check, type Option, PickAndAdd, Select } from '../parts/Field.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block, Row } from '../parts/Page.tsx';
import { type AppState, useApp } from '../useApp.ts';

/** The bots of a server, and their policies in its channels. */
export function ServerAgents({ server }: { server: ServerRecord }) {
  const app = useApp();
  const { servers, client } = app;
  const [shownId, setShownId] = useState<string | null>(null);
  const { value, after } = useLoaded(
    async () => ({
      members: await servers.membersOf(server.id),
      own: await client.rest('GET /api/agents'),
    }),
    [server.id],
  );
  const bots = value?.members.filter(({ user }) => user.isBot) ?? [];
  const shown = bots.find(({ userId }) => userId === shownId);
  const missing = value?.own.filter((agent) => !bots.some(({ userId }) => userId === agent.userId)) ?? [];
  const add = (agentId: string) => after(() => addAgent(app, server.id, agentId));
  return (
    <Block
      title={`Agents · ${bots.length}`}
      about="Bots in this server. A new one is in #general until it is added elsewhere."
    >
      {value && bots.length === 0 && <p class="empty">There are none yet.</p>}
      <ul class="people">
        {bots.map((bot) => (
          <BotRow key={bot.userId} server={server} bot={bot} onShow={() => setShownId(bot.userId)} />
        ))}
      </ul>
      <PickAndAdd
        label="Agent of yours"
        options={missing.map(({ id, displayName }) => ({ value: id, label: displayName }))}
        onAdd={add}
      />
      {shown && <BotChannels server={server} bot={shown} after={after} onClose={() => setShownId(null)} />}
    </Block>
  );
}

/** @throws Error why the server refused it */
export async function addAgent(app: AppState, serverId: string, agentId: string): Promise<void> {
  const body = { agentIds: [agentId] };
  const { failed } = await app.client.rest('POST /api/servers/:id/agents', { id: serverId, body });
  if (failed[0]) throw new Error(failed[0].error);
}

/** Permissions about the bots of others. */
const deciding = ['bot:set-policy', 'bot:keep', 'bot:set-rights'] as const;

interface BotProps {
  server: ServerRecord;
  bot: Member;
}

function BotRow({ server, bot, onShow }: BotProps & { onShow(): void }) {
  const { me, rights } = useApp();
  const { user, agent } = bot;
  const isDecided = deciding.some((permission) => rights.may(server, permission));
  const decides = isDecided || agent?.ownerId === me.value?.id;
  const about = `@${user.username}${agent?.kept ? ' · kept for the server' : ''}`;
  return (
    <Row picture={<Avatar user={user} present />} name={user.displayName} about={about}>
      {decides && <Button label="Channels" kind="quiet" onClick={onShow} />}
    </Row>
  );
}

interface BotChannelsProps extends BotProps {
  after(change: () => Promise<unknown>): void;
  onClose(): void;
}

/** The channels that a bot is in, with its policies. */
function BotChannels({ server, bot, after, onClose }: BotChannelsProps) {
  const { servers, rights, me } = useApp();
  const open = servers.channels.value.get(server.id)?.filter(isReadable) ?? [];
  const setsPolicy = rights.may(server, 'bot:set-policy');
  const isShown = setsPolicy || bot.agent?.ownerId === me.value?.id;
  return (
    <Dialog title={`${bot.user.displayName} in ${server.name}`} size="wide" onClose={onClose}>
      <BotRights server={server} bot={bot} after={after} />
      <ul class="people found">
        {setsPolicy && <BotServerPolicy server={server} bot={bot} />}
        {isShown &&
          open.map((channel) => (
            <BotChannel key={channel.id} channel={channel} bot={bot} side={setsPolicy ? 'server' : 'owner'} />
          ))}
      </ul>
    </Dialog>
  );
}

/** Rights of a bot that are not its owner's to give. */
function BotRights({ server, bot, after }: Omit<BotChannelsProps, 'onClose'>) {
  const { client, rights } = useApp();
  const { agent } = bot;
  if (!agent) return null;
  const params = { id: server.id, agentId: agent.id };
  const keep = (kept: boolean): Promise<unknown> =>
    kept
      ? client.rest('PUT /api/servers/:id/agents/:agentId/keep', params)
      : client.rest('DELETE /api/servers/:id/agents/:agentId/keep', params);
  const allow = (workspaceWrite: boolean) =>
    client.rest('PUT /api/servers/:id/agents/:agentId/rights', { ...params, body: { workspaceWrite } });
  return (
    <p class="flags">
      {rights.may(server, 'bot:keep') && (
        <Check
          label="Keep it for the server, also without its owner"
          checked={agent.kept}
          onChange={(kept) => after(() => keep(kept))}
        />
      )}
      {rights.may(server, 'bot:set-rights') && (
        <Check
          label="It may change files"
          checked={agent.workspaceWrite}
          onChange={(allowed) => after(() => allow(allowed))}
        />
      )}
    </p>
  );
}

/** The policy that the server's admins have set for a bot in all channels. */
function BotServerPolicy({ server, bot }: BotProps) {
  const { client, attempt } = useApp();
  const params = { id: server.id, agentId: bot.agent?.id ?? '' };
  const { value, load } = useLoaded(
    () => client.rest('GET /api/servers/:id/agents/:agentId/policy', params),
    [server.id, bot.userId],
  );
  if (!value) return null;
  const set = (body: Partial<Policy>) =>
    attempt(() => client.rest('PUT /api/servers/:id/agents/:agentId/policy', { ...params, body }).then(load));
  return (
    <PolicyRow
      name="all channels"
      policy={value.server ?? openPolicy}
      isOwn
      other={describePolicy('Its owner', value.owner)}
      onChange={(next) => next && void set(next)}
    />
  );
}

interface BotChannelProps {
  channel: ChannelRecord;
  bot: Member;
  /** Whose half of the policy is set here. */
  side: 'owner' | 'server';
}

function BotChannel({ channel, bot, side }: BotChannelProps) {
  const app = useApp();
  const { attempt, client, me, rights } = app;
  const channelId = channel.id;
  const name = `#${channel.name}`;
  const agentId = bot.agent?.id ?? '';
  const { value, load } = useLoaded(() => placeOf(app, channelId, bot), [channelId, bot.userId]);
  const change = (work: () => Promise<unknown>) => void attempt(() => work().then(load));
  if (!value) return <Row name={name} about="One moment…" />;
  const { policy } = value;
  if (!policy) {
    const body = { userId: bot.userId };
    const mayAdd = bot.agent?.ownerId === me.value?.id || rights.mayIn(channel, 'channel:add-member');
    const enter = () => client.rest('POST /api/channels/:id/members', { id: channelId, body });
    return (
      <Row name={name} about="It is not here.">
        {mayAdd && <Button label="Add it" kind="quiet" onClick={() => change(enter)} />}
      </Row>
    );
  }
  const set = (next: Partial<Policy>) => {
    const body = { ...next, setBy: side };
    return change(() =>
      client.rest('PUT /api/channels/:channelId/agents/:agentId/policy', { channelId, agentId, body }),
    );
  };
  const other =
    side === 'server'
      ? describePolicy('Its owner', policy.owner)
      : describePolicy("The server's admins", policy.server);
  const own = policy[side] ?? openPolicy;
  return <PolicyRow name={name} policy={own} isOwn other={other} onChange={(next) => next && set(next)} />;
}

type InChannel = RestAnswer<'GET /api/channels/:channelId/agents/:agentId/policy'>;

/** A bot's policy in a channel; null: it is not a member. */
async function placeOf(
  app: AppState,
  channelId: string,
  { userId, agent }: Member,
): Promise<{ policy: InChannel | null }> {
  const members = await app.servers.channelMembersOf(channelId);
  if (!agent || !members.some((member) => member.userId === userId)) return { policy: null };
  const params = { channelId, agentId: agent.id };
  return { policy: await app.client.rest('GET /api/channels/:channelId/agents/:agentId/policy', params) };
}

type Effective = RestAnswer<'GET /api/agents/:id/config'>['servers'][number]['defaultPolicy'];

/** Which messages a bot receives, and whether it may send any. */
export type Policy = Pick<Effective, 'mode' | 'reply' | 'mentionOnly' | 'listen'>;

const modes: { value: Policy['mode']; label: string; about: string }[] = [
  { value: 'replyAll', label: 'Hears and answers all', about: 'It gets every message.' },
  { value: 'mentionOnly', label: 'Only when it is mentioned', about: 'It gets what mentions or answers it.' },
  { value: 'disabled', label: 'Only listens', about: 'It gets every message, and may not write.' },
  { value: 'custom', label: 'Custom', about: 'As chosen.' },
];

interface PolicyRowProps {
  name: string;
  policy: Policy;
  /** Whether it was set here, not inherited. */
  isOwn: boolean;
  /** The other half: what the bot's owner or the server's admins have set. */
  other?: string | null;
  /** Label of the choice to inherit, where there is one. */
  fallback?: string;
  /** @param policy null: inherit */
  onChange(policy: Partial<Policy> | null): void;
}

/** The policy where none is set. */
export const openPolicy: Policy = { mode: 'replyAll', reply: true, mentionOnly: false, listen: true };

/** Describes one half of a policy to the side that sets the other. The stricter one applies. */
export function describePolicy(who: string, half: Policy | null | undefined): string | null {
  if (!half) return null;
  const label = modes.find(({ value }) => value === half.mode)?.label ?? half.mode;
  return `${who}: ${label.toLowerCase()}${half.listen ? '' : ', hears nothing'}; the stricter holds.`;
}

/** A bot's policy in one place, with controls to change it. */
export function PolicyRow({ name, policy, isOwn, other, fallback, onChange }: PolicyRowProps) {
  const inherited: Option[] = fallback ? [{ value: 'inherit', label: fallback }] : [];
  const choose = (value: string) => {
    const mode = modes.find((one) => one.value === value)?.value;
    if (!mode) return onChange(null);
    const { reply, mentionOnly, listen } = policy;
    onChange(mode === 'custom' ? { mode, reply, mentionOnly, listen } : { mode });
  };
  const about = modes.find(({ value }) => value === policy.mode)?.about;
  return (
    <Row name={name} about={[about, other].filter(Boolean).join(' ')}>
      <Select
        bare
        label={`Policy for ${name}`}
        value={isOwn || !fallback ? policy.mode : 'inherit'}
        options={[...inherited, ...modes]}
        onChange={choose}
      />
      {isOwn && policy.mode === 'custom' && <Flags policy={policy} onChange={onChange} />}
    </Row>
  );
}

const flags = [
  { flag: 'listen', label: 'Hears messages' },
  { flag: 'mentionOnly', label: 'only those that mention it' },
  { flag: 'reply', label: 'May write' },
] as const;

function Flags({ policy, onChange }: { policy: Policy; onChange(policy: Partial<Policy>): void }) {
  return (
    <span class="flags">
      {flags.map(({ flag, label }) => (
        <Check
          key={flag}
          label={label}
          checked={policy[flag]}
          onChange={(checked) => {
            const { reply, mentionOnly, listen } = policy;
            onChange({ mode: 'custom', reply, mentionOnly, listen, [flag]: checked });
          }}
        />
      ))}
    </span>
  );
}
