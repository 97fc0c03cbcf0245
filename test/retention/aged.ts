import { until } from '../rig/until.ts';
import { query } from '../world/sql.ts';
import type { World } from '../world/world.ts';

const age = `UPDATE messages SET created_at = created_at - make_interval(days => $2)
  WHERE channel_id = $1 AND ($3::uuid[] IS NULL OR id = ANY($3::uuid[]))`;
/** A step may be committed between the begin of this statement, which is its now(), and what it sees. */
const isRunning = `SELECT FROM jobs WHERE kind = 'message-expiry' AND key = $1 AND died_at IS NULL
  AND run_at <= clock_timestamp()`;

/** Lets messages of a channel have been sent so many days earlier. @param ids null: all there are */
export async function grow(here: World, channelId: string, days: number, ids: string[] | null = null): Promise<void> {
  await query(here.cluster.databaseUrl, age, [channelId, days, ids]);
}

/** Sets for how long the server keeps messages, and waits until everything that is older in a channel is gone. */
export async function keepFor(here: World, days: number | null, channelId = here.channel.id): Promise<void> {
  const { status, body } = await here.alice.patch(`/api/servers/${here.server.id}`, { keepMessagesDays: days });
  if (status !== 200) throw new Error(JSON.stringify(body));
  await settled(here, channelId);
}

/** Waits until nothing more is to go from a channel now. */
export function settled(here: World, channelId: string): Promise<unknown> {
  const { databaseUrl } = here.cluster;
  return until(async () => (await query(databaseUrl, isRunning, [channelId])).length === 0, {
    message: 'expired messages are still being removed',
  });
}
