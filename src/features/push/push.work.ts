import { z } from 'zod';
import { typeOfKind } from '../../contract/notification.ts';
import { isQuietAt } from '../../contract/quiet-times.ts';
import { idSchema, isoTime } from '../../contract/schema.ts';
import type { Change } from '../../delivery/changes.ts';
import { clock, dateNow } from '../../infrastructure/clock.ts';
import type { Effect, JobKind, OutsideWork, Work } from '../../jobs/job.kind.ts';
import { outsideWork } from '../../jobs/job.kind.ts';
import { type PushJob, pushClosingKind, pushKey, pushKind } from '../../jobs/push.jobs.ts';
import type { Context } from '../context.ts';
import type { Attention } from '../presence/attention.ts';
import type { Outcome, PushSender } from './push.sender.ts';
import { type Closable, type Due, pushTable, type Target } from './push.table.ts';
import { payloadOf, testPayload } from './push.texts.ts';

/** Pushes something to a session, for its user to see whether it arrives. */
export const pushTestKind: JobKind<{ sessionId: string }> = {
  name: 'push-test',
  schema: z.object({ sessionId: idSchema }),
};

const attempts = 6;
/** For what a push does beside the request. */
const marginMs = 15_000;

interface Deps extends Pick<Context, 'changes' | 'jobs' | 'settings' | 'log'> {
  attention: Pick<Attention, 'sessionsOf'>;
  /** Null: nothing is pushed. */
  sender: PushSender | null;
}

/**
 * Pushes notifications to the sessions of people who are active nowhere, and again with what is merged into them, and takes
 * them back (contract §7, Push). A notification is marked as pushed before it is sent: if nobody knows whether it arrived it
 * is not sent again.
 */
export class PushWork {
  /** Of this node. `dropped`: read meanwhile, not to be disturbed, or left unread by someone active for long. */
  readonly counters = { sent: 0, dropped: 0, failed: 0, closed: 0, gone: 0 };
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  get kinds(): Work[] {
    return [this.pushes(), this.closings(), this.tests()];
  }

  private pushes(): OutsideWork {
    return outsideWork(
      pushKind,
      async (change, { data, attempts: begun }) => {
        const due = await pushTable.due(change.rows, data.sessionId, data.notificationId);
        if (!due || isQuietAt(due.quiet, dateNow())) {
          this.counters.dropped++;
          return null;
        }
        const pauseEnds =
          due.pushedAt === null ? 0 : Date.parse(isoTime(due.pushedAt)) + this.deps.settings.push.repeatMs;
        if (pauseEnds > clock.now()) {
          await this.add(change, data, pauseEnds);
          return null;
        }
        return this.unlessOutdated(due, (over, sender) => this.push({ ...data, begun }, due, sender, over));
      },
      this.options,
    );
  }

  private closings(): OutsideWork {
    return outsideWork(
      pushClosingKind,
      async ({ rows }, { data }) => {
        const to = await pushTable.closable(rows, data.sessionId);
        return to && maySilently(to, this.deps.settings.push.silentPushes)
          ? this.unlessOutdated(to, (over, sender) => this.close(to, sender, over))
          : null;
      },
      this.options,
    );
  }

  private tests(): OutsideWork {
    return outsideWork(
      pushTestKind,
      async ({ rows }, { data }) => {
        const to = await pushTable.target(rows, data.sessionId);
        return to ? this.unlessOutdated(to, (over, sender) => this.test(to, sender, over)) : null;
      },
      this.options,
    );
  }

  private async push(job: PushJob & { begun: number }, due: Due, sender: PushSender, over: AbortSignal): Promise<void> {
    const { attention, changes } = this.deps;
    if ((await attention.sessionsOf(due.userId)).size > 0) return this.later(job);
    const closed = await changes.run(({ rows }) => pushTable.claim(rows, due));
    if (!closed) {
      this.counters.dropped++;
      return;
    }
    const isMessage = typeOfKind[due.kind] !== 'system';
    const options = { urgency: isMessage ? ('high' as const) : ('normal' as const), about: due.id };
    const payload = payloadOf(due, closed);
    const outcome = await sender.send(due, payload, options, over);
    if (outcome.is === 'refused' && job.begun < attempts) {
      await changes.run(({ rows }) => pushTable.release(rows, due, closed));
      throw new Error(outcome.error);
    }
    // The next push takes back what this one had no room for.
    const left = closed.slice('closed' in payload ? payload.closed.length : 0);
    if (left.length > 0) await changes.run(({ rows }) => pushTable.restore(rows, due.sessionId, left));
    await this.settle(due, outcome);
  }

