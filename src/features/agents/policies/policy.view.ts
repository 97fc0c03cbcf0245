import type { z } from 'zod';
import type { Halves } from '../../../access/policy.ts';
import type { Policy, policySchema } from '../../../contract/policy.ts';
import { isoTime } from '../../../contract/schema.ts';
import type { AgentPolicy } from '../../../database/entities/agent.entity.ts';

export type PolicyRecord = z.input<typeof policySchema>;

export function policyRecord(policy: Omit<AgentPolicy, 'revision'>): PolicyRecord {
  const { id, agentId, serverId = null, channelId = null } = policy;
  const times = { createdAt: isoTime(policy.createdAt), updatedAt: isoTime(policy.updatedAt) };
  return { id, agentId, serverId, channelId, ...policyPart(policy), ...halvesPart(halvesOf(policy)), ...times };
}

/** What both sides have set, as far as there is a policy. */
export function halvesOf(policy: Pick<AgentPolicy, 'ownerHalf' | 'serverHalf'> | undefined): Halves {
  return { owner: policy?.ownerHalf ?? null, server: policy?.serverHalf ?? null };
}

/** The same, the policy fields alone. */
export function halvesPart({ owner, server }: Halves): Halves {
  return { owner: owner && policyPart(owner), server: server && policyPart(server) };
}

/** The policy fields of an object that has them. */
export function policyPart({ mode, mentionOnly, reply, listen, config }: Policy): Policy {
  return { mode, mentionOnly, reply, listen, config };
}
