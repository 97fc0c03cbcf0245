import type { Chore } from '../../cluster/chores.ts';
import { ifMissing } from '../../contract/errors.ts';
import type { Changes } from '../../delivery/changes.ts';
import type { ChannelMemberService } from '../channels/channel-member.service.ts';
import { lockServer, type Roster } from '../members/roster.ts';

const atOnce = 20;
const inServers = `SELECT m.server_id AS "serverId", m.user_id AS "userId" FROM agents a
  JOIN server_members m ON m.user_id = a.user_id AND NOT m.kept
  WHERE NOT EXISTS (SELECT FROM server_members o WHERE o.server_id = m.server_id AND o.user_id = a.owner_id)`;
const inChannels = `SELECT m.server_id AS "serverId", m.user_id AS "userId" FROM agents a
  JOIN server_members m ON m.user_id = a.user_id AND NOT m.kept
  JOIN channel_members e ON e.user_id = a.user_id AND NOT e.excluded
  JOIN channels c ON c.id = e.channel_id AND c.server_id = m.server_id AND c.is_private
  WHERE NOT EXISTS (SELECT FROM channel_members o
    WHERE o.channel_id = e.channel_id AND o.user_id = a.owner_id AND NOT o.excluded)`;
const oneOf = (strays: string) => `${strays} AND m.server_id = $1 AND m.user_id = $2`;

interface Stray {
  serverId: string;
  userId: string;
}

/**
 * Removes bots from places that their owner has left. Earlier versions leave them there, also while they run beside
 * this one, and so may an import. Everyone gets the same events as if the bots left.
 */
export function strayBots(parts: { changes: Changes; roster: Roster; channelMembers: ChannelMemberService }): Chore {
  const { changes, roster, channelMembers } = parts;
  const expel = async ({ serverId, userId }: Stray, from: string, out: typeof roster.remove) => {
    await changes.run(async (change) => {
      await lockServer(change.rows, serverId);
      const still = await change.rows(oneOf(from), [serverId, userId]);
      if (still.length > 0) await out(change, serverId, userId);
    });
  };
  return {
    name: 'take out bots without their owner',
    async step(rows) {
      const strays = await rows<Stray>(`${inServers} LIMIT ${atOnce}`);
      for (const stray of strays) {
        await expel(stray, inServers, (...leaving) => roster.remove(...leaving)).catch(ifMissing);
      }
      const inside = await rows<Stray>(`${inChannels} LIMIT ${atOnce}`);
      for (const stray of inside) {
        await expel(stray, inChannels, (...leaving) => channelMembers.removeStrays(...leaving)).catch(ifMissing);
      }
      return strays.length + inside.length;
    },
  };
}
