import type { Chore } from '../../cluster/chores.ts';
import { ifMissing } from '../../contract/errors.ts';
import type { Database, Queries } from '../../database/database.ts';
import type { Changes } from '../../delivery/changes.ts';
import type { ChannelMemberService } from '../channels/channel-member.service.ts';
import { lockServer, type Roster } from '../members/roster.ts';

const atOnce = 20;

/** Bots that are members of servers, except those that the servers keep. */
function seats(db: Queries) {
  return db
    .selectFrom('Agent as a')
    .innerJoin('ServerMember as m', 'm.userId', 'a.userId')
    .where('m.kept', '=', false)
    .select(['m.serverId', 'm.userId']);
}

/** Those in servers that their owner is not in. */
function inServers(db: Queries) {
  return seats(db).where(({ not, exists, selectFrom }) =>
    not(
      exists(
        selectFrom('ServerMember as o')
          .select('o.userId')
          .whereRef('o.serverId', '=', 'm.serverId')
          .whereRef('o.userId', '=', 'a.ownerId'),
      ),
    ),
  );
}

/** Those in private channels that their owner is not in. */
function inChannels(db: Queries) {
  return seats(db)
    .innerJoin('ChannelMember as e', (on) => on.onRef('e.userId', '=', 'a.userId').on('e.excluded', '=', false))
    .innerJoin('Channel as c', (on) => on.onRef('c.id', '=', 'e.channelId').onRef('c.serverId', '=', 'm.serverId'))
    .where('c.isPrivate', '=', true)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('ChannelMember as o')
            .select('o.userId')
            .whereRef('o.channelId', '=', 'e.channelId')
            .whereRef('o.userId', '=', 'a.ownerId')
            .where('o.excluded', '=', false),
        ),
      ),
    );
}

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
  const expel = async (from: typeof inServers, out: typeof roster.remove) => {
    const strays = await from(database.db).limit(atOnce).execute();
    for (const { serverId, userId } of strays) {
      const leaving = changes.run(async (change) => {
        await lockServer(change.rows, serverId);
        const same = from(change.db).where('m.serverId', '=', serverId).where('m.userId', '=', userId);
        if ((await same.execute()).length > 0) await out(change, serverId, userId);
      });
      await leaving.catch(ifMissing);
    }
    return strays.length;
  };
  return {
    name: 'take out bots without their owner',
    async step() {
      const expelled = await expel(inServers, (...leaving) => roster.remove(...leaving));
      return expelled + (await expel(inChannels, (...leaving) => channelMembers.removeStrays(...leaving)));
    },
  };
}
