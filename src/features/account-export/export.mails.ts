import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { idSchema, isoTime } from '../../contract/schema.ts';
import { AccountExport } from '../../database/entities/account-export.entity.ts';
import { User } from '../../database/entities/user.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import type { Mail } from '../../infrastructure/mail.ts';
import { MailTemplates } from '../../infrastructure/mail-templates.ts';
import { type JobKind, type OutsideWork, outsideWork } from '../../jobs/job.kind.ts';
import { sendingOf } from '../accounts/mailed/account-mails.ts';
import type { Context } from '../context.ts';

const mailSchema = z.object({ exportId: idSchema });

/** Of a kind of its own, since earlier versions do not know it. */
const mailKind: JobKind<z.output<typeof mailSchema>> = { name: 'export-mail', schema: mailSchema };

/** The mails about exports of accounts. They carry nothing of the export, and no link that opens it without signing in. */
export class ExportMails {
  private readonly context: Pick<Context, 'jobs' | 'mailer' | 'publicUrl' | 'settings'>;
  private readonly templates = new MailTemplates();

  constructor(context: ExportMails['context']) {
    this.context = context;
  }

  /** Mails after this change how an export ended. */
  async add(change: Change, mail: { exportId: string }): Promise<void> {
    await this.context.jobs.add(change, mailKind, mail);
  }

  work(): OutsideWork {
    const { mailer, settings } = this.context;
    return outsideWork(
      mailKind,
      async ({ em }, { id, data }) => {
        const mail = await this.compose(em, data.exportId);
        return mail && (() => mailer.send(mail, id));
      },
      sendingOf(settings),
    );
  }

  /** @returns null for someone without an address, or if the export was replaced or deleted by then */
  private async compose(em: EntityManager, id: string): Promise<Mail | null> {
    const found = await em.findOne(AccountExport, { id });
    const user = found && (await em.findOne(User, { id: found.userId, deletedAt: null }));
    if (found?.expiresAt == null || user?.email == null) return null;
    const site = this.context.publicUrl();
    const until = isoTime(found.expiresAt).slice(0, 16).replace('T', ' ');
    const values = { username: user.username, link: `${site}/app/settings/account`, until, site };
    const template = found.state === 'ready' ? 'export-ready' : 'export-failed';
    return { to: user.email, ...this.templates.render(template, values, user.language ?? null) };
  }
}
