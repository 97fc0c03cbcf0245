import { useState } from 'preact/hooks';
import type { ServerRecord } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { channels, isAtLeast } from '../../state/servers.ts';
import { attempt } from '../../state/toasts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block } from '../parts/Page.tsx';
import { PickAndAdd } from '../parts/PickAndAdd.tsx';
import { Row } from '../parts/Row.tsx';
import { type Policy, PolicyRow } from './PolicyRow.tsx';

interface Bot {
  userId: string;
  name: string;
}

/** The bots of a server, and what they may do in its channels. */
export function ServerAgents({ server }: { server: ServerRecord }) {
  const [shown, setShown] = useState<Bot | null>(null);
  const { value, after } = useLoaded(
    async () => ({
      members: await parley.rest('GET /api/servers/:id/members', { id: server.id }),
      own: await parley.rest('GET /api/agents'),
    }),
    [server.id],
  );
  const bots = value?.members.filter(({ user }) => user.isBot) ?? [];
  const missing = value?.own.filter((agent) => !bots.some(({ userId }) => userId === agent.userId)) ?? [];
  const isOwn = (userId: string) => value?.own.some((agent) => agent.userId === userId) ?? false;
  const add = (agentId: string) =>
    after(async () => {
      const body = { agentIds: [agentId] };
      const { failed } = await parley.rest('POST /api/servers/:id/agents', { id: server.id, body });
      if (failed[0]) throw new Error(failed[0].error);
    });
  return (
    <Block
      title={`Agents · ${bots.length}`}
      about="Bots in this server. A new one is in #general until it is added elsewhere."
    >
      {value && bots.length === 0 && <p class="empty">There are none yet.</p>}
      <ul class="people">
        {bots.map(({ userId, user }) => (
          <Row
            key={userId}
            picture={<Avatar user={user} present />}
            name={user.displayName}
            about={`@${user.username}`}
          >
            {(isAtLeast(server.role, 'admin') || isOwn(userId)) && (
              <button type="button" class="button quiet" onClick={() => setShown({ userId, name: user.displayName })}>
                Channels
              </button>
            )}
          </Row>
        ))}
      </ul>
      <PickAndAdd
        label="Agent of yours"
        options={missing.map(({ id, displayName }) => ({ value: id, label: displayName }))}
        onAdd={add}
      />
      {shown && <BotChannels server={server} bot={shown} onClose={() => setShown(null)} />}
    </Block>
  );
}

interface BotChannelsProps {
  server: ServerRecord;
  bot: Bot;
  onClose(): void;
}

/** In which channels a bot is, and what it may do there. */
function BotChannels({ server, bot, onClose }: BotChannelsProps) {
  const open = channels.value.get(server.id)?.filter(({ isMember, type }) => isMember && type !== 'voice') ?? [];
  return (
    <Dialog title={`${bot.name} in ${server.name}`} wide onClose={onClose}>
      <ul class="people found">
        {open.map(({ id, name }) => (
          <BotChannel key={id} channelId={id} name={`#${name}`} bot={bot} />
        ))}
      </ul>
    </Dialog>
  );
}

function BotChannel({ channelId, name, bot }: { channelId: string; name: string; bot: Bot }) {
  const { value, load } = useLoaded(() => placeOf(channelId, bot.userId), [channelId, bot.userId]);
  if (!value) return <Row name={name} about="One moment…" />;
  const { agentId, policy } = value;
  const change = (work: () => Promise<unknown>) => void attempt(() => work().then(load));
  if (!agentId || !policy) {
    const body = { userId: bot.userId };
    const enter = () => parley.rest('POST /api/channels/:id/members', { id: channelId, body });
    return (
      <Row name={name} about="It is not here.">
        <button type="button" class="button quiet" onClick={() => change(enter)}>
          Add it
        </button>
      </Row>
    );
  }
  const set = (body: Partial<Policy>) =>
    change(() => parley.rest('PUT /api/channels/:channelId/agents/:agentId/policy', { channelId, agentId, body }));
  return <PolicyRow name={name} policy={policy} isOwn onChange={(next) => next && set(next)} />;
}

/** Whether a bot is in a channel, and what holds for it there. */
async function placeOf(channelId: string, userId: string) {
  const members = await parley.rest('GET /api/channels/:id/members', { id: channelId, query: {} });
  const isIn = members.some((member) => member.userId === userId);
  const agentId = isIn ? (await parley.rest('GET /api/auth/users/:id', { id: userId })).agent?.id : undefined;
  if (!agentId) return { agentId: null, policy: null };
  const policy = await parley.rest('GET /api/channels/:channelId/agents/:agentId/policy', { channelId, agentId });
  return { agentId, policy };
}
