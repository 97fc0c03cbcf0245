import { useState } from 'preact/hooks';
import type { ChannelRecord, RestAnswer, ServerRecord } from '../../../../client/index.ts';
import { isReadable, type Member } from '../../state/servers.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Check, PickAndAdd } from '../parts/Field.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block, Row } from '../parts/Page.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { BotCommands } from './BotCommands.tsx';
import { describePolicy, openPolicy, type Policy, PolicyRow } from './Policy.tsx';

/** The bots of a server, and their policies in its channels. */
export function ServerAgents({ server }: { server: ServerRecord }) {
  const { t } = useTexts();
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
      title={t('Bots · {count}', { count: bots.length })}
      about={t('Bots in this server. A new one is in #general until it is added elsewhere.')}
    >
      {value && bots.length === 0 && <p class="empty">{t('No bots yet.')}</p>}
      <ul class="people">
        {bots.map((bot) => (
          <BotRow key={bot.userId} server={server} bot={bot} onShow={() => setShownId(bot.userId)} />
        ))}
      </ul>
      <PickAndAdd
        label={t('One of your bots')}
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
  const { t } = useTexts();
  const { me, rights } = useApp();
  const { user, agent } = bot;
  const isDecided = deciding.some((permission) => rights.may(server, permission));
  const decides = isDecided || agent?.ownerId === me.value?.id;
  const about = agent?.kept ? `@${user.username} · ${t('kept for the server')}` : `@${user.username}`;
  return (
    <Row picture={<Avatar user={user} present />} name={user.displayName} about={about}>
      {decides && <Button label={t('Channels')} kind="quiet" onClick={onShow} />}
    </Row>
  );
}

interface BotChannelsProps extends BotProps {
  after(change: () => Promise<unknown>): void;
  onClose(): void;
}

/** The channels that a bot is in, with its policies. */
function BotChannels({ server, bot, after, onClose }: BotChannelsProps) {
  const { t } = useTexts();
  const { servers, rights, me } = useApp();
  const open = servers.channels.value.get(server.id)?.filter(isReadable) ?? [];
  const setsPolicy = rights.may(server, 'bot:set-policy');
  const isShown = setsPolicy || bot.agent?.ownerId === me.value?.id;
  return (
    <Dialog
      title={t('{displayName} in {name}', { displayName: bot.user.displayName, name: server.name })}
      size="wide"
      onClose={onClose}
    >
      <BotRights server={server} bot={bot} after={after} />
      <ul class="people found">
        {setsPolicy && <BotServerPolicy server={server} bot={bot} />}
        {isShown &&
          open.map((channel) => (
            <BotChannel key={channel.id} channel={channel} bot={bot} side={setsPolicy ? 'server' : 'owner'} />
          ))}
      </ul>
      {setsPolicy && bot.agent && <BotCommands server={server} agentId={bot.agent.id} />}
    </Dialog>
  );
}

/** Rights of a bot that are not its owner's to give. */
function BotRights({ server, bot, after }: Omit<BotChannelsProps, 'onClose'>) {
  const { t } = useTexts();
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
          label={t('Keep it for the server, also without its owner')}
          checked={agent.kept}
          onChange={(kept) => after(() => keep(kept))}
        />
      )}
      {rights.may(server, 'bot:set-rights') && (
        <Check
          label={t('It can change files')}
          checked={agent.workspaceWrite}
          onChange={(allowed) => after(() => allow(allowed))}
        />
      )}
    </p>
  );
}

/** The policy that the server's admins have set for a bot in all channels. */
function BotServerPolicy({ server, bot }: BotProps) {
  const texts = useTexts();
  const { t } = texts;
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
      other={describePolicy(texts, t('Its owner'), value.owner)}
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
  const texts = useTexts();
  const { t } = texts;
  const app = useApp();
  const { attempt, client, me, rights } = app;
  const channelId = channel.id;
  const name = `#${channel.name}`;
  const agentId = bot.agent?.id ?? '';
  const { value, load } = useLoaded(() => placeOf(app, channelId, bot), [channelId, bot.userId]);
  const change = (work: () => Promise<unknown>) => void attempt(() => work().then(load));
  if (!value) return <Row name={name} about={t('One moment…')} />;
  const { policy } = value;
  if (!policy) {
    const body = { userId: bot.userId };
    const mayAdd = bot.agent?.ownerId === me.value?.id || rights.mayIn(channel, 'channel:add-member');
    const enter = () => client.rest('POST /api/channels/:id/members', { id: channelId, body });
    return (
      <Row name={name} about={t('It is not in this channel.')}>
        {mayAdd && <Button label={t('Add to this channel')} kind="quiet" onClick={() => change(enter)} />}
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
      ? describePolicy(texts, t('Its owner'), policy.owner)
      : describePolicy(texts, t("The server's admins"), policy.server);
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
