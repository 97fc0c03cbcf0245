import { z } from 'zod';
import { idSchema } from '../../../contract/schema.ts';
import type { Change } from '../../../delivery/changes.ts';
import type { Mail } from '../../../infrastructure/mail.ts';
import { type JobKind, outsideWork, type Work } from '../../../jobs/job.kind.ts';
import type { Context } from '../../context.ts';
import { type AccountMails, sendingOf } from '../mailed/account-mails.ts';
import type { Device } from '../sessions/device.ts';
import type { NoticeKind } from './notice-kinds.ts';
import { originOf } from './origin.ts';
import { addNotice, dueNotices, markNoticesMailed, type PlannedMail } from './security-notices.table.ts';

interface NoticeMail extends PlannedMail {
  userId: string;
}

/** A mail whose notices are read when it is sent. */
const noticeMailKind: JobKind<NoticeMail> = {
  name: 'notice-mail',
  schema: z.object({ userId: idSchema, email: z.string(), at: z.number() }),
};

interface NoticeDetails {
  /** From where it was done; null: by the operator. */
  device: Device | null;
  /** What was made, linked or removed. */
  detail?: string;
}

interface Deps extends Pick<Context, 'changes' | 'mailer' | 'settings'> {
  mails: AccountMails;
}

/**
 * Mails the owners of accounts what lets someone in, and who came in (contract §3): to the address that was proven when
 * it happened, and what happens soon after a mail in the next one.
 */
export class SecurityNotices {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** Mails something after this change, as one of its last steps. Without a proven address nothing is mailed. */
  async notify(change: Change, userId: string, kind: NoticeKind, details: NoticeDetails): Promise<void> {
    const { device, detail = null } = details;
    const origin = device ? originOf(device) : { device: null, place: null };
    const gap = this.deps.settings.mail.noticeSeconds;
    const planned = await addNotice(change.rows, { userId, kind, detail, ...origin }, gap);
    if (!planned) return;
    const { email, at } = planned;
    const options = { key: `${userId} ${at} ${email}`, runAt: new Date(at) };
    await this.deps.mails.queue(change, noticeMailKind, { userId, email, at }, options);
  }

  /** How the mails are composed and sent. */
  work(): Work {
    const { changes, mailer, settings } = this.deps;
    return outsideWork(
      noticeMailKind,
      async ({ rows }, { id, data }) => {
        const notices = await dueNotices(rows, data.userId, data);
        const [first] = notices;
        if (!first) return null;
        const to = { email: data.email, language: first.language };
        const mail: Mail = this.deps.mails.notices(to, first.username, notices);
        return async () => {
          await mailer.send(mail, id);
          await changes.run((change) =>
            markNoticesMailed(
              change.rows,
              notices.map((notice) => notice.id),
            ),
          );
        };
      },
      sendingOf(settings),
    );
  }
}
