import type { z } from 'zod';
import { isoTime, isoTimeOrNull } from '../schema.ts';
import type { channelSchema } from './channel.contract.ts';

/** A row of `channels` with the state of its log. */
export interface ChannelRow {
  id: string;
  server_id: string | null;
  kind: 'server' | 'dm';
  name: string;
  type: 'text' | 'announcement' | 'voice';
  description: string | null;
  position: number;
  is_private: boolean;
  is_archived: boolean;
  last_message_at: string | null;
  last_seq: number;
  created_at: Date | string;
  updated_at: Date | string;
}

export type ChannelRecord = z.input<typeof channelSchema>;

export function channelRecord(row: ChannelRow): ChannelRecord {
  return {
    id: row.id,
    serverId: row.server_id,
    kind: row.kind,
    name: row.name,
    type: row.type,
    description: row.description,
    topic: row.description,
    position: row.position,
    isPrivate: row.is_private,
    isArchived: row.is_archived,
    lastMessageAt: isoTimeOrNull(row.last_message_at),
    lastSeq: row.last_seq,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}
