import { selectMayRead } from '../../access/channel.table.ts';
import {
  type NotificationKind,
  notificationNew,
  notificationUpdated,
  type Strategy,
  typeOfKind,
} from '../../contract/notification.ts';
import { userRoom } from '../../contract/rooms.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { withoutDirections } from '../../infrastructure/directions.ts';
import { newId } from '../../infrastructure/ids.ts';
import { type NotificationDraft, scopeOf } from './draft.ts';
import { type NotificationRow, notificationRecord, selectNotifications } from './notification.view.ts';

/** Repeats within this time of the first are merged into one notification (contract §7). */
const aggregationMs = 5 * 60 * 1000;

/** How many messages a notification remembers; aggregation ends after minutes, so only a flood has more. */
const maxSources = 1000;
/** Adding and removing someone again and again notifies them once a day. */
const oncePerDay: NotificationKind[] = ['channel.member_added', 'server.member_joined'];
/** News about the user's own bots and access reaches them whoever caused it. */
const isDespiteBlock = (kind: NotificationKind) => kind === 'server.kicked' || kind.startsWith('agent.');

interface Wanted {
  place: number;
  strategy: Strategy | null;
  muted_servers: string[] | null;
  muted_channels: string[] | null;
}

/** The unread notifications of a kind in a scope that a repeat could be merged into. */
interface OpenRow {
  id: string;
  user_id: string;
  kind: string;
  scope: string;
  aggregated_count: number;
  created_at: Date | string;
  updated_at: Date | string;
}

/** What happens to a notification in this transaction. */
interface Outcome {
  id: string;
  isNew: boolean;
  count: number;
  createdAt: Date;
  updatedAt: Date;
  newest: NotificationDraft;
  /** All that it stands for since this transaction. */
  added: NotificationDraft[];
}

const keyOf = (userId: string, kind: string, scope: string) => `${userId} ${kind} ${scope}`;

/**
 * Turns drafts into notifications for users who want them, in the current change, which must have locked the users' logs:
 * so nobody reads, mutes or notifies the same user between these look-ups and the commit.
 *
 * Costs a few statements, however many drafts there are.
 */
export async function writeNotifications(change: Change, drafts: NotificationDraft[]): Promise<void> {
  const wanted = await onlyWanted(change.rows, drafts);
  if (wanted.length === 0) return;
  const outcomes = aggregate(wanted, await readOpen(change.rows, wanted));
  await insert(
    change.rows,
    outcomes.filter((outcome) => outcome.isNew),
  );
  await update(
    change.rows,
    outcomes.filter((outcome) => !outcome.isNew),
  );
  await insertSources(change.rows, outcomes);
  await publish(change, outcomes);
}

/** Names are stored as sent: direction controls in one would affect everything after it here. */
const titleOf = ({ title }: NotificationDraft) => withoutDirections(title);

const wantedOf = `SELECT d.place::int, p.strategy, p.muted_server_ids AS muted_servers, p.muted_channel_ids AS muted_channels
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bool[], $5::uuid[], $6::uuid[], $7::text[], $8::text[])
    WITH ORDINALITY
    AS d (user_id, sender_id, channel_id, may_block, request_id, invited_to, daily_kind, scope, place)
  JOIN users u ON u.id = d.user_id AND NOT u.is_bot AND u.deleted_at IS NULL
  LEFT JOIN notification_preferences p ON p.user_id = d.user_id
  LEFT JOIN channels c ON c.id = d.channel_id
  WHERE d.user_id IS DISTINCT FROM d.sender_id
    AND NOT (d.may_block AND EXISTS (
      SELECT FROM blocks b WHERE b.user_id = d.user_id AND (b.blocked_id = d.sender_id
        OR b.blocked_id = (SELECT owner_id FROM agents WHERE user_id = d.sender_id))))
    AND NOT EXISTS (SELECT FROM notifications n WHERE n.user_id = d.user_id
      AND n.updated_at > now() - interval '1 day' AND n.kind = d.daily_kind AND n.scope = d.scope
      AND n.sender_id = d.sender_id)
    AND (d.request_id IS NULL OR EXISTS (
      SELECT FROM friendships f WHERE f.id = d.request_id AND f.status = 'pending'))
    AND NOT EXISTS (SELECT FROM server_members s WHERE s.server_id = d.invited_to AND s.user_id = d.user_id)
    AND (d.channel_id IS NULL OR ${selectMayRead('d.user_id')})
  ORDER BY d.place`;

