import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { preferencesUpdated } from '../../contract/notification-level.ts';
import { notificationSettingsUpdated } from '../../contract/notification-settings.ts';
import { userRoom } from '../../contract/rooms.ts';
import { isoTimeOrNull } from '../../contract/schema.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { clock } from '../../infrastructure/clock.ts';
import { keywordTable } from './keyword.table.ts';
import { levelTable } from './level.table.ts';
import { endsOf, settingsTable } from './settings.table.ts';

/** All that someone has chosen about notifications. */
export type Wishes = z.input<typeof notificationSettingsUpdated.payload>;

export async function wishesOf(rows: Rows, userId: string): Promise<Wishes> {
  const { muteEnds, ...row } = await settingsTable.ofUser(rows, userId);
  const { snoozedUntil, ...settings } = row;
  const isOver = snoozedUntil !== null && new Date(snoozedUntil).getTime() <= clock.now();
  return {
    ...settings,
    mutedUntil: endsOf({ ...row, muteEnds }),
    snoozedUntil: isOver ? null : isoTimeOrNull(snoozedUntil),
    channelLevels: await levelTable.ofUser(rows, 'channel', userId, settings.mutedChannelIds),
    serverLevels: await levelTable.ofUser(rows, 'server', userId, settings.mutedServerIds),
    keywords: await keywordTable.ofUser(rows, userId),
  };
}

/**
 * Tells someone's devices what they have chosen; their log must be locked.
 * @param before what they had chosen: if that is the same, nothing is told
 * @returns what they have chosen now
 */
export async function publishSettings(change: Change, userId: string, before?: Wishes): Promise<Wishes> {
  const wishes = await wishesOf(change.rows, userId);
  if (isDeepStrictEqual(wishes, before)) return wishes;
  const { strategy, mutedServerIds, mutedChannelIds, channelLevels } = wishes;
  const room = userRoom(userId);
  change.publish(preferencesUpdated.in(room, { strategy, mutedServerIds, mutedChannelIds, channelLevels }));
  change.publish(notificationSettingsUpdated.in(room, wishes));
  return wishes;
}
