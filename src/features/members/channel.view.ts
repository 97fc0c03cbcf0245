import type { z } from 'zod';
import { type Override, rightsInChannel } from '../../access/rights.ts';
import type { SmallUser } from '../../contract/actor.ts';
import {
  type ChannelKind,
  type ChannelType,
  type channelItemSchema,
  type channelSchema,
  type channelUpdated,
  isDirect,
  type oneChannelSchema,
} from '../../contract/channel.ts';
import { quoteOf } from '../../contract/quote.ts';
import { defaultPermissions, may, type Rights, shownInChannel } from '../../contract/roles.ts';
import { isoTime, isoTimeOrNull } from '../../contract/schema.ts';
import { type UserColumnsOrNull, userOrNull } from '../accounts/account.view.ts';

/** A row of `channels` with the state of its log and of the caller in it. */
export interface ChannelRow {
  id: string;
  server_id: string | null;
  kind: ChannelKind;
  name: string;
  type: ChannelType;
  description: string | null;
  position: number;
  category_id: string | null;
  is_private: boolean;
  is_archived: boolean;
  last_message_at: string | Date | null;
  last_seq: number;
  created_at: Date | string;
  updated_at: Date | string;
  slow_mode_seconds: number;
  keep_messages_days: number | null;
}

export interface ChannelItemRow extends ChannelRow {
  is_member: boolean;
  unread_count: number;
  unread_threads: number;
  last_read_seq: number;
  last_message: string | null;
  /** Null: none. */
  overrides: Override[] | null;
}

/** The viewer of a channel, with their rights in its server or in the channel; null outside. */
export interface Viewer {
  userId: string;
  rights: Rights | null;
}

/** The people of a group; null for all other channels. */
export interface GroupColumn {
  members: SmallUser[] | null;
}

/** With the people of a DM or group; null for other channels. */
export interface OneChannelRow extends ChannelItemRow, UserColumnsOrNull, GroupColumn {
  low_id: string | null;
  high_id: string | null;
  other_id: string | null;
}

export type ChannelRecord = z.output<typeof channelSchema>;
export type OneChannel = z.output<typeof oneChannelSchema>;
export type ChannelItem = z.output<typeof channelItemSchema>;

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
    categoryId: row.category_id,
    isPrivate: row.is_private,
    isArchived: row.is_archived,
    lastMessageAt: isoTimeOrNull(row.last_message_at),
    lastSeq: row.last_seq,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
    slowModeSeconds: row.slow_mode_seconds,
    keepMessagesDays: row.keep_messages_days,
  };
}

/** The payload of events about a new or changed channel. */
export function channelChange(channel: ChannelRecord): z.output<typeof channelUpdated.payload> {
  const { id, name, type, serverId } = channel;
  return { id, name, type, serverId, channel };
}

/** Everyone in a DM may do in it what members may do in a channel, and pin. */
const inDirect = shownInChannel.filter((name) => name === 'message:pin' || defaultPermissions('member').includes(name));

function permissionsOf({ kind, overrides }: ChannelItemRow, { userId, rights }: Viewer): ChannelItem['permissions'] {
  if (isDirect(kind)) return inDirect;
  // A timeout ends by itself, and nobody is told: records say it apart.
  const all = rights?.untimed ?? rights;
  const here = all && overrides ? rightsInChannel(all, { overrides }, userId) : all;
  return shownInChannel.filter((name) => may(here, name));
}

export function channelItem(row: ChannelItemRow, viewer: Viewer): ChannelItem {
  return {
    ...channelRecord(row),
    isMember: row.is_member,
    unreadCount: row.unread_count,
    unreadThreads: row.unread_threads,
    lastReadSeq: row.last_read_seq,
    lastMessagePreview: row.last_message === null ? null : quoteOf(row.last_message, 200),
    permissions: permissionsOf(row, viewer),
  };
}

export function oneChannel(row: OneChannelRow, viewer: Viewer): OneChannel {
  if (row.members) return { ...channelItem(row, viewer), members: row.members };
  const otherUser = userOrNull(row.other_id, row);
  if (!row.low_id || !row.high_id || !otherUser) return channelItem(row, viewer);
  return { ...channelItem(row, viewer), userAId: row.low_id, userBId: row.high_id, otherUser };
}
