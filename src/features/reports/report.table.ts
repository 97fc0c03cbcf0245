import { erasedAmong } from '../../access/user.table.ts';
import type { KeptMessage, Snapshot } from '../../contract/report.ts';
import type { ReportAction, ReportKind } from '../../contract/report-decisions.ts';
import type { Rows } from '../../database/database.ts';
import { selectWritten } from '../../database/quoted.ts';
import { selectFormerOwner, selectResponsible } from '../accounts/responsible.table.ts';

/** All reports of one object. */
export interface CaseRow {
  id: string;
  kind: ReportKind;
  serverId: string | null;
  objectId: string;
  channelId: string | null;
  aboutId: string | null;
  /** Who answered for them when it was first reported; null: an earlier version wrote it. */
  responsibleId: string | null;
  toOperators: boolean;
  snapshot: Snapshot | null;
  categories: string[];
  reportCount: number;
  createdAt: Date | string;
  updatedAt: Date | string;
  decidedAt: Date | string | null;
  decidedBy: string | null;
  action: ReportAction | null;
  reason: string | null;
}

/** A report of it. */
export interface ReportRow {
  id: string;
  caseId: string;
  /** Null: a filter. */
  reporterId: string | null;
  category: string;
  text: string | null;
  createdAt: Date | string;
}

/** What is reported, as it is written. */
export interface NewCase {
  id: string;
  kind: ReportKind;
  serverId: string | null;
  objectId: string;
  channelId: string | null;
  aboutId: string | null;
  toOperators: boolean;
  snapshot: Snapshot;
}

const selectCases = `SELECT c.id, c.kind, c.server_id AS "serverId", c.object_id AS "objectId", c.channel_id AS "channelId",
  c.about_id AS "aboutId", c.responsible_id AS "responsibleId", c.to_operators AS "toOperators", c.snapshot, c.categories, c.report_count AS "reportCount",
  c.created_at AS "createdAt", c.updated_at AS "updatedAt", c.decided_at AS "decidedAt", c.decided_by AS "decidedBy", c.action, c.reason
  FROM report_cases c`;

/**
 * Nobody sees what is about themselves, or a bot that is theirs or was: when it was reported, or last. Nor do their bots.
 * @param viewer SQL of their id
 */
const isShownTo = (viewer: string) => `NOT EXISTS (
  SELECT FROM (VALUES (c.about_id), (c.responsible_id), (${selectResponsible('c.about_id')}),
    (${selectFormerOwner('c.about_id')})) AS concerned (id)
  WHERE concerned.id IN (${viewer}, ${selectResponsible(viewer)}))`;

const oneCase = `${selectCases} WHERE c.id = $1`;
const oneShown = `${oneCase} AND ${isShownTo('$2')}`;
const lockedCase = `${oneShown} FOR NO KEY UPDATE`;
const shownTo = `SELECT viewer.id FROM unnest($2::uuid[]) AS viewer (id) JOIN report_cases c ON c.id = $1
  WHERE ${isShownTo('viewer.id')}`;

const openCase = `INSERT INTO report_cases (id, kind, server_id, object_id, channel_id, about_id, responsible_id, to_operators, snapshot, authors, created_at, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, ${selectResponsible('$6::uuid')}, $7, $8, $9, clock_timestamp(), clock_timestamp())
  ON CONFLICT (object_id, kind, coalesce(server_id, '00000000-0000-0000-0000-000000000000')) WHERE decided_at IS NULL
  DO UPDATE SET updated_at = clock_timestamp() RETURNING id`;
const insertReport = `INSERT INTO reports (id, case_id, reporter_id, category, text, created_at)
  VALUES ($1, $2, $3, $4, $5, clock_timestamp()) ON CONFLICT DO NOTHING RETURNING id`;
const countReport = `UPDATE report_cases SET report_count = report_count + 1,
  categories = CASE WHEN $2 = ANY(categories) THEN categories ELSE categories || $2::text END WHERE id = $1`;
