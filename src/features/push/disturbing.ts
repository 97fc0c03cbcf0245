import { z } from 'zod';
import { quietNow } from '../notifications/quiet.ts';
import type { Due } from './push.table.ts';

/** What decides of someone's preferences whether they may be disturbed; by default always. */
const preferencesSchema = z
  .object({
    quiet_hours: z
      .object({
        isOn: z.boolean(),
        spans: z.array(z.object({ day: z.number(), from: z.string(), to: z.string() })),
      })
      .nullable()
      .default(null),
    snoozed_until: z.string().nullable().default(null),
  })
  .nullable();

/** Whether someone has quiet hours now, or snoozed (contract §7): what comes then is not pushed, nor later. */
export function isQuiet({ preferences, timeZone }: Due, at: Date): boolean {
  const { quiet_hours: quietHours = null, snoozed_until: snoozedUntil = null } =
    preferencesSchema.parse(preferences) ?? {};
  return quietNow({ quietHours: quietHours ?? { isOn: false, spans: [] }, snoozedUntil, timeZone }, at);
}
