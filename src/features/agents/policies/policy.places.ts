import { isDeepStrictEqual } from 'node:util';
import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { type Halves, isSamePolicy, stricter, within } from '../../../access/policy.ts';
import type { Policy } from '../../../contract/policy.ts';
import type { Queries } from '../../../database/database.ts';
import { AgentPolicy } from '../../../database/entities/agent.entity.ts';
import { dateNow } from '../../../infrastructure/clock.ts';
import { newId } from '../../../infrastructure/ids.ts';
import { halvesOf } from './policy.view.ts';

/** Where a policy holds: in one channel, or (without one) as the default of a server. */
export interface Place {
  serverId: string | null;
  channelId: string | null;
}

/** The policies of an agent, oldest first. @param reader only of servers that this user is a member of; null: all */
export function policiesOf(db: Queries, agentId: string, serverId: string | undefined, reader: string | null) {
  const own = db.selectFrom('AgentPolicy as p').where('p.agentId', '=', agentId);
  const there = serverId === undefined ? own : own.where('p.serverId', '=', serverId);
  const readable = (userId: string) =>
    there.where(({ or, eb, exists, selectFrom }) => {
      const memberships = selectFrom('ServerMember as m').select('m.userId').where('m.userId', '=', userId);
      return or([eb('p.serverId', 'is', null), exists(memberships.whereRef('m.serverId', '=', 'p.serverId'))]);
    });
  return (reader === null ? there : readable(reader))
    .orderBy('p.createdAt')
    .orderBy('p.id')
    .limit(2000)
    .select(['p.id', 'p.agentId', 'p.serverId', 'p.channelId', 'p.mode', 'p.mentionOnly', 'p.reply', 'p.listen'])
    .select(['p.config', 'p.ownerHalf', 'p.serverHalf', 'p.createdAt', 'p.updatedAt'])
    .$narrowType<{ config: Record<string, unknown> }>()
    .execute();
}

/** What was set for a bot in a place itself, and what applies there with the default of its server. */
export async function halvesAt(
  em: EntityManager,
  agentId: string,
  place: Place,
): Promise<{ own: Halves; effective: Halves }> {
  const { own, standard } = at(await around(em, agentId, place), place);
  return { own: halvesOf(own), effective: within(halvesOf(own), standard) };
}

/**
 * Stores what both sides set in a place, and the policy that results, in channels with the default of the server. The
 * agent must be locked.
 * @param set what both set, by what they had set before
 * @returns the policy afterwards; null: nothing is set any more
 */
export async function writePolicy(
  em: EntityManager,
  agentId: string,
  place: Place,
  set: (before: Halves) => Halves,
): Promise<{ policy: AgentPolicy | null; isChanged: boolean }> {
  const found = await around(em, agentId, place);
  const { own, standard } = at(found, place);
  const halves = set(halvesOf(own));
  if (isDeepStrictEqual(halvesOf(own), halves)) return { policy: own ?? null, isChanged: false };
  const isDefault = place.channelId === null;
  const result = stricter(isDefault ? halves : within(halves, standard));
  const policy = halves.owner || halves.server ? put(em, agentId, place, halves, result, own) : null;
  if (own && !policy) em.remove(own);
  for (const one of isDefault ? found : []) {
    if (one.channelId == null) continue;
    const inside = stricter(within(halvesOf(one), halves));
    if (!isSamePolicy(inside, one)) apply(one, halvesOf(one), inside);
  }
  await em.flush();
  return { policy, isChanged: true };
}

/** Of a server its default and the policies of all its channels; of a DM its own. */
function around(em: EntityManager, agentId: string, { serverId, channelId }: Place): Promise<AgentPolicy[]> {
  const places: FilterQuery<AgentPolicy>[] = [];
  if (serverId !== null) places.push({ serverId });
  if (channelId !== null) places.push({ channelId });
  return em.find(AgentPolicy, { agentId, $or: places });
}

/** The policy of the place itself, and what was set as the default. */
function at(found: AgentPolicy[], place: Place): { own: AgentPolicy | undefined; standard: Halves } {
  const of = (id: string | null) => found.find(({ channelId = null }) => channelId === id);
  return { own: of(place.channelId), standard: halvesOf(of(null)) };
}

function put(
  em: EntityManager,
  agentId: string,
  { serverId, channelId }: Place,
  halves: Halves,
  result: Policy,
  before: AgentPolicy | undefined,
): AgentPolicy {
  if (before) return apply(before, halves, result);
  const set = { ownerHalf: halves.owner, serverHalf: halves.server };
  return em.create(AgentPolicy, { id: newId(), agentId, serverId, channelId, ...result, ...set, revision: 1 });
}

function apply(policy: AgentPolicy, { owner, server }: Halves, { mode, mentionOnly, reply, listen, config }: Policy) {
  Object.assign(policy, { mode, mentionOnly, reply, listen, config, ownerHalf: owner, serverHalf: server });
  policy.revision++;
  policy.updatedAt = dateNow();
  return policy;
}
