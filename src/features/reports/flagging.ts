import { reportCreated, reportUpdated } from '../../contract/report.ts';
import type { Change } from '../../delivery/changes.ts';
import { newId } from '../../infrastructure/ids.ts';
import { type Flagged, flagKind } from '../../jobs/flag.jobs.ts';
import { insideWork } from '../../jobs/job.kind.ts';
import { tellDeciders } from './audience.ts';
import { addReport, messagesBeside, type NewCase, readCase, readFlagged } from './report.table.ts';
import { snapshotOf } from './reported.ts';

/** How many messages are reported in one change. */
const batch = 10;
/** A report is all that moderators learn of it. */
const retries = { attempts: 20, firstMs: 1000, longestMs: 600_000 };

/** Reports messages that filters flag, as nobody's report: of one message once while its case is open (contract §6). */
export const reportFlagged = insideWork(
  flagKind,
  async (change, jobs) => {
    const all = jobs.map(({ data }) => data);
    // All code locks cases ordered by their messages, so no two of these changes deadlock.
    all.sort((a, b) => Number(a.messageId > b.messageId) - Number(a.messageId < b.messageId));
    for (const flagged of all) await report(change, flagged);
  },
  { batch, retries },
);

async function report(change: Change, flagged: Flagged): Promise<void> {
  const { rows } = change;
  const made = await caseOf(change, flagged);
  if (!made) return;
  const given = { id: newId(), reporterId: null, category: 'filter', text: flagged.pattern };
  const { caseId, isNewCase, isNew } = await addReport(rows, made, given);
  const row = isNew ? await readCase(rows, caseId) : undefined;
  if (row) await tellDeciders(change, row, isNewCase ? reportCreated : reportUpdated);
}

/** The case of a flagged message; undefined: nobody is left to decide it, or its author has left with all they wrote. */
async function caseOf({ rows }: Change, flagged: Flagged): Promise<NewCase | undefined> {
  const { messageId, channelId, serverId, content } = flagged;
  const found = await readFlagged(rows, flagged);
  if (!found || found.isErased) return undefined;
  const { authorId, threadId, seq, createdAt, attachments, passedOn, ownerId } = found;
  const beside = await messagesBeside(rows, { channelId, threadId, seq });
  const forwarded = flagged.forwarded && { ...flagged.forwarded, attachments: passedOn };
  const said = { id: messageId, authorId, content, createdAt, attachments, forwarded };
  return {
    id: newId(),
    kind: 'message',
    ...{ serverId, channelId, objectId: messageId, aboutId: authorId },
    toOperators: authorId === ownerId,
    snapshot: snapshotOf(said, beside),
  };
}
