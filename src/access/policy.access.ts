import type { Caches } from '../cluster/caches.ts';
import type { Policy } from '../contract/policy.ts';
import type { Database } from '../database/database.ts';
import type { Cache } from '../infrastructure/cache.ts';
import { openPolicy } from './policy.ts';

const policyCache = 'agent-policies';
const policyKey = (userId: string, channelId: string) => `${userId}:${channelId}`;

/** The channel's own policy takes precedence over its server's default. */
const selectEffective = `SELECT p.mode, p.mention_only AS "mentionOnly", p.reply, p.listen, p.config
  FROM agents a JOIN channels c ON c.id = $2
  JOIN agent_policies p ON p.agent_id = a.id
    AND (p.channel_id = c.id OR (p.channel_id IS NULL AND p.server_id = c.server_id))
  WHERE a.user_id = $1 ORDER BY p.channel_id IS NULL LIMIT 1`;

/** Those of channels $2 in which the effective policy of bot $1 meets a condition. */
const where = (
  condition: string,
) => `SELECT c.id FROM agents a JOIN channels c ON c.id = ANY($2::uuid[]) CROSS JOIN LATERAL (
    SELECT p.listen, p.mention_only FROM agent_policies p WHERE p.agent_id = a.id
      AND (p.channel_id = c.id OR (p.channel_id IS NULL AND p.server_id = c.server_id))
    ORDER BY p.channel_id IS NULL LIMIT 1) AS policy
  WHERE a.user_id = $1 AND ${condition}`;
const deaf = where('NOT policy.listen');
const limited = where('policy.mention_only');

/** A bot's current policy in a channel; all requests and deliveries ask here (contract §4). */
export class PolicyAccess {
  private readonly database: Database;
  private readonly caches: Caches;
  private readonly policies: Cache<Policy>;

  constructor(database: Database, caches: Caches) {
    this.database = database;
    this.caches = caches;
    const load = (key: string) => this.load(key);
    this.policies = caches.create(policyCache, 100_000, { facts: { load, lessened: allowsLess } });
  }

  async effective(botUserId: string, channelId: string): Promise<Policy> {
    const key = policyKey(botUserId, channelId);
    return (await this.policies.get(key, () => this.load(key))) ?? openPolicy;
  }

  /** The channels in which the bot may listen, for reads of many channels at once. */
  async listening(botUserId: string, channelIds: string[]): Promise<string[]> {
    const rows = await this.database.rows<{ id: string }>(deaf, [botUserId, channelIds]);
    const barred = new Set(rows.map((channel) => channel.id));
    return channelIds.filter((id) => !barred.has(id));
  }

  /** Those in which the bot reads only what concerns it. */
  async limited(botUserId: string, channelIds: string[]): Promise<string[]> {
    return (await this.database.rows<{ id: string }>(limited, [botUserId, channelIds])).map(({ id }) => id);
  }

  /** Whether `policy`, read a moment ago, is still current. */
  stillHolds(botUserId: string, channelId: string, policy: Policy): boolean {
    return this.policies.peek(policyKey(botUserId, channelId)) === policy;
  }

  /** For when control messages may have been missed. */
  forgetHere(): void {
    this.policies.clear();
  }

  private async load(key: string): Promise<Policy> {
    const [row] = await this.database.committedRows<Policy>(selectEffective, key.split(':'));
    return row ?? openPolicy;
  }

  forget(botUserId: string, channelIds: string[]): Promise<void> {
    return this.caches.forget(
      policyCache,
      channelIds.map((channelId) => policyKey(botUserId, channelId)),
    );
  }
}

/** Whether a bot may do less than before. */
function allowsLess(before: Policy, now: Policy): boolean {
  return (before.listen && !now.listen) || (before.reply && !now.reply) || (now.mentionOnly && !before.mentionOnly);
}
