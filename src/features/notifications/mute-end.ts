import { z } from 'zod';
import { userRoom } from '../../contract/rooms.ts';
import { idSchema } from '../../contract/schema.ts';
import type { Change } from '../../delivery/changes.ts';
import { clock } from '../../infrastructure/clock.ts';
import { type InsideWork, insideWork, type JobKind } from '../../jobs/job.kind.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { notificationTable } from './notification.table.ts';
import { publishSettings, wishesOf } from './wishes.ts';

/** Which list of the preferences has what is muted. */
export const mutedLists = { channel: 'mutedChannelIds', server: 'mutedServerIds' } as const;

const muteEndSchema = z.object({ userId: idSchema, scope: z.enum(['channel', 'server']), id: idSchema });
type MuteEnd = z.output<typeof muteEndSchema>;

const muteEndKind: JobKind<MuteEnd> = { name: 'mute-end', schema: muteEndSchema };

/** The clock of a node may be behind that by which jobs are due; whoever mutes anew does so for longer. */
const slackMs = 30_000;

/** Ends that someone has muted a channel or server, at a time; null: the user ends it. What was to end it before does not. */
export async function endMuteAt(change: Change, jobs: Jobs, what: MuteEnd, until: string | null): Promise<void> {
  const key = `${what.userId} ${what.id}`;
  if (until === null) await jobs.cancel(change, muteEndKind, key);
  else await jobs.add(change, muteEndKind, what, { runAt: new Date(until), key });
}

/** What was chosen before counts again, and all devices are told. Of what the user has muted otherwise since nothing ends. */
async function endMute(change: Change, { userId, scope, id }: MuteEnd): Promise<void> {
  await change.lock(userRoom(userId));
  const before = await wishesOf(change.rows, userId);
  const until = before.mutedUntil[id];
  if (until === undefined || Date.parse(until) > clock.now() + slackMs) return;
  const preferences = await notificationTable.preferences(change.rows, userId);
  const list = mutedLists[scope];
  const muted = preferences[list].filter((other) => other !== id);
  await notificationTable.setPreferences(change.rows, userId, { ...preferences, [list]: muted });
  await publishSettings(change, userId, before);
}

export const muteEndWork: InsideWork = insideWork(muteEndKind, async (change, jobs) => {
  for (const { data } of jobs) await endMute(change, data);
});
