import { useState } from 'preact/hooks';
import type { ServerRecord } from '../../../../client/index.ts';
import { me, parley } from '../../state/client.ts';
import { channelMembersOf, type Member, membersOf } from '../../state/members.ts';
import { channels, isAtLeast, isReadable } from '../../state/servers.ts';
import { attempt } from '../../state/toasts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block } from '../parts/Page.tsx';
import { PickAndAdd } from '../parts/PickAndAdd.tsx';
import { Row } from '../parts/Row.tsx';
import { type Policy, PolicyRow } from './PolicyRow.tsx';

/** The bots of a server, and what they may do in its channels. */
export function ServerAgents({ server }: { server: ServerRecord }) {
  const [shown, setShown] = useState<Member | null>(null);
  const { value, after } = useLoaded(
    async () => ({
      members: await membersOf(server.id),
      own: await parley.rest('GET /api/agents'),
    }),
    [server.id],
  );
  const bots = value?.members.filter(({ user }) => user.isBot) ?? [];
  const missing = value?.own.filter((agent) => !bots.some(({ userId }) => userId === agent.userId)) ?? [];
  const add = (agentId: string) => after(() => addAgent(server.id, agentId));
  return (
    <Block
      title={`Agents · ${bots.length}`}
      about="Bots in this server. A new one is in #general until it is added elsewhere."
    >
      {value && bots.length === 0 && <p class="empty">There are none yet.</p>}
      <ul class="people">
        {bots.map((bot) => (
          <BotRow key={bot.userId} server={server} bot={bot} onShow={() => setShown(bot)} />
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

/** @throws Error what the server has against it */
export async function addAgent(serverId: string, agentId: string): Promise<void> {
  const body = { agentIds: [agentId] };
  const { failed } = await parley.rest('POST /api/servers/:id/agents', { id: serverId, body });
  if (failed[0]) throw new Error(failed[0].error);
}

interface BotProps {
  server: ServerRecord;
  bot: Member;
}

function BotRow({ server, bot, onShow }: BotProps & { onShow(): void }) {
  const { user, agent } = bot;
  const decides = isAtLeast(server.role, 'admin') || agent?.ownerId === me.value?.id;
  return (
    <Row picture={<Avatar user={user} present />} name={user.displayName} about={`@${user.username}`}>
      {decides && <Button label="Channels" kind="quiet" onClick={onShow} />}
    </Row>
  );
}

/** In which channels a bot is, and what it may do there. */
function BotChannels({ server, bot, onClose }: BotProps & { onClose(): void }) {
  const open = channels.value.get(server.id)?.filter(isReadable) ?? [];
  return (
    <Dialog title={`${bot.user.displayName} in ${server.name}`} size="wide" onClose={onClose}>
      <ul class="people found">
        {open.map(({ id, name }) => (
          <BotChannel key={id} channelId={id} name={`#${name}`} bot={bot} />
        ))}
      </ul>
    </Dialog>
  );
}

function BotChannel({ channelId, name, bot }: { channelId: string; name: string; bot: Member }) {
  const agentId = bot.agent?.id ?? '';
  const { value, load } = useLoaded(() => placeOf(channelId, bot), [channelId, bot.userId]);
  const change = (work: () => Promise<unknown>) => void attempt(() => work().then(load));
  if (!value) return <Row name={name} about="One moment…" />;
  if (!value.policy) {
    const body = { userId: bot.userId };
    const enter = () => parley.rest('POST /api/channels/:id/members', { id: channelId, body });
    return (
      <Row name={name} about="It is not here.">
        <Button label="Add it" kind="quiet" onClick={() => change(enter)} />
      </Row>
    );
  }
  const set = (body: Partial<Policy>) =>
    change(() => parley.rest('PUT /api/channels/:channelId/agents/:agentId/policy', { channelId, agentId, body }));
  return <PolicyRow name={name} policy={value.policy} isOwn onChange={(next) => next && set(next)} />;
}

/** What holds for a bot in a channel; null: it is not in there. */
async function placeOf(channelId: string, { userId, agent }: Member): Promise<{ policy: Policy | null }> {
  const members = await channelMembersOf(channelId);
  if (!agent || !members.some((member) => member.userId === userId)) return { policy: null };
  const params = { channelId, agentId: agent.id };
  return { policy: await parley.rest('GET /api/channels/:channelId/agents/:agentId/policy', params) };
}
