import type { QuietSettings } from '../../contract/quiet-times.ts';
import type { Rows } from '../../database/database.ts';
import type { Preferences } from './notification.table.ts';

/** What someone has chosen, apart from levels and keywords. */
export interface SettingsRow extends Preferences {
  quietHours: QuietSettings['quietHours'];
  snoozedUntil: Date | string | null;
  digestMinutes: 0 | 15 | 60 | 240 | 1440 | null;
  /** By the ids of channels and servers that are muted for a time. */
  muteEnds: Record<string, string>;
}

const ofUser = `SELECT strategy, muted_server_ids AS "mutedServerIds", muted_channel_ids AS "mutedChannelIds",
    quiet_hours AS "quietHours", snoozed_until AS "snoozedUntil", digest_minutes AS "digestMinutes",
    mute_ends AS "muteEnds"
  FROM notification_preferences WHERE user_id = $1`;
const set = `INSERT INTO notification_preferences
    (user_id, strategy, muted_server_ids, muted_channel_ids, quiet_hours, snoozed_until, digest_minutes, mute_ends)
  VALUES ($1, $2, $3::uuid[], $4::uuid[], $5, $6, $7, $8)
  ON CONFLICT (user_id) DO UPDATE SET strategy = excluded.strategy, muted_server_ids = excluded.muted_server_ids,
    muted_channel_ids = excluded.muted_channel_ids, quiet_hours = excluded.quiet_hours,
    snoozed_until = excluded.snoozed_until, digest_minutes = excluded.digest_minutes, mute_ends = excluded.mute_ends`;

const byDefault: SettingsRow = {
  ...{ strategy: 'all', mutedServerIds: [], mutedChannelIds: [] },
  ...{ quietHours: { isOn: false, spans: [] }, snoozedUntil: null, digestMinutes: null, muteEnds: {} },
};

/** Of what is muted still. */
export function endsOf({
  muteEnds,
  mutedServerIds,
  mutedChannelIds,
}: Omit<SettingsRow, 'strategy'>): Record<string, string> {
  const muted = new Set([...mutedServerIds, ...mutedChannelIds]);
  return Object.fromEntries(Object.entries(muteEnds).filter(([id]) => muted.has(id)));
}

/** The statements about the settings of single people. */
export const settingsTable = {
  async ofUser(rows: Rows, userId: string): Promise<SettingsRow> {
    return (await rows<SettingsRow>(ofUser, [userId]))[0] ?? byDefault;
  },

  async set(rows: Rows, userId: string, next: SettingsRow): Promise<void> {
    const { strategy, mutedServerIds, mutedChannelIds, quietHours, snoozedUntil, digestMinutes } = next;
    const [quiet, ends] = [JSON.stringify(quietHours), JSON.stringify(endsOf(next))];
    await rows(set, [userId, strategy, mutedServerIds, mutedChannelIds, quiet, snoozedUntil, digestMinutes, ends]);
  },
};
