import type { z } from 'zod';
import { type Halves, openPolicy } from '../../../access/policy.ts';
import type { Policy, policySchema } from '../../../contract/policy.ts';
import { isoTime } from '../../../contract/schema.ts';

/** A row of `agent_policies`. */
export interface PolicyRow extends Policy, Halves {
  id: string;
  agentId: string;
  serverId: string | null;
  channelId: string | null;
  createdAt: Date | string;
  updatedAt: Date | string;
}

export type PolicyRecord = z.input<typeof policySchema>;

export function policyRecord(row: PolicyRow): PolicyRecord {
  const { id, agentId, serverId, channelId } = row;
  const times = { createdAt: isoTime(row.createdAt), updatedAt: isoTime(row.updatedAt) };
  return { id, agentId, serverId, channelId, ...policyPart(row), ...halvesPart(row), ...times };
}

/** What both sides have set. */
export function halvesPart({ owner, server }: Halves): Halves {
  return { owner: owner && policyPart(owner), server: server && policyPart(server) };
}

/** The policy fields of an object that has them; the open policy if there are none. */
export function policyPart(row: Policy | undefined): Policy {
  const { mode, mentionOnly, reply, listen, config } = row ?? openPolicy;
  return { mode, mentionOnly, reply, listen, config };
}
