import type { Mail, Mailer } from '../../../infrastructure/mail.ts';
import { MailTemplates } from '../../../infrastructure/mail-templates.ts';

/** The mails about accounts. Their text is in config/mail. */
export class AccountMails {
  private readonly mailer: Mailer;
  private readonly templates = new MailTemplates();
  private readonly publicUrl: () => string;

  /** @param publicUrl the public URL of this site, without a trailing slash */
  constructor(mailer: Mailer, publicUrl: () => string) {
    this.mailer = mailer;
    this.publicUrl = publicUrl;
  }

  /** Queues a mail that is composed in the background. */
  post(compose: () => Promise<Mail | null>): void {
    this.mailer.post(compose);
  }

  signInCode(to: string, code: string, seconds: number): Mail {
    return this.mail(to, 'sign-in-code', { code, minutes: minutes(seconds) });
  }

  passwordReset(to: string, username: string, token: string, seconds: number): Mail {
    const link = `${this.publicUrl()}/app/reset-password?token=${token}`;
    return this.mail(to, 'password-reset', { username, link, minutes: minutes(seconds) });
  }

  verifyEmail(to: string, given: { username: string; token: string; code: string; seconds: number }): Mail {
    const { username, token, code, seconds } = given;
    const link = `${this.publicUrl()}/app/verify-email?token=${token}`;
    const hours = String(Math.max(1, Math.round(seconds / 3600)));
    return this.mail(to, 'verify-email', { username, link, code, hours });
  }

  /** To whom an account belongs from now on: what had let others in has ended. */
  accountClaimed(to: string, username: string): Mail {
    return this.mail(to, 'account-claimed', { username });
  }

  signInLinked(to: string, username: string, provider: string): Mail {
    return this.mail(to, 'sign-in-linked', { username, provider });
  }

  private mail(to: string, template: string, values: Record<string, string>): Mail {
    return { to, ...this.templates.render(template, { ...values, site: this.publicUrl() }) };
  }
}

const minutes = (seconds: number) => String(Math.round(seconds / 60));
