import type { FilterAction, FilterKind } from '../../contract/filter.ts';
import type { Rows } from '../../database/database.ts';

/** An entry as it is looked for. */
export interface FilterEntry {
  id: string;
  kind: FilterKind;
  pattern: string;
  form: string;
  action: FilterAction;
}

/** What a server filters. */
export interface FilterFacts {
  /** Links of those who joined less than that ago are held; 0: they are not. */
  hours: number;
  entries: FilterEntry[];
}

/** A row of `server_filters`. */
export interface FilterRow extends FilterEntry {
  server_id: string;
  created_by: string | null;
  created_at: Date | string;
}

const selectFacts = `SELECT s.id AS key, s.hold_new_member_links_hours AS hours, coalesce((
    SELECT json_agg(json_build_object('id', f.id, 'kind', f.kind, 'pattern', f.pattern, 'form', f.form, 'action', f.action)
      ORDER BY f.id) FROM server_filters f WHERE f.server_id = s.id), '[]') AS entries
  FROM servers s WHERE s.id = ANY($1::uuid[])`;
const select = 'SELECT id, server_id, kind, pattern, form, action, created_by, created_at FROM server_filters';
const ofServer = `${select} WHERE server_id = $1 ORDER BY id`;
const byId = `${select} WHERE server_id = $1 AND id = $2`;
const lock = 'SELECT id FROM servers WHERE id = $1 FOR NO KEY UPDATE';
const count = 'SELECT count(*)::int AS count FROM server_filters WHERE server_id = $1';
const upsert = `INSERT INTO server_filters (id, server_id, kind, pattern, form, action, created_by, created_at)
  SELECT id, $2, $3, pattern, form, $4, $5, $6 FROM unnest($1::uuid[], $7::text[], $8::text[]) AS e (id, pattern, form)
  ON CONFLICT (server_id, kind, form) DO UPDATE SET action = excluded.action
  RETURNING id, server_id, kind, pattern, form, action, created_by, created_at`;
const remove = 'DELETE FROM server_filters WHERE server_id = $1 AND id = $2 RETURNING id';
const isNew = `SELECT true AS is_new FROM server_members
  WHERE server_id = $1 AND user_id = $2 AND joined_at > now() - make_interval(hours => $3)`;

/** What servers filter, by server. */
export async function readFilters(rows: Rows, serverIds: string[]): Promise<Map<string, FilterFacts>> {
  const found = await rows<FilterFacts & { key: string }>(selectFacts, [serverIds]);
  return new Map(found.map(({ key, ...facts }) => [key, facts]));
}

/** The entries of a server in the order in which they were made. */
export function filtersOf(rows: Rows, serverId: string): Promise<FilterRow[]> {
  return rows<FilterRow>(ofServer, [serverId]);
}

export async function findFilter(rows: Rows, serverId: string, id: string): Promise<FilterRow | undefined> {
  const [row] = await rows<FilterRow>(byId, [serverId, id]);
  return row;
}

/** Blocks other changes of a server's filters until the commit. */
export async function lockFilters(rows: Rows, serverId: string): Promise<void> {
  await rows(lock, [serverId]);
}

export async function countFilters(rows: Rows, serverId: string): Promise<number> {
  const [row] = await rows<{ count: number }>(count, [serverId]);
  return row?.count ?? 0;
}

/** New entries that are alike but for id, pattern and form; no two have the same form. */
export interface NewFilters {
  serverId: string;
  kind: FilterKind;
  action: FilterAction;
  createdBy: string;
  createdAt: Date;
  entries: { id: string; pattern: string; form: string }[];
}

/** Adds entries; those that are there already get the action. @returns all of them */
export function upsertFilters(rows: Rows, added: NewFilters): Promise<FilterRow[]> {
  const { serverId, kind, action, createdBy, createdAt, entries } = added;
  const column = (key: 'id' | 'pattern' | 'form') => entries.map((entry) => entry[key]);
  const values = [column('id'), serverId, kind, action, createdBy, createdAt, column('pattern'), column('form')];
  return rows<FilterRow>(upsert, values);
}

/** @returns whether there was such an entry */
export async function deleteFilter(rows: Rows, serverId: string, id: string): Promise<boolean> {
  return (await rows(remove, [serverId, id])).length > 0;
}

/** Whether someone joined a server less than so many hours ago. */
export async function joinedLately(rows: Rows, serverId: string, userId: string, hours: number): Promise<boolean> {
  return (await rows(isNew, [serverId, userId, hours])).length > 0;
}
