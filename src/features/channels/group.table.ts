import type { SmallUser } from '../../contract/actor.ts';
import type { Rows } from '../../database/database.ts';

const hold = 'SELECT channel_id FROM group_channels WHERE channel_id = $1 FOR UPDATE';
const people = `SELECT u.id, u.username, u.display_name AS "displayName", u.avatar_url AS "avatarUrl", u.is_bot AS "isBot",
    a.owner_id AS "ownerId"
  FROM group_members g JOIN users u ON u.id = g.user_id LEFT JOIN agents a ON a.user_id = u.id
  WHERE g.channel_id = $1 ORDER BY u.id`;
const leave = 'DELETE FROM group_members WHERE channel_id = $1 AND user_id = ANY($2::uuid[])';
const shut = 'DELETE FROM channel_members WHERE channel_id = $1 AND user_id = ANY($2::uuid[])';
const ofSet = 'SELECT channel_id AS id FROM group_channels WHERE people = $1';
const stand = `UPDATE group_channels SET people = CASE WHEN EXISTS (
    SELECT FROM group_channels WHERE people = $2 AND channel_id <> $1) THEN NULL ELSE $2 END WHERE channel_id = $1`;
const groupsOf = 'SELECT channel_id AS id FROM group_members WHERE user_id = $1 ORDER BY channel_id LIMIT $2';
const strayIn = `SELECT own.channel_id AS id FROM group_members own WHERE own.user_id = $1
  AND NOT EXISTS (SELECT FROM group_members o WHERE o.channel_id = own.channel_id AND o.user_id = $2) ORDER BY own.channel_id`;
const drop = 'DELETE FROM group_channels WHERE channel_id = $1';
const dropMembers = 'DELETE FROM group_members WHERE channel_id = $1';

/** Someone in a group. */
export interface GroupPerson extends SmallUser {
  /** Of a bot; null for people. */
  ownerId: string | null;
}

/** Locks a group until the commit. @returns whether there is one */
export async function holdGroup(rows: Rows, channelId: string): Promise<boolean> {
  return (await rows(hold, [channelId])).length > 0;
}

/** Everyone in a group, by id. */
export function peopleInGroup(rows: Rows, channelId: string): Promise<GroupPerson[]> {
  return rows<GroupPerson>(people, [channelId]);
}

/** Takes people out of a group, which must be locked. */
export async function takeOutOfGroup(rows: Rows, channelId: string, userIds: string[]): Promise<void> {
  await rows(leave, [channelId, userIds]);
  await rows(shut, [channelId, userIds]);
}

/** The group of a set of people. */
export async function groupOfSet(rows: Rows, set: string): Promise<string | undefined> {
  return (await rows<{ id: string }>(ofSet, [set]))[0]?.id;
}

/** Lets a group stand for a set of people, unless another one does. The logs of all of them must be locked. */
export async function standFor(rows: Rows, channelId: string, set: string): Promise<void> {
  await rows(stand, [channelId, set]);
}

/** Some of the groups that someone is in. */
export async function groupsWith(rows: Rows, userId: string, limit: number): Promise<string[]> {
  return (await rows<{ id: string }>(groupsOf, [userId, limit])).map(({ id }) => id);
}

/** The groups of a bot that someone is not in. */
export async function groupsWithout(rows: Rows, botUserId: string, ownerId: string): Promise<string[]> {
  return (await rows<{ id: string }>(strayIn, [botUserId, ownerId])).map(({ id }) => id);
}

/** A channel is no group any more. */
export async function dropGroup(rows: Rows, channelId: string): Promise<void> {
  await rows(drop, [channelId]);
  await rows(dropMembers, [channelId]);
}
