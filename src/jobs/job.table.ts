import type { Rows } from '../database/database.ts';
import type { JobRow } from './job.kind.ts';

/** SQL that adds the rows of a statement as jobs that make notifications: each an id and the data. */
export const insertNotificationsOf = (select: string) => `INSERT INTO jobs (id, data) ${select}`;

const insertNotifications = insertNotificationsOf('SELECT * FROM unnest($1::uuid[], $2::json[])');
/** In one order of the keys, so that changes that replace the same jobs do not deadlock. */
const insert = `INSERT INTO jobs (kind, id, data, key, run_at, due_at)
  SELECT $1, id, data, key, coalesce(run_at, now()), coalesce(run_at, now())
  FROM unnest($2::uuid[], $3::json[], $4::text[], $5::timestamptz[]) AS job (id, data, key, run_at) ORDER BY key
  ON CONFLICT (kind, key) WHERE key IS NOT NULL AND died_at IS NULL DO UPDATE SET id = excluded.id, data = excluded.data,
    attempts = 0, error = NULL, run_at = CASE WHEN $6 THEN least(jobs.due_at, excluded.run_at) ELSE excluded.run_at END,
    due_at = CASE WHEN $6 THEN least(jobs.due_at, excluded.due_at) ELSE excluded.due_at END`;
const isWaiting = 'kind = $1 AND died_at IS NULL';
const isDue = `${isWaiting} AND due_at <= now()`;
const selectKindsDue = `SELECT name FROM unnest($1::text[]) AS name
  WHERE EXISTS (SELECT FROM jobs WHERE kind = name AND died_at IS NULL AND due_at <= now())`;
/** Those due longest first: by an index, so that any number that wait for a later time costs nothing. */
const inOrder = 'ORDER BY due_at, id';
const selectDue = `SELECT id, data, attempts FROM jobs WHERE ${isDue} ${inOrder} LIMIT $2`;
const lockDue = `${selectDue} FOR UPDATE SKIP LOCKED`;
const lease = `UPDATE jobs SET attempts = attempts + 1, due_at = now() + make_interval(secs => $3)
  WHERE id = ANY(ARRAY(SELECT id FROM jobs WHERE ${isDue} ${inOrder} LIMIT $2 FOR UPDATE SKIP LOCKED))
  RETURNING id, data, attempts`;
const cancel = `DELETE FROM jobs WHERE ${isWaiting} AND key = $2`;
const remove = 'DELETE FROM jobs WHERE id = ANY($1::uuid[]) RETURNING id';
/** Who leased it last is known by the count of attempts. */
const lockLeased = 'SELECT id FROM jobs WHERE id = $1 AND attempts = $2 AND died_at IS NULL FOR UPDATE';
const putBack = `UPDATE jobs SET attempts = $3, due_at = now() + make_interval(secs => $4), error = $5
  WHERE id = $1 AND attempts = $2 AND died_at IS NULL`;
const renew = `UPDATE jobs SET due_at = now() + make_interval(secs => $3)
  WHERE id = $1 AND attempts = $2 AND died_at IS NULL RETURNING id`;
const release = `UPDATE jobs SET attempts = attempts - 1, due_at = now()
  WHERE id = $1 AND attempts = $2 AND died_at IS NULL`;
const bury = `UPDATE jobs SET attempts = $3, died_at = now(), error = $4
  WHERE id = $1 AND attempts = $2 AND died_at IS NULL`;
const countWaiting = `SELECT count(*)::int AS count FROM (SELECT FROM jobs WHERE ${isWaiting} LIMIT $2) AS waiting`;
const summarise = `SELECT kind, count(*) FILTER (WHERE died_at IS NULL)::int AS waiting,
    count(*) FILTER (WHERE died_at IS NULL AND error IS NOT NULL)::int AS failing,
    count(*) FILTER (WHERE died_at IS NOT NULL)::int AS dead,
    coalesce(extract(epoch FROM now() - min(run_at) FILTER (WHERE died_at IS NULL AND run_at <= now())), 0)::float
      AS "oldestSeconds"
  FROM jobs GROUP BY kind ORDER BY kind`;