/**
 * Drops drafts for bots, oneself, and users who cannot see the channel, have blocked the sender or the owner of a sending bot,
 * do not want it, or are already where they are invited to, and of requests that were withdrawn or answered.
 */
async function onlyWanted(rows: Rows, drafts: NotificationDraft[]): Promise<NotificationDraft[]> {
  if (drafts.length === 0) return [];
  const found = await rows<Wanted>(wantedOf, [
    drafts.map((draft) => draft.userId),
    drafts.map((draft) => draft.senderId),
    // News about the user's own access is also for those who cannot see the channel, or no longer can.
    drafts.map((draft) => (needsAccess(draft) ? draft.channelId : null)),
    drafts.map(({ kind }) => !isDespiteBlock(kind)),
    drafts.map((draft) => (draft.kind === 'friendship.request' ? draft.referenceId : null)),
    drafts.map((draft) => (draft.kind === 'server.invite' ? draft.serverId : null)),
    drafts.map(({ kind }) => (oncePerDay.includes(kind) ? kind : null)),
    drafts.map(scopeOf),
  ]);
  return found.flatMap((preferences) => {
    const draft = drafts[preferences.place - 1];
    return draft && isWanted(draft, preferences) ? [draft] : [];
  });
}

/** A user who was let into a channel and is out again has nothing to see there. */
function needsAccess({ kind }: NotificationDraft): boolean {
  return typeOfKind[kind] !== 'system' || kind === 'channel.member_added';
}

/** The strategies of contract §7. News about the user's own access always gets through. */
function isWanted(draft: NotificationDraft, preferences: Wanted): boolean {
  if (typeOfKind[draft.kind] === 'system') return true;
  const strategy = preferences.strategy ?? 'all';
  if (strategy === 'none' || (draft.onlyUnderAll && strategy !== 'all')) return false;
  if (draft.serverId && preferences.muted_servers?.includes(draft.serverId)) return false;
  return !(draft.channelId && preferences.muted_channels?.includes(draft.channelId));
}