const selectReports = `SELECT id, case_id AS "caseId", reporter_id AS "reporterId", category, text, created_at AS "createdAt" FROM reports`;
const reportOf = `${selectReports} WHERE case_id = $1 AND reporter_id = $2`;
const firstReports = `${selectReports} WHERE case_id = $1 ORDER BY id LIMIT 100`;
const reporters = `SELECT r.reporter_id AS id FROM reports r JOIN users u ON u.id = r.reporter_id
  WHERE r.case_id = $1 AND NOT u.is_bot AND u.deleted_at IS NULL ORDER BY 1`;

const close = `UPDATE report_cases SET decided_at = clock_timestamp(), updated_at = clock_timestamp(), decided_by = $2, action = $3, reason = $4
  WHERE id = $1`;
const handOn = 'UPDATE report_cases SET to_operators = true, updated_at = clock_timestamp() WHERE id = $1';
const responsible = `SELECT ${selectResponsible('$1::uuid')} AS id`;

/** @param which SQL of those that are meant */
const filenames = (which: string) =>
  `ARRAY(SELECT a.filename FROM attachments a WHERE a.message_id = m.id AND ${which} ORDER BY a.id LIMIT 20)`;
const passedOn = 'a.id = ANY(f.attachment_ids)';
const ownFilenames = filenames(`NOT (m.has_extras AND EXISTS (
    SELECT FROM message_forwards f WHERE f.message_id = m.id AND ${passedOn}))`);
const forwarded = `CASE WHEN m.has_extras THEN (SELECT json_build_object('authorId', f.author_id, 'content', left(f.content, 1000),
    'attachments', ${filenames(passedOn)}) FROM message_forwards f WHERE f.message_id = m.id AND NOT f.is_withdrawn) END`;
const columnsBeside = `m.id, m.author_id AS "authorId", ${selectWritten('m', 1000)} AS content, m.created_at AS "createdAt",
  ${ownFilenames} AS attachments, ${forwarded} AS forwarded FROM messages m`;
const beside = (place: string) => `
  (SELECT ${columnsBeside} WHERE ${place} AND m.seq < $2 AND m.deleted_at IS NULL ORDER BY m.seq DESC LIMIT 5)
  UNION ALL
  (SELECT ${columnsBeside} WHERE ${place} AND m.seq > $2 AND m.deleted_at IS NULL ORDER BY m.seq LIMIT 5)`;
const besideRoot = beside('m.channel_id = $1 AND m.thread_id IS NULL');
const besideInThread = beside('m.thread_id = $1');

/** The server is locked against its removal, with which its cases go. $1 channel, $2 message, $3 server */
const selectFlagged = `SELECT m.author_id AS "authorId", m.thread_id AS "threadId", m.seq, m.created_at AS "createdAt", ${ownFilenames} AS attachments,
  ARRAY(SELECT a.filename FROM message_forwards f JOIN attachments a ON ${passedOn} WHERE f.message_id = m.id LIMIT 20) AS "passedOn",
  s.owner_id AS "ownerId", m.deleted_at IS NOT NULL AND u.deleted_at IS NOT NULL AS "isErased"
  FROM messages m JOIN users u ON u.id = m.author_id JOIN servers s ON s.id = $3
  WHERE m.channel_id = $1 AND m.id = $2 FOR KEY SHARE OF s`;

/** What others than messages are called now. */
const presentName: Record<Exclude<ReportKind, 'message'>, string> = {
  user: `SELECT display_name || ' (@' || username || ')' AS name FROM users WHERE id = $1 AND deleted_at IS NULL`,
  server: 'SELECT name FROM servers WHERE id = $1',
  app: 'SELECT name FROM apps WHERE id = $1',
};

