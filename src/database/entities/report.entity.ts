import { defineEntity, p } from '@mikro-orm/core';
import type { Snapshot } from '../../contract/report.ts';
import type { ReportAction, ReportKind } from '../../contract/report-decisions.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { Server } from './server.entity.ts';
import { User } from './user.entity.ts';

/** All reports of one object, which are decided together (contract §5). */
const ReportCaseSchema = defineEntity({
  name: 'ReportCase',
  tableName: 'report_cases',
  indexes: [
    {
      name: 'report_cases_open',
      expression: `create unique index report_cases_open on report_cases (object_id, kind, coalesce(server_id, '00000000-0000-0000-0000-000000000000')) where decided_at is null`,
    },
    { name: 'report_cases_server', properties: ['serverId', 'id'] },
    { name: 'report_cases_waiting', properties: ['serverId', 'id'], where: { decidedAt: null } },
    {
      name: 'report_cases_operators',
      expression: 'create index report_cases_operators on report_cases (id) where server_id is null or to_operators',
    },
    {
      name: 'report_cases_with_operators',
      expression:
        'create index report_cases_with_operators on report_cases (id) where decided_at is null and (server_id is null or to_operators)',
    },
    { name: 'report_cases_about', properties: ['aboutId', 'id'] },
    {
      name: 'report_cases_authors',
      expression: 'create index report_cases_authors on report_cases using gin (authors)',
    },
    {
      name: 'report_cases_kept',
      expression:
        'create index report_cases_kept on report_cases (decided_at) where decided_at is not null and snapshot is not null',
    },
  ],
  properties: {
    id: p.uuid().primary(),
    kind: p.string().columnType('text').$type<ReportKind>(),
    /** Whose moderators decide; null: the operators. */
    serverId: () => p.manyToOne(Server).mapToPk().fieldName('server_id').nullable().deleteRule('cascade').index(false),
    /** The message, person, server or app; it may be gone by now. */
    objectId: p.uuid(),
    /** Of a message. */
    channelId: p.uuid().nullable(),
    /** Whom it is about: the author, the person, the owner. */
    aboutId: () => p.manyToOne(User).mapToPk().fieldName('about_id').nullable().deleteRule('set null').index(false),
    /** Who answered for them when it was first reported: of a bot its owner. Older nodes leave it out. */
    responsibleId: () =>
      p.manyToOne(User).mapToPk().fieldName('responsible_id').nullable().deleteRule('set null').index(),
    /** The operators decide it too: it is about the owner of the server; or alone: moderators handed it to them. */
    toOperators: p.boolean().default(false),
    /** What it looked like when it was first reported; null: erased. */
    snapshot: p.json<Snapshot>().columnType('jsonb').nullable(),
    /** Of the messages in the snapshot. */
    authors: p.array().columnType('uuid[]').defaultRaw(`'{}'`),
    /** Those that its reports name. */
    categories: p.array().columnType('text[]').defaultRaw(`'{}'`),
    reportCount: p.integer().default(0),
    createdAt: p.datetime(3).onCreate(dateNow),
    updatedAt: p.datetime(3).onCreate(dateNow).onUpdate(dateNow),
    decidedAt: p.datetime(3).nullable(),
    decidedBy: () => p.manyToOne(User).mapToPk().fieldName('decided_by').nullable().deleteRule('set null').index(),
    action: p.string().columnType('text').$type<ReportAction>().nullable(),
    reason: p.string().columnType('text').nullable(),
  },
});

export class ReportCase extends ReportCaseSchema.class {}
ReportCaseSchema.setClass(ReportCase);

/** What one person said about an object, or that a filter flags it. */
const ReportSchema = defineEntity({
  name: 'Report',
  tableName: 'reports',
  uniques: [{ name: 'reports_of_reporter', properties: ['caseId', 'reporterId'] }],
  indexes: [
    {
      name: 'reports_of_filter',
      expression: 'create unique index reports_of_filter on reports (case_id) where reporter_id is null',
    },
  ],
  properties: {
    id: p.uuid().primary(),
    caseId: () => p.manyToOne(ReportCase).mapToPk().fieldName('case_id').deleteRule('cascade').index(false),
    /** Null: a filter of the server. */
    reporterId: () => p.manyToOne(User).mapToPk().fieldName('reporter_id').nullable().deleteRule('cascade').index(),
    category: p.string().columnType('text'),
    /** What they wrote; of a filter the entry. */
    text: p.string().columnType('text').nullable(),
    createdAt: p.datetime(3).onCreate(dateNow),
  },
});

export class Report extends ReportSchema.class {}
ReportSchema.setClass(Report);
