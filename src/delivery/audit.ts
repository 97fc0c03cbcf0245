import { isDeepStrictEqual } from 'node:util';
import { selectEntry, selectIsInChannel } from '../access/channel.table.ts';
import { selectHolders, selectMay } from '../access/rights.table.ts';
import type { Actor } from '../contract/actor.ts';
import { auditCreated } from '../contract/audit.ts';
import type { AuditAction, AuditTargetKind } from '../contract/audit-action.ts';
import { type Draft, userRoom } from '../contract/rooms.ts';
import { cut } from '../contract/schema.ts';
import type { Rows } from '../database/database.ts';
import { newId } from '../infrastructure/ids.ts';

/** Who did it: a user; a command of the operator's, or the system by itself. */
export type Auditor = Actor | 'cli' | 'system';

/** What is written beside an action. */
export interface AuditDetails<F extends string> {
  actor: Auditor;
  /** Null: it concerns the installation. */
  serverId: string | null;
  channelId?: string | null | undefined;
  /** What it was done to; a fixed role has no id. The name of a person is not kept: people are shown as they are called when it is read. */
  target: { kind: AuditTargetKind; id: string | null; label?: string | null | undefined } | null;
  /** Objects that have the fields of the action, and may have others. */
  before?: Partial<Record<F, unknown>> | null;
  after?: Partial<Record<F, unknown>> | null;
  reason?: string | null | undefined;
}

type Fields = Record<string, unknown>;

/** An entry as it is stored. */
export interface AuditRow {
  id: string;
  server: string | null;
  channel: string | null;
  action: string;
  source: 'user' | 'cli' | 'system';
  actor: string | null;
  token_kind: 'session' | 'personal' | 'agent' | null;
  token: string | null;
  target_kind: AuditTargetKind | null;
  target: string | null;
  label: string | null;
  before: Fields | null;
  after: Fields | null;
  reason: string | null;
}

/** What `before` and `after` may have each, in bytes of JSON. */
const mostBytes = 4096;
/** Texts are cut to the first of these lengths with which all fields fit. */
const lengths = [1000, 200, 40];
const mostLabel = 200;
const mostReason = 1000;

/** The entry of an action; none where nothing has changed. */
export function auditRow<F extends string>(action: AuditAction<F>, details: AuditDetails<F>): AuditRow[] {
  const { actor, serverId, channelId = null, target } = details;
  const { before, after, isSame } = differing(action.fields, details.before ?? null, details.after ?? null);
  if (isSame) return [];
  const isPerson = target?.kind === 'user';
  const label = isPerson ? null : (target?.label ?? null);
  const reason = details.reason || null;
  return [
    {
      id: newId(),
      server: serverId,
      channel: channelId,
      action: action.name,
      ...caller(actor),
      target_kind: target?.kind ?? null,
      target: target?.id ?? null,
      label: label === null ? null : marked(label, mostLabel),
      before: before && bounded(before),
      after: after && bounded(after),
      reason: reason === null ? null : marked(reason, mostReason),
    },
  ];
}

function caller(actor: Auditor): Pick<AuditRow, 'source' | 'actor' | 'token_kind' | 'token'> {
  if (typeof actor === 'string') return { source: actor, actor: null, token_kind: null, token: null };
  const by = { source: 'user', actor: actor.userId } as const;
  if (actor.agent) return { ...by, token_kind: 'agent', token: actor.agent.tokenId };
  if (actor.personalTokenId) return { ...by, token_kind: 'personal', token: actor.personalTokenId };
  return { ...by, token_kind: actor.sessionId ? 'session' : null, token: actor.sessionId };
}

