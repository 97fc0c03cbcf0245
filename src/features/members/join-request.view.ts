import type { z } from 'zod';
import type { SmallUser } from '../../contract/actor.ts';
import type { joinRequestSchema } from '../../contract/join-request.ts';
import { isoTime } from '../../contract/schema.ts';
import type { JoinRequest } from '../../database/entities/channel.entity.ts';

export type JoinRequestRecord = z.output<typeof joinRequestSchema>;

/** @param user who asks */
export function requestRecord(request: Omit<JoinRequest, 'decidedBy'>, user: SmallUser): JoinRequestRecord {
  const { id, serverId, channelId, userId, status, held, createdAt, updatedAt } = request;
  return {
    id,
    serverId,
    channelId: channelId ?? null,
    userId,
    user,
    status,
    isHeld: held,
    inviteId: request.inviteId ?? null,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}