const selectDead = `SELECT id, kind, attempts, error, died_at AS "diedAt" FROM jobs WHERE died_at IS NOT NULL
  ORDER BY died_at DESC, id LIMIT $1`;
/** Not those whose key another job has by now, which does the same. */
const revive = `UPDATE jobs j SET died_at = NULL, attempts = 0, run_at = now(), due_at = now()
  WHERE id = ANY(ARRAY(SELECT id FROM jobs WHERE died_at IS NOT NULL AND id = coalesce($1, id) ORDER BY id FOR UPDATE))
    AND NOT EXISTS (SELECT FROM jobs o WHERE o.kind = j.kind AND o.died_at IS NULL AND o.key = j.key)
    AND NOT EXISTS (SELECT FROM jobs o WHERE o.kind = j.kind AND o.died_at IS NOT NULL AND o.key = j.key AND o.id > j.id
      AND $1::uuid IS NULL)
  RETURNING id, kind`;
const discard = 'DELETE FROM jobs WHERE id = $1 AND died_at IS NOT NULL RETURNING kind, attempts';
/** Up to so many of a kind are counted where nobody waits for the exact number. */
const mostCounted = 1000;
const some = (which: string) =>
  `(SELECT count(*)::int FROM (SELECT FROM jobs WHERE ${which} LIMIT ${mostCounted + 1}) AS part)`;
const countSome = `WITH dead AS (
    SELECT kind, count(*)::int AS count FROM (
      SELECT kind FROM jobs WHERE died_at IS NOT NULL ORDER BY id DESC LIMIT ${mostCounted + 1}
    ) AS part GROUP BY kind
  ), kinds AS (SELECT unnest($1::text[]) AS kind UNION SELECT kind FROM dead)
  SELECT k.kind, least(waiting.count, ${mostCounted}) AS waiting, coalesce(dead.count, 0) AS dead,
    waiting.count > ${mostCounted} OR coalesce((SELECT sum(count) FROM dead), 0) > ${mostCounted} AS "isAbout",
    coalesce(greatest(extract(epoch FROM now() - (
      SELECT due_at FROM jobs WHERE kind = k.kind AND died_at IS NULL ORDER BY due_at LIMIT 1)), 0), 0)::float8 AS "oldestSeconds"
  FROM kinds k CROSS JOIN LATERAL (SELECT ${some('kind = k.kind AND died_at IS NULL')} AS count) waiting
  LEFT JOIN dead ON dead.kind = k.kind ORDER BY k.kind`;
const selectDeadBefore = `SELECT id, kind, attempts, error, died_at AS "diedAt" FROM jobs
  WHERE died_at IS NOT NULL AND id < $1 ORDER BY id DESC LIMIT $2`;
const forgetDead = `DELETE FROM jobs WHERE id = ANY(ARRAY(
    SELECT id FROM jobs WHERE died_at < now() - make_interval(secs => $1 * 86400.0) LIMIT $2
  )) RETURNING id`;

/** How many jobs of a kind there are. */
export interface JobSummary {
  kind: string;
  /** Those to be run, now or later. */
  waiting: number;
  /** Those among them whose last attempt failed. */
  failing: number;
  dead: number;
  /** For how long the oldest one that was to run by now has been waiting; 0 without one. */
  oldestSeconds: number;
}

/** The same where nobody waits for exact numbers. */
interface BoundedSummary {
  kind: string;
  waiting: number;
  dead: number;
  /** For how long the oldest one that is due has been; an attempt that failed begins anew. */
  oldestSeconds: number;
  /** There are more than were counted. */
  isAbout: boolean;
}

export interface DeadJob {
  id: string;
  kind: string;
  attempts: number;
  error: string | null;
  diedAt: string;
}

interface NewJob {
  id: string;
  data: unknown;
  runAt: Date | null;
  key: string | null;
}

