import type { Context } from '../context.ts';
import { Audience } from './audience.ts';
import { Roster } from './roster.ts';

export type MembersServices = ReturnType<typeof membersModule>['services'];

/** Who is in a server and in its channels. */
export function membersModule(context: Context) {
  const audience = new Audience(context.notifications);
  return { services: { audience, roster: new Roster({ ...context, audience }) } };
}
