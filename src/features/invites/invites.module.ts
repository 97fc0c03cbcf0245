import type { Context } from '../context.ts';
import { inviteRoutes } from './invite.routes.ts';
import { InviteService } from './invite.service.ts';

/** Invite codes of the whole installation (contract §3). */
export function invitesModule(context: Context) {
  const invites = new InviteService(context);
  return { services: { invites }, routes: inviteRoutes(invites) };
}