/** The statements of the queue. */
export const jobTable = {
  /**
   * A waiting job with the same key is replaced.
   * @param gathers the new one is due when the replaced one was, if that is earlier: however many come, the first waits no longer
   */
  async insert(rows: Rows, kind: string, jobs: NewJob[], { gathers = false } = {}): Promise<void> {
    await rows(insert, [
      kind,
      jobs.map(({ id }) => id),
      jobs.map(({ data }) => JSON.stringify(data)),
      jobs.map(({ key }) => key),
      jobs.map(({ runAt }) => runAt),
      gathers,
    ]);
  },

  async insertNotifications(rows: Rows, ids: string[], data: object[]): Promise<void> {
    await rows(insertNotifications, [ids, data.map((one) => JSON.stringify(one))]);
  },

  /** Deletes the waiting job with a key, if there is one. */
  async cancel(rows: Rows, kind: string, key: string): Promise<void> {
    await rows(cancel, [kind, key]);
  },

  /** Which of these kinds have a job to run now. */
  async kindsDue(rows: Rows, kinds: string[]): Promise<string[]> {
    return (await rows<{ name: string }>(selectKindsDue, [kinds])).map(({ name }) => name);
  },

  /** The oldest jobs to run now, locked until the commit: other nodes skip them. */
  lockDue: (rows: Rows, kind: string, most: number) => rows<JobRow>(lockDue, [kind, most]),

  /** The same without a lock. */
  due: (rows: Rows, kind: string, most: number) => rows<JobRow>(selectDue, [kind, most]),

  /** Takes the oldest jobs to run now for so long; each counts one more attempt. */
  lease: (rows: Rows, kind: string, most: number, ms: number) => rows<JobRow>(lease, [kind, most, ms / 1000]),

  /** @returns how many there were */
  async remove(rows: Rows, ids: string[]): Promise<number> {
    return (await rows(remove, [ids])).length;
  },

  /** Locks a leased job until the commit. @returns whether nobody has leased it since */
  async holdLeased(rows: Rows, { id, attempts }: JobRow): Promise<boolean> {
    return (await rows(lockLeased, [id, attempts])).length > 0;
  },

  /** Prolongs a lease. @returns whether nobody has leased the job since */
  async renew(rows: Rows, { id, attempts }: JobRow, ms: number): Promise<boolean> {
    return (await rows(renew, [id, attempts, ms / 1000])).length > 0;
  },

  /** Leaves a leased job to any node, as if this attempt had not begun. */
  async release(rows: Rows, { id, attempts }: JobRow): Promise<void> {
    await rows(release, [id, attempts]);
  },

  /** @param job as it was taken: another node may have taken it since */
  async putBack(rows: Rows, job: JobRow, next: { attempts: number; ms: number; error: string }): Promise<void> {
    await rows(putBack, [job.id, job.attempts, next.attempts, next.ms / 1000, next.error]);
  },

  /** Gives a job up. */
  async bury(rows: Rows, job: JobRow, next: { attempts: number; error: string }): Promise<void> {
    await rows(bury, [job.id, job.attempts, next.attempts, next.error]);
  },

  /** How many jobs of a kind wait; it counts no further than `most`. */
  async waiting(rows: Rows, kind: string, most: number): Promise<number> {
    return (await rows<{ count: number }>(countWaiting, [kind, most]))[0]?.count ?? 0;
  },

  summary: (rows: Rows) => rows<JobSummary>(summarise),

  /** The jobs that were given up, newest first. */
  dead: (rows: Rows, most: number) => rows<DeadJob>(selectDead, [most]),

  /** How many there are of each kind, at a bounded cost. @param known kinds; those of dead jobs are told besides */
  bounded: (rows: Rows, known: string[]) => rows<BoundedSummary>(countSome, [known]),

  /** The newest dead jobs before one. */
  deadBefore: (rows: Rows, id: string, most: number) => rows<DeadJob>(selectDeadBefore, [id, most]),

  /** Dead jobs run again, as if new. @param id null: all of them. @returns those */
  revive: (rows: Rows, id: string | null) => rows<{ id: string; kind: string }>(revive, [id]),

  /** Deletes a dead job. @returns it, if there was one */
  async discard(rows: Rows, id: string): Promise<{ kind: string; attempts: number } | undefined> {
    return (await rows<{ kind: string; attempts: number }>(discard, [id]))[0];
  },

  /** Deletes jobs that died that many days ago. @returns how many */
  async forgetDead(rows: Rows, days: number, most: number): Promise<number> {
    return (await rows(forgetDead, [days, most])).length;
  },
};
