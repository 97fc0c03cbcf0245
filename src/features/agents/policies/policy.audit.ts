import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../../contract/actor.ts';
import { botPolicy, type Policy } from '../../../contract/policy.ts';
import type { Change } from '../../../delivery/changes.ts';
import type { Place } from './policy.places.ts';

/** Writes down what the admins of a server set for a bot; what its owner sets is no act for a server. */
export function auditPolicy(
  change: Change,
  actor: Actor,
  botUserId: string,
  { serverId, channelId }: Place,
  set: { before: Policy | null; after: Policy },
): void {
  const before = set.before && { ...set.before, isConfigChanged: false };
  const isConfigChanged = !isDeepStrictEqual(set.before?.config ?? {}, set.after.config);
  const after = { ...set.after, isConfigChanged };
  change.audit(botPolicy, { actor, serverId, channelId, target: { kind: 'user', id: botUserId }, before, after });
}
