import type { Caches } from '../cluster/caches.ts';
import type { Policy } from '../contract/policy.ts';
import type { Database } from '../database/database.ts';
import type { Cache } from '../infrastructure/cache.ts';
import { deafIn, limitedIn, readEffective } from './policy.table.ts';
import { openPolicy } from './policy.ts';

const policyCache = 'agent-policies';
const policyKey = (userId: string, channelId: string) => `${userId}:${channelId}`;

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
    const barred = new Set(await deafIn(this.database.rows, botUserId, channelIds));
    return channelIds.filter((id) => !barred.has(id));
  }

  /** Those in which the bot reads only what concerns it. */
  limited(botUserId: string, channelIds: string[]): Promise<string[]> {
    return limitedIn(this.database.rows, botUserId, channelIds);
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
    return (await readEffective(this.database.committedRows, key)) ?? openPolicy;
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
