import type { SmallUser } from '../../contract/actor.ts';
import type { EphemeralRecord, InteractionRecord, UseRecord } from '../../contract/interaction.ts';
import { isoTime } from '../../contract/schema.ts';
import { userOf } from '../accounts/account.view.ts';
import type { EphemeralRow } from './ephemeral.table.ts';
import type { InteractionRow } from './interaction.table.ts';

/** An interaction as its bot gets it. */
export function interactionRecord(row: InteractionRow, user: SmallUser): InteractionRecord {
  const { id, kind, agentId, serverId, channelId, threadId, messageId, componentId, command, parentId, values } = row;
  const place = { serverId, channelId, threadId, messageId };
  const times = { createdAt: isoTime(row.createdAt), endsAt: isoTime(row.endsAt) };
  return { id, kind, agentId, user, ...place, componentId, command, parentId, values, ...times };
}

/** The same as the person who did it sees it. */
export function useRecord(row: InteractionRow): UseRecord {
  const { id, kind, agentId, channelId, threadId, messageId, componentId, parentId, state, note, form } = row;
  return {
    ...{ id, kind, agentId, channelId, threadId, messageId, componentId, parentId, state, note, form },
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
    endsAt: isoTime(row.endsAt),
  };
}

export function ephemeralRecord(row: EphemeralRow): EphemeralRecord {
  const { id, interactionId, agentId, channelId, threadId, replyToId, content } = row;
  const author = userOf(row.botId, row);
  const times = { createdAt: isoTime(row.createdAt), endsAt: isoTime(row.endsAt) };
  return { id, interactionId, agentId, author, channelId, threadId, replyToId, content, ...times };
}
