import { notificationNew, notificationUpdated, typeOfKind } from '../../contract/notification.ts';
import { userRoom } from '../../contract/rooms.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { newId } from '../../infrastructure/ids.ts';
import { planDigests } from '../../jobs/digest.table.ts';
import { addPushes } from '../../jobs/push.jobs.ts';
import type { DigestSettings } from '../../settings/mail-settings.ts';
import { type NotificationDraft, scopeOf } from './draft.ts';
import { notificationTable, type OpenRow, type Outcome } from './notification.table.ts';
import { notificationRecord } from './notification.view.ts';
import { isWanted } from './wanted.ts';

/** Repeats within this time of the first are merged into one notification (contract §7). */
const aggregationMs = 5 * 60 * 1000;

const keyOf = (userId: string, kind: string, scope: string) => `${userId} ${kind} ${scope}`;

/**
 * Turns drafts into notifications for users who want them, in the current change, which must have locked the users' logs:
 * so nobody reads, mutes or notifies the same user between these look-ups and the commit.
 *
 * Costs a few statements, however many drafts there are.
 */
export async function writeNotifications(
  change: Change,
  drafts: NotificationDraft[],
  settings: DigestSettings,
): Promise<void> {
  const wanted = await onlyWanted(change.rows, drafts);
  if (wanted.length === 0) return;
  const outcomes = aggregate(wanted, await notificationTable.open(change.rows, wanted));
  const [fresh, repeated] = [outcomes.filter(({ isNew }) => isNew), outcomes.filter(({ isNew }) => !isNew)];
  await notificationTable.insert(change.rows, fresh);
  await notificationTable.update(change.rows, repeated);
  await notificationTable.insertSources(change.rows, outcomes);
  await planDigests(
    change.rows,
    outcomes.map(({ newest }) => newest.userId),
    settings,
  );
  await publish(change, outcomes);
  const told = outcomes.filter(({ added }) => added.some(({ isAnnounced }) => !isAnnounced));
  await addPushes(
    change.rows,
    told.map(({ id, newest }) => ({ id, userId: newest.userId })),
  );
}

/**
 * Drops drafts for bots, oneself, and users who cannot see the channel, have read the message or muted its thread, have blocked the sender or the owner of a sending bot,
 * do not want it, or are already where they are invited to, and of requests that were withdrawn or answered.
 */
async function onlyWanted(rows: Rows, drafts: NotificationDraft[]): Promise<NotificationDraft[]> {
  if (drafts.length === 0) return [];
  const found = await notificationTable.wanted(rows, drafts, needsAccess);
  return found.flatMap((levels) => {
    const draft = drafts[levels.place - 1];
    return draft && isWanted(draft, levels) ? [draft] : [];
  });
}

/** A user who was let into a channel and is out again has nothing to see there. */
function needsAccess({ kind }: NotificationDraft): boolean {
  return typeOfKind[kind] !== 'system' || kind === 'channel.member_added';
}

/** Merges each draft into the open notification of its kind and scope, or starts a new one. */
function aggregate(drafts: NotificationDraft[], open: OpenRow[]): Outcome[] {
  const known = new Map(open.map((row) => [keyOf(row.user_id, row.kind, row.scope), row]));
  const latest = new Map<string, Outcome>();
  const all: Outcome[] = [];
  for (const draft of drafts) {
    const key = keyOf(draft.userId, draft.kind, scopeOf(draft));
    const before = latest.get(key) ?? continued(known.get(key), draft);
    if (before && Math.abs(draft.at.getTime() - before.createdAt.getTime()) < aggregationMs) {
      before.count++;
      before.added.push(draft);
      // Jobs of two nodes may run in another order than their events happened: the newest is shown.
      if (draft.at >= before.updatedAt) Object.assign(before, { newest: draft, updatedAt: draft.at });
      if (!latest.has(key)) all.push(before);
      latest.set(key, before);
    } else {
      const [createdAt, updatedAt] = [draft.at, draft.at];
      const fresh = { id: newId(), isNew: true, count: 1, createdAt, updatedAt, newest: draft, added: [draft] };
      latest.set(key, fresh);
      all.push(fresh);
    }
  }
  return all;
}

function continued(row: OpenRow | undefined, draft: NotificationDraft): Outcome | undefined {
  if (!row) return undefined;
  const { id, aggregated_count: count, created_at: createdAt, updated_at: updatedAt } = row;
  const times = { createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) };
  return { id, isNew: false, count, ...times, newest: draft, added: [] };
}

/** Each user's devices get the records as read back. */
async function publish(change: Change, outcomes: Outcome[]): Promise<void> {
  const isNews = ({ isNew, added }: Outcome) => isNew && added.some(({ isAnnounced }) => !isAnnounced);
  const isNew = new Map(outcomes.map((outcome) => [outcome.id, isNews(outcome)]));
  const rows = await notificationTable.byIdsInOrder(change.rows, [...isNew.keys()]);
  for (const row of rows) {
    const event = isNew.get(row.id) ? notificationNew : notificationUpdated;
    change.publish(event.in(userRoom(row.user_id), notificationRecord(row)));
  }
}
