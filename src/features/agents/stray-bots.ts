import type { Chore } from '../../cluster/chores.ts';
import { ifMissing } from '../../contract/errors.ts';
import type { Database } from '../../database/database.ts';
import type { Changes } from '../../delivery/changes.ts';
import type { ChannelMemberService } from '../channels/channel-member.service.ts';
import { lockServer, type Roster } from '../members/roster.ts';
import { isStray, strayBotsIn } from './stray-bots.table.ts';

const atOnce = 20;

interface Parts {
  database: Database;
  changes: Changes;
  roster: Roster;
  channelMembers: ChannelMemberService;
}

/**
 * Removes bots from places that their owner has left. Earlier versions leave them there, also while they run beside
 * this one, and so may an import. Everyone gets the same events as if the bots left.
 */
export function strayBots({ database, changes, roster, channelMembers }: Parts): Chore {
  const expel = async (place: 'server' | 'channel', out: typeof roster.remove) => {
    const strays = await strayBotsIn(database.rows, place, atOnce);
    for (const bot of strays) {
      const { serverId, userId } = bot;
      const leaving = changes.run(async (change) => {
        await lockServer(change.rows, serverId);
        if (await isStray(change.rows, place, bot)) await out(change, serverId, userId);
      });
      await leaving.catch(ifMissing);
    }
    return strays.length;
  };
  return {
    name: 'take out bots without their owner',
    async step() {
      const expelled = await expel('server', (...leaving) => roster.remove(...leaving));
      return expelled + (await expel('channel', (...leaving) => channelMembers.removeStrays(...leaving)));
    },
  };
}