/** The newest one that each draft may be merged into, however many others are unread. */
export async function readOpen(rows: Rows, drafts: NotificationDraft[]): Promise<OpenRow[]> {
  return rows<OpenRow>(
    `SELECT n.* FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::text[], $3::text[])) AS d (user_id, kind, scope)
     CROSS JOIN LATERAL (
       SELECT id, user_id, kind, scope, aggregated_count, created_at, updated_at FROM notifications
       WHERE user_id = d.user_id AND kind = d.kind AND scope = d.scope AND read_at IS NULL
       ORDER BY created_at DESC LIMIT 1
     ) AS n`,
    [drafts.map((draft) => draft.userId), drafts.map((draft) => draft.kind), drafts.map(scopeOf)],
  );
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

async function insert(rows: Rows, outcomes: Outcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  await rows(
    `INSERT INTO notifications (id, user_id, type, kind, title, body, reference_type, reference_id, sender_id, server_id,
       channel_id, scope, aggregated_count, created_at, updated_at)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
       $8::uuid[], $9::uuid[], $10::uuid[], $11::uuid[], $12::text[], $13::int[], $14::timestamptz[],
       $15::timestamptz[])`,
    [
      outcomes.map(({ id }) => id),
      outcomes.map(({ newest }) => newest.userId),
      outcomes.map(({ newest }) => typeOfKind[newest.kind]),
      outcomes.map(({ newest }) => newest.kind),
      outcomes.map(({ newest }) => titleOf(newest)),
      outcomes.map(({ newest }) => newest.body),
      outcomes.map(({ newest }) => newest.referenceType),
      outcomes.map(({ newest }) => newest.referenceId),
      outcomes.map(({ newest }) => newest.senderId),
      outcomes.map(({ newest }) => newest.serverId),
      outcomes.map(({ newest }) => newest.channelId),
      outcomes.map(({ newest }) => scopeOf(newest)),
      outcomes.map(({ count }) => count),
      outcomes.map(({ createdAt }) => createdAt),
      outcomes.map(({ updatedAt }) => updatedAt),
    ],
  );
}

async function update(rows: Rows, outcomes: Outcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  await rows(
    `UPDATE notifications n SET aggregated_count = d.count, updated_at = greatest(n.updated_at, d.at),
       title = CASE WHEN d.at >= n.updated_at THEN d.title ELSE n.title END,
       body = CASE WHEN d.at >= n.updated_at THEN d.body ELSE n.body END,
       reference_type = CASE WHEN d.at >= n.updated_at THEN d.reference_type ELSE n.reference_type END,
       reference_id = CASE WHEN d.at >= n.updated_at THEN d.reference_id ELSE n.reference_id END,
       sender_id = CASE WHEN d.at >= n.updated_at THEN d.sender_id ELSE n.sender_id END
     FROM unnest($1::uuid[], $2::int[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::uuid[], $8::uuid[])
       AS d (id, count, at, title, body, reference_type, reference_id, sender_id)
     WHERE n.id = d.id`,
    [
      outcomes.map(({ id }) => id),
      outcomes.map(({ count }) => count),
      outcomes.map(({ newest }) => newest.at),
      outcomes.map(({ newest }) => titleOf(newest)),
      outcomes.map(({ newest }) => newest.body),
      outcomes.map(({ newest }) => newest.referenceType),
      outcomes.map(({ newest }) => newest.referenceId),
      outcomes.map(({ newest }) => newest.senderId),
    ],
  );
}

/** Records the messages that notifications count, so that each can be taken out of them (see withdrawal.ts). */
async function insertSources(rows: Rows, outcomes: Outcome[]): Promise<void> {
  const sources = outcomes.flatMap(({ id, added }) =>
    added.filter(({ referenceType }) => referenceType === 'message').map((draft) => ({ id, draft })),
  );
  if (sources.length === 0) return;
  await rows(
    `INSERT INTO notification_sources (message_id, user_id, notification_id, at)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[])
     ON CONFLICT (message_id, user_id) DO UPDATE SET notification_id = excluded.notification_id, at = excluded.at,
       was_read = false`,
    [
      sources.map(({ draft }) => draft.referenceId),
      sources.map(({ draft }) => draft.userId),
      sources.map(({ id }) => id),
      sources.map(({ draft }) => draft.at),
    ],
  );
  const full = outcomes.filter(({ count }) => count > maxSources).map(({ id }) => id);
  if (full.length === 0) return;
  await rows(
    `DELETE FROM notification_sources s USING unnest($1::uuid[]) AS n (id) WHERE s.notification_id = n.id AND s.at < (
       SELECT at FROM notification_sources WHERE notification_id = n.id ORDER BY at DESC OFFSET $2 LIMIT 1)`,
    [full, maxSources - 1],
  );
}

/** Each user's devices get the records as read back. */
async function publish(change: Change, outcomes: Outcome[]): Promise<void> {
  const isNews = ({ isNew, added }: Outcome) => isNew && added.some(({ isAnnounced }) => !isAnnounced);
  const isNew = new Map(outcomes.map((outcome) => [outcome.id, isNews(outcome)]));
  const rows = await change.rows<NotificationRow>(
    `${selectNotifications} WHERE n.id = ANY($1::uuid[]) ORDER BY n.updated_at, n.id`,
    [[...isNew.keys()]],
  );
  for (const row of rows) {
    const event = isNew.get(row.id) ? notificationNew : notificationUpdated;
    change.publish(event.in(userRoom(row.user_id), notificationRecord(row)));
  }
}
