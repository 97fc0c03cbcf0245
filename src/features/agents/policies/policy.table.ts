import { isDeepStrictEqual } from 'node:util';
import { type Halves, isSamePolicy, noHalves, stricter, within } from '../../../access/policy.ts';
import type { Policy } from '../../../contract/policy.ts';
import type { Rows } from '../../../database/database.ts';
import { newId } from '../../../infrastructure/ids.ts';
import type { PolicyRow } from './policy.view.ts';

const columns = `id, agent_id AS "agentId", server_id AS "serverId", channel_id AS "channelId", mode,
  mention_only AS "mentionOnly", reply, listen, config, owner_half AS owner, server_half AS server,
  created_at AS "createdAt", updated_at AS "updatedAt"`;
/** Those of servers that $3 is a member of; null: all. */
const ofAgent = `SELECT ${columns} FROM agent_policies p WHERE agent_id = $1 AND ($2::uuid IS NULL OR server_id = $2)
  AND ($3::uuid IS NULL OR server_id IS NULL OR EXISTS (
    SELECT FROM server_members m WHERE m.server_id = p.server_id AND m.user_id = $3))
  ORDER BY created_at, id LIMIT 2000`;
/** Of a server its default and those of all its channels; of a DM its own. */
const around = `SELECT ${columns} FROM agent_policies WHERE agent_id = $1 AND (server_id = $2 OR channel_id = $3)`;
const byId = `SELECT ${columns} FROM agent_policies WHERE agent_id = $1 AND id = $2`;
const removeOne = 'DELETE FROM agent_policies WHERE id = $1';
const taken = `mode = excluded.mode, mention_only = excluded.mention_only, reply = excluded.reply,
  listen = excluded.listen, config = excluded.config, owner_half = excluded.owner_half,
  server_half = excluded.server_half, revision = agent_policies.revision + 1, updated_at = now()`;
const insert = `INSERT INTO agent_policies (id, agent_id, server_id, channel_id, mode, mention_only, reply, listen,
  config, owner_half, server_half, revision, created_at, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::json, $10::jsonb, $11::jsonb, 1, now(), now())`;
const putChannel = `${insert} ON CONFLICT (agent_id, channel_id) WHERE channel_id IS NOT NULL
  DO UPDATE SET ${taken} RETURNING ${columns}`;
const putServer = `${insert} ON CONFLICT (agent_id, server_id) WHERE channel_id IS NULL
  DO UPDATE SET ${taken} RETURNING ${columns}`;

/** Where a policy holds: in one channel, or (without one) as the default of a server. */
export interface Place {
  serverId: string | null;
  channelId: string | null;
}

/** @param reader only of servers that this user is a member of; null: all */
export function policiesOf(
  rows: Rows,
  agentId: string,
  serverId: string | null,
  reader: string | null,
): Promise<PolicyRow[]> {
  return rows<PolicyRow>(ofAgent, [agentId, serverId, reader]);
}

export async function findPolicy(rows: Rows, agentId: string, policyId: string): Promise<PolicyRow | undefined> {
  const [row] = await rows<PolicyRow>(byId, [agentId, policyId]);
  return row;
}

/** What was set for a bot in a place itself, and what applies there with the default of its server. */
export async function halvesAt(rows: Rows, agentId: string, place: Place): Promise<{ own: Halves; effective: Halves }> {
  const found = await rows<PolicyRow>(around, [agentId, place.serverId, place.channelId]);
  const own = found.find(({ channelId }) => channelId === place.channelId) ?? noHalves;
  const standard = found.find(({ channelId }) => channelId === null) ?? noHalves;
  return { own, effective: within(own, standard) };
}

/**
 * Stores what both sides have set in a place, and the policy that results, in channels with the default of the server.
 * The agent must be locked. @returns the row afterwards; null: nothing is set any more
 */
export async function writePolicy(
  rows: Rows,
  agentId: string,
  place: Place,
  halves: Halves,
): Promise<{ row: PolicyRow | null; isChanged: boolean }> {
  const found = await rows<PolicyRow>(around, [agentId, place.serverId, place.channelId]);
  const mine = found.find(({ channelId }) => channelId === place.channelId);
  const { owner = null, server = null } = mine ?? {};
  if (isDeepStrictEqual({ owner, server }, halves)) return { row: mine ?? null, isChanged: false };
  const standard = found.find(({ channelId }) => channelId === null) ?? noHalves;
  const isDefault = place.channelId === null;
  const written = await writeOne(
    rows,
    agentId,
    place,
    halves,
    stricter(isDefault ? halves : within(halves, standard)),
    mine,
  );
  if (!isDefault) return { row: written, isChanged: true };
  for (const row of found) {
    if (row.channelId === null) continue;
    const policy = stricter(within(row, halves));
    if (!isSamePolicy(policy, row)) await writeOne(rows, agentId, row, row, policy, row);
  }
  return { row: written, isChanged: true };
}

async function writeOne(
  rows: Rows,
  agentId: string,
  { serverId, channelId }: Place,
  { owner, server }: Halves,
  policy: Policy,
  before: PolicyRow | undefined,
): Promise<PolicyRow | null> {
  if (!owner && !server) {
    if (before) await rows(removeOne, [before.id]);
    return null;
  }
  const { mode, mentionOnly, reply, listen, config } = policy;
  const flags = [mode, mentionOnly, reply, listen, JSON.stringify(config)];
  const halves = [owner && JSON.stringify(owner), server && JSON.stringify(server)];
  const values = [newId(), agentId, serverId, channelId, ...flags, ...halves];
  const [row] = await rows<PolicyRow>(channelId === null ? putServer : putChannel, values);
  return row ?? null;
}
