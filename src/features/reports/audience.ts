import type { DurableEvent } from '../../contract/event.ts';
import type { reportCreated } from '../../contract/report.ts';
import { userRoom } from '../../contract/rooms.ts';
import type { Change } from '../../delivery/changes.ts';
import { operatorIds } from '../accounts/operators.table.ts';
import { holdersOf } from '../members/audience.table.ts';
import { type CaseRow, strangersTo } from './report.table.ts';
import { type CaseRecord, caseRecords } from './report.view.ts';

type ReportEvent = DurableEvent<typeof reportCreated.payload, 'report:created' | 'report:updated', 'user'>;

/** Tells those who decide about a case, but not whom it is about. @returns the case as they see it */
export async function tellDeciders(change: Change, row: CaseRow, event: ReportEvent): Promise<CaseRecord> {
  const { rows } = change;
  const [report] = await caseRecords(rows, [row]);
  if (!report) throw new Error('A case has no record.');
  const { serverId, toOperators } = row;
  const moderators = serverId === null ? [] : await holdersOf(rows, serverId, 'report:decide');
  const operators = serverId === null || toOperators ? await operatorIds(rows) : [];
  const told = await strangersTo(rows, row.id, [...new Set([...moderators, ...operators])]);
  for (const id of told) change.publish(event.in(userRoom(id), { report }));
  return report;
}
