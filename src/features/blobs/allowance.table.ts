import { NIL } from 'uuid';
import { AppError } from '../../contract/errors.ts';
import type { Rows } from '../../database/database.ts';

/** What somebody has stored, in bytes, and what an operator allows them in place of the settings. */
interface Standing {
  used: number;
  /** Null: the settings apply. */
  own: number | null;
}

/** The account whose allowance applies. */
export interface Account extends Standing {
  /** Bots store for their owners. */
  personId: string;
  tier: string;
  isVerified: boolean;
  /** Nobody answers for it: an incoming webhook, whose files are those of its server alone. */
  isNobodys: boolean;
  /** What was deleted lately, in bytes: it may be in the store still. */
  gone: number;
}

interface ServerStanding extends Standing {
  id: string;
}

/** SQL of the bytes of some subjects: what was summed up, and the changes since. One statement sees each byte once. */
const usedBy = (subjects: string): string =>
  `(SELECT coalesce(sum(bytes), 0) FROM (
      SELECT bytes FROM storage_usage WHERE subject_id IN (${subjects})
      UNION ALL SELECT bytes FROM storage_changes WHERE subject_id IN (${subjects})) counted)`;
/** SQL of what was deleted, at least since then. @param seconds SQL */
const goneOf = (subjects: string, seconds: string): string =>
  `(SELECT coalesce(sum(bytes), 0) FROM (
      SELECT gone_bytes AS bytes FROM storage_usage
        WHERE subject_id IN (${subjects}) AND gone_since > now() - make_interval(secs => ${seconds})
      UNION ALL SELECT -least(bytes, 0) FROM storage_changes WHERE subject_id IN (${subjects})) gone)`;
const ownOf = (subject: string): string => `(SELECT bytes FROM storage_quotas WHERE subject_id = ${subject})`;

/** The row of someone's account: for bots their owner's. */
const account = `SELECT p.id, p.tier, p.email_verified_at IS NOT NULL AS "isVerified", p.is_bot AS "isNobodys"
  FROM users u LEFT JOIN agents a ON a.user_id = u.id JOIN users p ON p.id = coalesce(a.owner_id, u.id) WHERE u.id = $1`;
const selectPersonOf = `SELECT id FROM (${account}) a`;
const people = 'SELECT a.id UNION ALL SELECT g.user_id FROM agents g WHERE g.owner_id = a.id';
const selectAccount = `SELECT id AS "personId", tier, "isVerified", "isNobodys", ${usedBy(people)} AS used, ${goneOf(people, '$2')} AS gone,
    ${ownOf('a.id')} AS own
  FROM (${account}) a`;
const selectServers = `SELECT s.id, ${usedBy('s.id')} AS used, ${ownOf('s.id')} AS own FROM unnest($1::uuid[]) AS s (id)`;
const selectServersOf = `SELECT DISTINCT server_id AS id FROM channels WHERE id = ANY($1::uuid[]) AND server_id IS NOT NULL`;

/** PostgreSQL's numbers of 64 bits and more come as text. */
interface Told {
  used: string;
  own: string | null;
}

const standing = ({ used, own }: Told): Standing => ({ used: Number(used), own: own === null ? null : Number(own) });

/**
 * Whoever answers for what a user stores, and what they have. Bots of a person count with them.
 * @param graceSeconds how long what is deleted stays in the store
 * @throws AppError USER_NOT_FOUND
 */
export async function readAccount(rows: Rows, userId: string, graceSeconds: number): Promise<Account> {
  type Row = Omit<Account, keyof Standing | 'gone'> & Told & { gone: string };
  const [row] = await rows<Row>(selectAccount, [userId, graceSeconds]);
  if (!row) throw new AppError('USER_NOT_FOUND');
  return { ...row, ...standing(row), gone: Number(row.gone) };
}

/** The id alone. @throws AppError USER_NOT_FOUND */
export async function readPersonOf(rows: Rows, userId: string): Promise<string> {
  const [row] = await rows<{ id: string }>(selectPersonOf, [userId]);
  if (!row) throw new AppError('USER_NOT_FOUND');
  return row.id;
}

export async function readServers(rows: Rows, ids: string[]): Promise<ServerStanding[]> {
  const found = await rows<{ id: string } & Told>(selectServers, [ids]);
  return found.map((row) => ({ id: row.id, ...standing(row) }));
}

/** What is stored in all, each content once, whether or not it is in use still. */
export async function readInstallation(rows: Rows): Promise<Standing> {
  const [row] = await readServers(rows, [NIL]);
  return row ?? { used: 0, own: null };
}

/** The servers that some channels are in. */
export async function serversOf(rows: Rows, channelIds: string[]): Promise<string[]> {
  const found = await rows<{ id: string }>(selectServersOf, [channelIds]);
  return found.map(({ id }) => id);
}
