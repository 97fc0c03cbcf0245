import { type ChannelRight, defaultPermissions, type Permission, rolesWith } from '../contract/roles.ts';
import type { Rows } from '../database/database.ts';
import type { ServerRoles } from './rights.ts';

/** @param server SQL of the server's id */
const rolesOf = (server: string) => `coalesce((SELECT json_agg(json_build_object('id', r.id, 'builtIn', r.built_in,
    'position', r.position, 'permissions', r.permissions) ORDER BY r.id) FROM server_roles r WHERE r.server_id = ${server}), '[]')`;
const selectRoles = `SELECT s.id AS key, ${rolesOf('s.id')} AS roles
  FROM unnest($1::uuid[]) AS s (id)`;

/** The roles of servers that differ from the fixed ones, by server; without any they are empty. */
export async function readServerRoles(rows: Rows, serverIds: string[]): Promise<Map<string, ServerRoles>> {
  const found = await rows<ServerRoles & { key: string }>(selectRoles, [serverIds]);
  return new Map(found.map(({ key, roles }) => [key, { roles }]));
}

/** SQL of the ids of the own roles of a member `m`, as an array. */
export const selectOwnRoles = `ARRAY(SELECT h.role_id::text FROM member_roles h
  WHERE h.server_id = m.server_id AND h.user_id = m.user_id ORDER BY h.role_id)`;

/** SQL of whether the server of a member `m` holds back their roles: they are a person without a second factor. */
export const selectIsHeldBack = `(m.role <> 'member' OR ${selectOwnRoles} <> '{}')
  AND EXISTS (SELECT FROM servers s WHERE s.id = m.server_id AND s.require_second_factor)
  AND EXISTS (SELECT FROM users u WHERE u.id = m.user_id AND u.second_factor_at IS NULL AND NOT u.is_bot)`;

/** SQL of the `Standing` of a member `m`, as JSON; null where there is none. */
export const selectStanding = `CASE WHEN m.user_id IS NOT NULL THEN json_build_object(
  'roles', ${rolesOf('m.server_id')}, 'roleIds', ${selectOwnRoles}, 'isHeldBack', ${selectIsHeldBack}) END`;

const listOf = (permission: Permission) =>
  rolesWith(permission)
    .map((role) => `'${role}'`)
    .join(', ');

/** SQL: the server does not hold back what a member has beyond other members (see `rightsIn`). @param member their row's alias */
export const isNotHeldBack = (
  member: string,
): string => `NOT EXISTS (SELECT FROM servers strict JOIN users one ON one.id = ${member}.user_id
  WHERE strict.id = ${member}.server_id AND strict.require_second_factor AND one.second_factor_at IS NULL AND NOT one.is_bot)`;

/** What members have by themselves is never held back. */
const isHeldBack = (permission: Permission) => !defaultPermissions('member').includes(permission);

/**
 * The SQL condition that a member has a permission in the server, as `rightsIn` decides it.
 * @param member the alias of their row in `server_members`
 */
export const selectMay = (member: string, permission: Permission): string => `(
  ${isHeldBack(permission) ? isNotHeldBack(member) : 'true'} AND (coalesce((SELECT r.permissions @> ARRAY['${permission}'] FROM server_roles r
      WHERE r.server_id = ${member}.server_id AND r.built_in = ${member}.role AND r.built_in <> 'admin'),
    ${member}.role IN (${listOf(permission)}))
  OR EXISTS (SELECT FROM member_roles h JOIN server_roles r ON r.id = h.role_id
    WHERE h.server_id = ${member}.server_id AND h.user_id = ${member}.user_id AND r.permissions @> ARRAY['${permission}'])))`;

/** SQL of what a group of overrides `o` of channel `c` says about a right; null: nothing. An allowance beats a denial. */
const said = (right: ChannelRight, group: string) => `(
  SELECT CASE WHEN bool_or('${right}' = ANY(o.allow)) THEN true WHEN bool_or('${right}' = ANY(o.deny)) THEN false END
  FROM channel_overrides o WHERE o.channel_id = c.id AND ${group})`;

/**
 * The same in channel `c` for what members do not have by themselves, as `rightsInChannel` decides it: its overrides count
 * from that of everyone to the person's own.
 * @param right the one that stands for the permission
 */
export const selectMayIn = (member: string, permission: Permission, right: ChannelRight): string => `(
  ${isNotHeldBack(member)} AND CASE WHEN ${member}.role IN ('owner', 'admin') THEN true ELSE coalesce(
    ${said(right, `o.user_id = ${member}.user_id`)},
    ${said(
      right,
      `(o.built_in = 'moderator' AND ${member}.role = 'moderator' OR o.role_id IN (SELECT h.role_id FROM member_roles h
      WHERE h.server_id = ${member}.server_id AND h.user_id = ${member}.user_id))`,
    )},
    ${said(right, "o.built_in = 'member'")},
    ${selectMay(member, permission)}) END)`;

/**
 * A subquery for the ids of all members of a server who have a permission, for lists: the roles are looked up once.
 * @param server SQL of the server's id
 */
export const selectHolders = (server: string, permission: Permission): string => `(
  SELECT given.user_id FROM (SELECT m.user_id FROM server_members m WHERE m.server_id = ${server} AND m.role = ANY(ARRAY(
    SELECT f.role FROM (VALUES ('owner'), ('admin'), ('moderator'), ('member')) AS f (role)
    WHERE coalesce((SELECT r.permissions @> ARRAY['${permission}'] FROM server_roles r
      WHERE r.server_id = ${server} AND r.built_in = f.role AND r.built_in <> 'admin'), f.role IN (${listOf(permission)}))))
  UNION SELECT h.user_id FROM member_roles h JOIN server_roles r ON r.id = h.role_id
    WHERE h.server_id = ${server} AND r.permissions @> ARRAY['${permission}']) AS given
  WHERE ${isHeldBack(permission) ? areNotHeldBack(server) : 'true'})`;

/** `isNotHeldBack` for lists of members: the server is looked up once. */
const areNotHeldBack = (
  server: string,
) => `((SELECT NOT strict.require_second_factor FROM servers strict WHERE strict.id = ${server})
  OR EXISTS (SELECT FROM users one WHERE one.id = given.user_id AND (one.is_bot OR one.second_factor_at IS NOT NULL)))`;
