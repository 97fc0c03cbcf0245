import { knownZone, nextMomentOf } from '../../contract/local-time.ts';
import { quietUntil } from '../../contract/quiet-times.ts';
import type { Change } from '../../delivery/changes.ts';
import { clock } from '../../infrastructure/clock.ts';
import { MailTemplates } from '../../infrastructure/mail-templates.ts';
import { digestKind } from '../../jobs/digest.jobs.ts';
import { type Effect, type OutsideWork, outsideWork } from '../../jobs/job.kind.ts';
import { digestDefault } from '../../settings/mail-settings.ts';
import { sendingOf } from '../accounts/mailed/account-mails.ts';
import type { Context } from '../context.ts';
import type { Attention } from '../presence/attention.ts';
import { digestMail, mostCounted } from './digest.mail.ts';
import { digestTable, type Missed, type Recipient } from './digest.table.ts';
import type { UnsubscribeLinks } from './unsubscribe-links.ts';

interface Deps extends Pick<Context, 'jobs' | 'mailer' | 'publicUrl' | 'settings'> {
  attention: Pick<Attention, 'sessionsOf'>;
  links: UnsubscribeLinks;
}

const minuteMs = 60_000;
const dayMinutes = 24 * 60;
/** Nobody is mailed at their hour of the day what they have only just missed. */
const leastMinutes = 15;

/**
 * Mails people what they missed while they were away (contract §7): one mail, and the next once they were there again. A job
 * waits for each of them; it looks when it is due, and waits on if it is not time yet.
 */
export class Digests {
  private readonly deps: Deps;
  private readonly templates = new MailTemplates();

  constructor(deps: Deps) {
    this.deps = deps;
  }

  work(): OutsideWork {
    return outsideWork(
      digestKind,
      (change, { id, data }) => this.prepare(change, id, data.userId),
      sendingOf(this.deps.settings),
    );
  }

  private async prepare(change: Change, jobId: string, userId: string): Promise<Effect | null> {
    const { settings, mailer, attention } = this.deps;
    const byDefault = digestDefault(settings);
    const to = await digestTable.recipient(change.rows, userId);
    const minutes = to?.digestMinutes ?? byDefault;
    if (!to || byDefault === null || minutes === null || minutes === 0) return null;
    const sentAt = to.jobId === jobId ? 0 : msOf(to.sentAt);
    const attendedAt = msOf(to.attendedAt);
    if (sentAt > 0 && attendedAt <= sentAt) return null;
    // Nothing is missed by whoever is there, or has yet to come back to say that they may be disturbed again.
    if (to.quiet.isBusy || (await attention.sessionsOf(userId)).size > 0) return null;
    const since = new Date(Math.max(attendedAt, sentAt));
    const missed = await digestTable.missed(change.rows, userId, since, mostCounted + 1);
    // The list ends where it is long enough.
    const isAll = missed.length <= mostCounted;
    const oldest = isAll ? missed.at(-1)?.at : await digestTable.oldest(change.rows, userId, since);
    if (!oldest) return null;
    const due = this.dueAt(to, minutes, { missedAt: msOf(oldest), sentAt });
    if (due > clock.now()) {
      await this.deps.jobs.add(change, digestKind, { userId }, { runAt: new Date(due), key: userId });
      return null;
    }
    await digestTable.noteSent(change.rows, userId, jobId);
    const mail = this.compose(to, missed);
    return () => mailer.send(mail, jobId);
  }

  /** When what was missed then is mailed: after so long away, or at the hour of a day; and not while someone is quiet. */
  private dueAt(to: Recipient, minutes: number, { missedAt, sentAt }: { missedAt: number; sentAt: number }): number {
    const { dailyAt } = this.deps.settings.mail.digest;
    const due =
      minutes === dayMinutes
        ? nextMomentOf(knownZone(to.timeZone), dailyAt, missedAt + leastMinutes * minuteMs)
        : Math.max(missedAt, sentAt) + minutes * minuteMs;
    const at = new Date(Math.max(due, clock.now()));
    return quietUntil(to.quiet, at)?.getTime() ?? due;
  }

  private compose(to: Recipient, missed: Missed[]) {
    const site = this.deps.publicUrl();
    const unsubscribe = `${site}/unsubscribe?token=${this.deps.links.tokenFor(to.id)}`;
    const { excerpts } = this.deps.settings.mail.digest;
    return digestMail(this.templates, { to, missed, site, unsubscribe, excerpts });
  }
}

const msOf = (time: Date | string | null): number => (time === null ? 0 : new Date(time).getTime());