/** The statement for a page of cases. */
function page(place: string, isOpen: boolean | undefined): string {
  const status = isOpen === undefined ? '' : `AND c.decided_at IS ${isOpen ? '' : 'NOT '}NULL`;
  return `${selectCases} WHERE ${place} AND c.id < $2 AND ($3::text IS NULL OR c.kind = $3) ${status}
    AND ${isShownTo('$4')} ORDER BY c.id DESC LIMIT $5`;
}

const ofOperators = '(c.server_id IS NULL OR c.to_operators)';

/** Which cases. */
export interface CaseQuery {
  /** Null: those of the operators. */
  serverId: string | null;
  viewer: string;
  before: string;
  kind: ReportKind | null;
  isOpen: boolean | undefined;
  limit: number;
}

/** Newest first, but for those about the viewer. */
export function listCases(rows: Rows, query: CaseQuery): Promise<CaseRow[]> {
  const { serverId, viewer, before, kind, isOpen, limit } = query;
  const place = serverId === null ? `${ofOperators} AND $1::uuid IS NULL` : 'c.server_id = $1';
  return rows<CaseRow>(page(place, isOpen), [serverId, before, kind, viewer, limit]);
}

/** Other cases about the same person, of the same server or of the operators. */
export function earlierCases(
  rows: Rows,
  { id, aboutId, serverId }: CaseRow,
  viewer: string,
  all: boolean,
): Promise<CaseRow[]> {
  const place = all ? `${ofOperators} AND $4::uuid IS NULL` : 'c.server_id = $4';
  return rows<CaseRow>(
    `${selectCases} WHERE c.about_id = $1 AND c.id <> $2 AND ${place} AND ${isShownTo('$3')} ORDER BY c.id DESC LIMIT 20`,
    [aboutId, id, viewer, all ? null : serverId],
  );
}

/** A case, unless it is about the viewer. */
export async function findCase(rows: Rows, id: string, viewer: string): Promise<CaseRow | undefined> {
  return (await rows<CaseRow>(oneShown, [id, viewer]))[0];
}

/** The same for who has decided or made it. */
export async function readCase(rows: Rows, id: string): Promise<CaseRow | undefined> {
  return (await rows<CaseRow>(oneCase, [id]))[0];
}

/** A case, unless it is about the viewer, locked until the commit: of two decisions the second finds the first. */
export async function lockCase(rows: Rows, id: string, viewer: string): Promise<CaseRow | undefined> {
  return (await rows<CaseRow>(lockedCase, [id, viewer]))[0];
}

/** Those of some people and bots whom a case is not about. */
export async function strangersTo(rows: Rows, caseId: string, ids: string[]): Promise<string[]> {
  return (await rows<{ id: string }>(shownTo, [caseId, ids])).map(({ id }) => id);
}

/** Adds a report to the open case of its object, which is made if there is none, and locks that. @returns whether it is new */
export async function addReport(
  rows: Rows,
  made: NewCase,
  report: Omit<ReportRow, 'createdAt' | 'caseId'>,
): Promise<{ caseId: string; isNewCase: boolean; isNew: boolean }> {
  const { id, kind, serverId, objectId, channelId, aboutId, toOperators } = made;
  const { snapshot, authors } = await withoutErased(rows, made.snapshot);
  const values = [id, kind, serverId, objectId, channelId, aboutId, toOperators, JSON.stringify(snapshot), authors];
  const [open] = await rows<{ id: string }>(openCase, values);
  const caseId = open?.id ?? id;
  const { id: reportId, reporterId, category, text } = report;
  const added = await rows(insertReport, [reportId, caseId, reporterId, category, text]);
  if (added.length > 0) await rows(countReport, [caseId, category]);
  return { caseId, isNewCase: caseId === id, isNew: added.length > 0 };
}

