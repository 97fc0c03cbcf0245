import { defineEntity, p } from '@mikro-orm/core';

/**
 * Work that follows a change: written in the transaction of the change, and deleted in the one that does it, or once it is
 * done outside of PostgreSQL. Nodes of earlier versions know the notifications among them as `notification_jobs`, a view.
 */
const JobSchema = defineEntity({
  name: 'Job',
  tableName: 'jobs',
  indexes: [
    // Finds those to run next.
    {
      name: 'jobs_due',
      expression: 'create index jobs_due on jobs (kind, due_at, id) where died_at is null',
    },
    {
      name: 'jobs_key',
      expression: 'create unique index jobs_key on jobs (kind, key) where key is not null and died_at is null',
    },
    { name: 'jobs_dead', properties: ['id'], where: { diedAt: { $ne: null } } },
  ],
  properties: {
    id: p.uuid().primary(),
    data: p.json<unknown>().columnType('json'),
    attempts: p.integer().default(0),
    /** When it is to run next. */
    dueAt: p.datetime(3).defaultRaw('now()'),
    kind: p.string().columnType('text').default('notification'),
    /** Of the waiting jobs of a kind only one has a key. */
    key: p.string().columnType('text').nullable(),
    /** When it was to run at first. */
    runAt: p.datetime(3).defaultRaw('now()'),
    /** Why the last attempt failed. */
    error: p.string().columnType('text').nullable(),
    /** When it was given up. */
    diedAt: p.datetime(3).nullable(),
  },
});

export class Job extends JobSchema.class {}
JobSchema.setClass(Job);
