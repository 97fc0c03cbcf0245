import { accountDeletionCalls } from '../../contract/account-deletion.ts';
import { serve } from '../../rest/route.ts';
import type { AccountsServices } from '../accounts/accounts.module.ts';
import type { AgentsServices } from '../agents/agents.module.ts';
import type { ChannelsServices } from '../channels/channels.module.ts';
import type { Context } from '../context.ts';
import type { FriendsServices } from '../friends/friends.module.ts';
import type { HandoversServices } from '../handovers/handovers.module.ts';
import type { MembersServices } from '../members/members.module.ts';
import type { PresenceServices } from '../presence/presence.module.ts';
import type { ServersServices } from '../servers/servers.module.ts';
import { AccountDeletion } from './account-deletion.service.ts';
import { accountDeletion } from './deletion.job.ts';
import { DeletionSteps } from './deletion.steps.ts';

type Below = AccountsServices &
  PresenceServices &
  FriendsServices &
  ChannelsServices &
  MembersServices &
  ServersServices &
  AgentsServices &
  HandoversServices;

/** The end of accounts (contract §3). */
export function accountDeletionModule(context: Context & Below) {
  const deletion = new AccountDeletion(context);
  return {
    services: { accountDeletion: deletion },
    routes: serve(accountDeletionCalls, {
      deleteMe: ({ actor, body }) => deletion.request(actor, body),
    }),
    jobs: [accountDeletion({ ...context, steps: new DeletionSteps(context) }), deletion.mailWork],
  };
}
