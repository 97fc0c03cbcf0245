import { Migration } from '@mikro-orm/migrations';
import { z } from 'zod';
import { emojiFormOf } from '../emoji-form.ts';

/** Rows of one step: few enough that nobody who waits for it notices, also where all of them have to be merged. */
const stepRows = 2000;

/**
 * One step: of the next rows those that are in another form become what they should be, each person's once for each emoji,
 * at the earliest place. A message that is being deleted keeps the step waiting, and is left out then.
 */
const mergeStep = `WITH next AS MATERIALIZED (
    SELECT message_id, emoji, user_id, ${emojiFormOf('emoji')} AS form FROM reactions
    WHERE (message_id, emoji, user_id) > (?::uuid, ?::text, ?::uuid) ORDER BY 1, 2, 3 LIMIT ${stepRows}
  ), other AS MATERIALIZED (
    SELECT next.* FROM next JOIN messages m ON m.id = next.message_id
    WHERE emoji <> form FOR KEY SHARE OF m
  ), gone AS (
    DELETE FROM reactions r USING other o
    WHERE r.message_id = o.message_id AND r.emoji = o.emoji AND r.user_id = o.user_id
    RETURNING r.message_id, o.form, r.user_id, r.place
  ), merged AS (
    INSERT INTO reactions (message_id, emoji, user_id, place)
    SELECT message_id, form, user_id, min(place) FROM gone GROUP BY 1, 2, 3
    ON CONFLICT (message_id, emoji, user_id) DO UPDATE SET place = least(reactions.place, excluded.place)
  )
  SELECT message_id, emoji, user_id FROM next ORDER BY 1 DESC, 2 DESC, 3 DESC LIMIT 1`;

const lastSchema = z.array(z.object({ message_id: z.string(), emoji: z.string(), user_id: z.string() })).max(1);
const beginning = {
  message_id: '00000000-0000-0000-0000-000000000000',
  emoji: '',
  user_id: '00000000-0000-0000-0000-000000000000',
};

/**
 * Merges reactions that differ in variation selectors alone. Each step is a transaction of its own, on another connection
 * than that of the migration: people who react meanwhile wait for one at most. A repeat begins anew and finds less to do.
 */
export class MergedReactions extends Migration {
  override async up(): Promise<void> {
    let last: typeof beginning | undefined = beginning;
    while (last) {
      const place: unknown[] = [last.message_id, last.emoji, last.user_id];
      [last] = lastSchema.parse(await this.driver.execute(mergeStep, place));
    }
  }
}
