import type { ChannelRecord } from '../../../../client/index.ts';
import { ranksAbove } from '../../../../contract/standing.ts';
import type { Member } from '../../state/servers.ts';
import { useApp } from '../useApp.ts';
import { useChannelMembers } from './useMembers.ts';
import { ownStanding, standingOf, useRoles } from './useRoles.ts';

/** The members of a channel of the server that is shown, and what the user may do with them. */
export function useChannelTasks(channel: ChannelRecord) {
  const app = useApp();
  const { servers, client, me } = app;
  const server = servers.current.value;
  const roles = useRoles(server);
  const { value: list, after } = useChannelMembers(channel.id);
  const mayAdd = app.rights.mayIn(channel, 'channel:add-member');
  return {
    server,
    roles,
    list,
    mayAdd,
    add: (userId: string) =>
      after(() => client.rest('POST /api/channels/:id/members', { id: channel.id, body: { userId } })),
    mayRemove(member: Member): boolean {
      if (!server || member.userId === me.value?.id || !app.rights.mayIn(channel, 'channel:remove-member'))
        return false;
      // About bots decides whoever may let them in, whatever their role.
      const isOpenTo = member.user.isBot && mayAdd;
      return isOpenTo || ranksAbove(ownStanding(app, server), standingOf(app, server, member));
    },
    remove: (userId: string) =>
      after(() => client.rest('DELETE /api/channels/:id/members/:userId', { id: channel.id, userId })),
  };
}
