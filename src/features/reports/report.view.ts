import type { z } from 'zod';
import { usersByIds } from '../../access/user.table.ts';
import type { SmallUser } from '../../contract/actor.ts';
import { saidIn } from '../../contract/quote.ts';
import {
  caseCategories,
  type KeptMessage,
  type reportCaseSchema,
  reportCategories,
  type reportDetailSchema,
} from '../../contract/report.ts';
import { isoTime, isoTimeOrNull } from '../../contract/schema.ts';
import type { Rows } from '../../database/database.ts';
import type { CaseRow, ReportRow } from './report.table.ts';

export type CaseRecord = z.output<typeof reportCaseSchema>;
type Detail = z.output<typeof reportDetailSchema>;
type Category = CaseRecord['categories'][number];

/** Categories of a later version count as other ones. */
export const categoryOf = (name: string) => reportCategories.find((known) => known === name) ?? 'other';
const caseCategoryOf = (name: string): Category => caseCategories.find((known) => known === name) ?? 'other';

/** The beginning of what was reported. */
function titleOf({ snapshot }: CaseRow): string {
  const reported = snapshot?.messages?.find((message) => message.reported);
  return (reported ? saidIn(reported) : (snapshot?.name ?? '')).slice(0, 200);
}

/** A message of a snapshot with what it forwards. */
function shownMessage({ forwarded, ...message }: KeptMessage) {
  const attachments = [...message.attachments, ...(forwarded?.attachments ?? [])];
  return { ...message, content: saidIn({ content: message.content, forwarded }), attachments };
}

const userIn = (users: Map<string, SmallUser>, id: string | null) => (id === null ? null : (users.get(id) ?? null));

function caseRecord(row: CaseRow, users: Map<string, SmallUser>): CaseRecord {
  const { id, kind, serverId, objectId, channelId, reportCount, toOperators, action, reason } = row;
  return {
    ...{ id, kind, serverId, objectId, channelId, reportCount, toOperators, action, reason },
    about: userIn(users, row.aboutId),
    title: titleOf(row),
    categories: [...new Set(row.categories.map(caseCategoryOf))],
    status: row.decidedAt === null ? 'open' : 'decided',
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
    decidedAt: isoTimeOrNull(row.decidedAt),
    decidedBy: userIn(users, row.decidedBy),
  };
}

/** Cases with the people that they name, in one query. */
export async function caseRecords(rows: Rows, cases: CaseRow[]): Promise<CaseRecord[]> {
  const ids = cases.flatMap(({ aboutId, decidedBy }) => [aboutId, decidedBy]).filter((id) => id !== null);
  const users = ids.length > 0 ? await usersByIds(rows, [...new Set(ids)]) : new Map<string, SmallUser>();
  return cases.map((row) => caseRecord(row, users));
}

interface Parts {
  row: CaseRow;
  reports: ReportRow[];
  earlier: CaseRow[];
  current: string | null;
  /** Whether the viewer may read what was beside the reported message. */
  withContext: boolean;
}

/** All that helps to decide a case. */
export async function detailRecord(
  rows: Rows,
  { row, reports, earlier, current, withContext }: Parts,
): Promise<Detail> {
  const [record, ...others] = await caseRecords(rows, [row, ...earlier]);
  const messages = (row.snapshot?.messages ?? []).filter(({ reported }) => reported || withContext);
  const people = [...reports.map(({ reporterId }) => reporterId), ...messages.map(({ authorId }) => authorId)];
  const users = await usersByIds(rows, [...new Set(people.filter((id) => id !== null))]);
  const snapshot = row.snapshot && {
    name: row.snapshot.name ?? null,
    description: row.snapshot.description ?? null,
    messages: messages.map((message) => ({ ...shownMessage(message), author: userIn(users, message.authorId) })),
  };
  return {
    ...(record ?? caseRecord(row, users)),
    snapshot,
    current,
    reports: reports.map(({ id, reporterId, category, text, createdAt }) => ({
      ...{ id, text, reporter: userIn(users, reporterId) },
      ...{ category: caseCategoryOf(category), createdAt: isoTime(createdAt) },
    })),
    earlier: others,
  };
}