/** A snapshot without what its authors had erased since it was read, and the others. It locks those. */
async function withoutErased(rows: Rows, snapshot: Snapshot): Promise<{ snapshot: Snapshot; authors: string[] }> {
  const authors = authorsIn(snapshot);
  if (authors.length === 0) return { snapshot, authors };
  const erased = await erasedAmong(rows, authors);
  if (erased.size === 0) return { snapshot, authors };
  const left = (snapshot.messages ?? []).filter(({ authorId }) => !erased.has(authorId));
  const messages = left.map(({ forwarded, ...message }) =>
    forwarded && !erased.has(forwarded.authorId) ? { ...message, forwarded } : message,
  );
  return { snapshot: { ...snapshot, messages }, authors: authorsIn({ messages }) };
}

const authorsIn = ({ messages = [] }: Snapshot): string[] => [
  ...new Set(messages.flatMap(({ authorId, forwarded }) => [authorId, ...(forwarded ? [forwarded.authorId] : [])])),
];

/** What someone has reported in a case. */
export async function findReport(rows: Rows, caseId: string, reporterId: string): Promise<ReportRow | undefined> {
  return (await rows<ReportRow>(reportOf, [caseId, reporterId]))[0];
}

/** The first 100 reports of a case. */
export function readReports(rows: Rows, caseId: string): Promise<ReportRow[]> {
  return rows<ReportRow>(firstReports, [caseId]);
}

/** The people who reported it. */
export async function reportersOf(rows: Rows, caseId: string): Promise<string[]> {
  return (await rows<{ id: string }>(reporters, [caseId])).map(({ id }) => id);
}

/** Closes a case with all its reports. */
export async function closeCase(
  rows: Rows,
  id: string,
  { by, action, reason }: { by: string; action: ReportAction; reason: string | null },
): Promise<void> {
  await rows(close, [id, by, action, reason]);
}

/** Hands a case to the operators. */
export async function escalateCase(rows: Rows, id: string): Promise<void> {
  await rows(handOn, [id]);
}

/** Who answers for whom a case is about: of a bot its owner, if it is still known, when it was first reported. */
export async function responsibleFor(
  rows: Rows,
  { aboutId, responsibleId }: Pick<CaseRow, 'aboutId' | 'responsibleId'>,
): Promise<string | null> {
  if (responsibleId !== null || aboutId === null) return responsibleId;
  return (await rows<{ id: string }>(responsible, [aboutId]))[0]?.id ?? aboutId;
}

/** A message as a case is made of it. */
export type SaidMessage = Omit<KeptMessage, 'createdAt' | 'reported'> & { createdAt: Date | string };

/** A message that a filter flags, in a server that is there. */
interface FlaggedRow extends Omit<SaidMessage, 'id' | 'content' | 'forwarded'> {
  threadId: string | null;
  seq: number;
  /** Names of files that it forwards. */
  passedOn: string[];
  ownerId: string;
  /** Its author has left, and taken along what they wrote. */
  isErased: boolean;
}

/** The five messages before and after one, in its channel or its thread. */
export function messagesBeside(
  rows: Rows,
  { channelId, threadId, seq }: { channelId: string; threadId: string | null; seq: number },
): Promise<SaidMessage[]> {
  return threadId === null
    ? rows<SaidMessage>(besideRoot, [channelId, seq])
    : rows<SaidMessage>(besideInThread, [threadId, seq]);
}

/** A flagged message, deleted or not; undefined: its server is gone. */
export async function readFlagged(
  rows: Rows,
  { channelId, messageId, serverId }: { channelId: string; messageId: string; serverId: string },
): Promise<FlaggedRow | undefined> {
  return (await rows<FlaggedRow>(selectFlagged, [channelId, messageId, serverId]))[0];
}

/** What a person, server or app is called now; undefined: it is gone. */
export async function readName(
  rows: Rows,
  kind: Exclude<ReportKind, 'message'>,
  id: string,
): Promise<string | undefined> {
  return (await rows<{ name: string }>(presentName[kind], [id]))[0]?.name;
}