/** Those of the fields that differ; of something that was made or has gone all of them. */
function differing(fields: readonly string[], before: Fields | null, after: Fields | null) {
  const same = (field: string) => before && after && isDeepStrictEqual(plain(before[field]), plain(after[field]));
  const names = fields.filter((field) => !same(field));
  const of = (values: Fields | null) => {
    const entries = names.flatMap((name) => {
      const value = plain(values?.[name]);
      return value === undefined ? [] : [[name, value] as const];
    });
    return entries.length > 0 ? Object.fromEntries(entries) : null;
  };
  return { before: of(before), after: of(after), isSame: before !== null && after !== null && names.length === 0 };
}

/** A value as JSON has it. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** The fields with their texts cut until they fit. */
function bounded(fields: Fields): Fields {
  for (const length of lengths) {
    const shorter = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shortened(value, length)]));
    if (Buffer.byteLength(JSON.stringify(shorter)) <= mostBytes) return shorter;
  }
  return Object.fromEntries(Object.keys(fields).map((name) => [name, '…']));
}

function shortened(value: unknown, length: number): unknown {
  if (typeof value === 'string') return marked(value, length);
  const text = JSON.stringify(value);
  return text.length <= length ? value : marked(text, length);
}

/** A text, with a mark where it was cut. */
const marked = (text: string, length: number) => (text.length <= length ? text : `${cut(text, length - 1)}…`);

const mostTold = 200;

const isInside = selectIsInChannel({ user: 'm.user_id', excluded: selectEntry('m.user_id'), isBot: 'u.is_bot' });

/**
 * The SQL condition that member `m`, who is user `u`, may know of the channel of an entry, if it has one (contract §5): the
 * owner and admins also of those that are gone, others and bots as they may know of them now.
 * @param channel SQL of its id
 */
export const selectKnowsPlace = (channel: string): string => `(${channel} IS NULL
  OR m.role IN ('owner', 'admin') AND NOT u.is_bot
  OR EXISTS (SELECT FROM channels c WHERE c.id = ${channel} AND c.deleted_at IS NULL
    AND (${isInside} OR NOT u.is_bot AND ${selectMay('m', 'channel:see-private')})))`;

/** All entries of a change and those who are told of them, in one statement. */
const insertEntries = `WITH given AS (
    SELECT * FROM json_to_recordset($1) AS entry (id uuid, server uuid, channel uuid, action text, source text, actor uuid,
      token_kind text, token uuid, target_kind text, target uuid, label text, before json, after json, reason text)
  ), added AS (
    INSERT INTO audit_entries (id, server_id, channel_id, action, source, actor_id, token_kind, token_id, target_kind,
      target_id, target_label, before, after, reason, created_at)
    SELECT id, server, channel, action, source, actor, token_kind, token, target_kind, target, label, before, after, reason,
      now() FROM given
  )
  SELECT place.server, m.user_id AS id, ARRAY(
    SELECT DISTINCT entry.channel FROM given AS entry
    WHERE entry.server = place.server AND NOT ${selectKnowsPlace('entry.channel')}) AS hidden
  FROM (SELECT DISTINCT server FROM given WHERE server IS NOT NULL) AS place
  CROSS JOIN LATERAL (
    SELECT user_id FROM ${selectHolders('place.server', 'audit:read')} AS holder ORDER BY 1 LIMIT ${mostTold}
  ) AS told
  JOIN server_members m ON m.server_id = place.server AND m.user_id = told.user_id JOIN users u ON u.id = m.user_id`;

/** Writes the entries of a change. @returns the events that tell of them, one for each reader of a server's log who may see one */
export async function writeAudit(rows: Rows, entries: AuditRow[]): Promise<Draft[]> {
  const told = await rows<{ server: string; id: string; hidden: string[] }>(insertEntries, [JSON.stringify(entries)]);
  return told.flatMap(({ server, id, hidden }) => {
    const seen = entries.filter((entry) => entry.server === server && !hidden.includes(entry.channel ?? ''));
    const last = seen.at(-1);
    if (!last) return [];
    const count = seen.length;
    const { action, actor: actorId, channel: channelId } = last;
    return [auditCreated.in(userRoom(id), { serverId: server, entryId: last.id, action, actorId, channelId, count })];
  });
}
