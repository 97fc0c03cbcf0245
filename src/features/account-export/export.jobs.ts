import { Readable } from 'node:stream';
import { z } from 'zod';
import { idSchema } from '../../contract/schema.ts';
import { AccountExport } from '../../database/entities/account-export.entity.ts';
import { User } from '../../database/entities/user.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import { clock, dateNow } from '../../infrastructure/clock.ts';
import { zipBytes } from '../../infrastructure/zip-writer.ts';
import { type JobKind, type OutsideWork, outsideWork } from '../../jobs/job.kind.ts';
import type { BlobStore } from '../blobs/blob.store.ts';
import type { Context } from '../context.ts';
import { archiveOf, type ExportSubject } from './account-archive.ts';
import type { ExportMails } from './export.mails.ts';

const exportSchema = z.object({ exportId: idSchema });

export const exportKind: JobKind<z.output<typeof exportSchema>> = { name: 'account-export', schema: exportSchema };

/**
 * The last attempt only says that it failed. The time limit is shorter than an unused blob is kept, so that no collector
 * takes one that is still being written.
 */
const retries = { attempts: 5, firstMs: 5000, longestMs: 60_000 };
const limitMs = 45 * 60_000;
const leaseMs = 30_000;
/** A large one does not keep others waiting, and the node is there for more than this. */
const concurrency = 2;

interface Deps extends Pick<Context, 'database' | 'changes' | 'notifications' | 'publicUrl' | 'settings'> {
  blobs: BlobStore;
  mails: ExportMails;
}

/** An export to be made. */
interface Task {
  id: string;
  subject: ExportSubject;
}

/**
 * Makes exports. A node that dies leaves its export to another one, which begins anew; whoever is first to finish makes it
 * ready, once, and with it the notification and the mail.
 */
export function exportWork(deps: Deps): OutsideWork {
  return outsideWork(
    exportKind,
    async (change, { data, attempts }) => {
      const task = await taskOf(change, data.exportId, deps.publicUrl());
      if (!task) return null;
      if (attempts < retries.attempts) return (over) => make(deps, task, over);
      await end(deps, change, task, { state: 'failed' });
      return null;
    },
    { retries, concurrency, limitMs, leaseMs },
  );
}

/** An export that is still wanted: neither replaced nor done, and its account is there. */
async function taskOf({ em }: Change, id: string, site: string): Promise<Task | null> {
  const found = await em.findOne(AccountExport, { id, state: 'preparing' });
  const user = found && (await em.findOne(User, { id: found.userId, deletedAt: null }));
  if (!user) return null;
  return {
    id,
    subject: { userId: user.id, username: user.username, site, at: dateNow(), language: user.language ?? null },
  };
}

async function make(deps: Deps, task: Task, over: AbortSignal): Promise<void> {
  const bytes = Readable.from(zipBytes(archiveOf(deps, task.subject, over)), { objectMode: false });
  // What it is made of is limited already: the files by what a person may store, the rest by what they wrote.
  const { id: blobId, size } = await deps.blobs.write(bytes, Number.MAX_SAFE_INTEGER);
  over.throwIfAborted();
  await deps.changes.run((change) => end(deps, change, task, { state: 'ready', blobId, size }));
}

type Outcome = { state: 'failed' } | { state: 'ready'; blobId: string; size: number };

/** Its owner is told in the same change, if this is what ends it. */
async function end(deps: Deps, change: Change, { id, subject }: Task, outcome: Outcome): Promise<void> {
  const { userId } = subject;
  const expiresAt = new Date(clock.now() + deps.settings.accounts.exportSeconds * 1000);
  const ended = { ...outcome, endedAt: dateNow(), expiresAt };
  if ((await change.em.nativeUpdate(AccountExport, { id, state: 'preparing' }, ended)) === 0) return;
  const kind = outcome.state === 'ready' ? 'account.export_ready' : 'account.export_failed';
  const reference = { type: 'account_export', id };
  await deps.notifications.add(change, { kind, to: [userId], senderId: null, reference });
  await deps.mails.add(change, { exportId: id });
}