  /** What was pushed to a device that is active by now is taken back by its page, which learns of it by itself. */
  private async close(to: Closable, sender: PushSender, over: AbortSignal): Promise<void> {
    const { sessionId, userId, unreadCount } = to;
    const { attention, changes } = this.deps;
    const isThere = (await attention.sessionsOf(userId)).has(sessionId);
    const closed = await changes.run(async ({ rows }) => {
      const taken = await pushTable.takeClosed(rows, sessionId);
      if (taken.length > 0 && !isThere) await pushTable.countSilent(rows, sessionId);
      return taken;
    });
    const [only = ''] = closed;
    if (closed.length === 0 || isThere) return;
    // On a device that is away it takes the place of the push that it takes back.
    const options = { urgency: 'normal' as const, about: closed.length === 1 ? only : 'closed' };
    const outcome = await sender.send(to, { type: 'closed', closed, unreadCount }, options, over);
    if (outcome.is === 'sent') this.counters.closed++;
    else if (outcome.is === 'gone') await this.settle(to, outcome);
    // The next push takes them back.
    else await changes.run(({ rows }) => pushTable.restore(rows, sessionId, closed));
  }

  private async test(to: Target & Pick<Due, 'language'>, sender: PushSender, over: AbortSignal): Promise<void> {
    await this.settle(to, await sender.send(to, testPayload(to.language), { urgency: 'high', about: 'test' }, over));
  }

  /** Someone is active: if they leave it unread it is pushed once they are gone. */
  private async later(job: PushJob): Promise<void> {
    const { push } = this.deps.settings;
    const now = clock.now();
    const waited = now - Date.parse(job.since);
    if (waited > push.waitSeconds * 1000) {
      this.counters.dropped++;
      return;
    }
    await this.deps.changes.run((change) => this.add(change, job, now + Math.max(push.recheckMs, waited)));
  }

  /** Has a notification looked at again at a time. */
  private async add(change: Change, { sessionId, notificationId, since }: PushJob, at: number): Promise<void> {
    const data = { sessionId, notificationId, since };
    await this.deps.jobs.add(change, pushKind, data, { runAt: new Date(at), key: pushKey(data) });
  }

  private async settle(to: Target, outcome: Outcome): Promise<void> {
    if (outcome.is === 'sent') this.counters.sent++;
    else if (outcome.is === 'gone') await this.end(to);
    else {
      this.counters.failed++;
      this.deps.log.warn({ session: to.sessionId, error: outcome.error }, 'A push was not accepted.');
    }
  }

  private async end(to: Target): Promise<void> {
    this.counters.gone++;
    await this.deps.changes.run(({ rows }) => pushTable.removeEndpoint(rows, to));
  }

  /** A subscription that was made with a former key takes nothing any more. @returns null: nothing is pushed */
  private unlessOutdated(to: Target, effect: (over: AbortSignal, sender: PushSender) => Promise<void>): Effect | null {
    const { sender } = this.deps;
    if (!sender) return null;
    return sender.isSignedFor(to) ? (over) => effect(over, sender) : () => this.end(to);
  }

  private get options(): Omit<OutsideWork, 'kind' | 'prepare'> {
    const { concurrency, timeoutMs } = this.deps.settings.push;
    const retries = { attempts, firstMs: 2000, longestMs: 300_000 };
    return { retries, concurrency, limitMs: timeoutMs + marginMs };
  }
}

/**
 * Whether a push that shows nothing may be sent: browsers that were promised that each push is seen (`userVisibleOnly`) allow
 * some between visits, and Safari none.
 */
function maySilently({ endpoint, silentPushes }: Closable, most: number): boolean {
  return silentPushes < most && !new URL(endpoint).hostname.endsWith('.push.apple.com');
}
