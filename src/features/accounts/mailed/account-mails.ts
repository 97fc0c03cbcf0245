import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { type Language, languages } from '../../../contract/languages.ts';
import { idSchema } from '../../../contract/schema.ts';
import type { Change } from '../../../delivery/changes.ts';
import { clock } from '../../../infrastructure/clock.ts';
import { type Mail, parallelMails } from '../../../infrastructure/mail.ts';
import { MailTemplates } from '../../../infrastructure/mail-templates.ts';
import { insideWork, type JobKind, outsideWork, type Work } from '../../../jobs/job.kind.ts';
import { jobTable } from '../../../jobs/job.table.ts';
import type { Settings } from '../../../settings/settings.ts';
import type { Context } from '../../context.ts';
import type { EmailChangeService } from '../address/email-change.service.ts';
import type { DueNotice } from '../notices/security-notices.table.ts';

/** What the client asked for: of mails to those who have chosen none. Earlier versions do not know it. */
const asked = { language: z.enum(languages).nullish() };

/**
 * A mail to be composed when it is sent. Codes and links are not in it: they are computed from the job's id with the
 * installation's secret (see `derivedCode`), and the mail is dropped if they are used, replaced or over by then.
 */
const mailSchema = z.discriminatedUnion('mail', [
  z.object({ mail: z.literal('sign-in-code'), email: z.string(), ...asked }),
  z.object({ mail: z.literal('password-reset'), userId: idSchema, ...asked }),
  z.object({ mail: z.literal('verify-email'), userId: idSchema, ...asked }),
  z.object({ mail: z.literal('account-claimed'), email: z.string(), username: z.string(), ...asked }),
  z.object({
    ...{ mail: z.literal('sign-in-linked'), email: z.string(), username: z.string(), provider: z.string() },
    ...asked,
  }),
]);

/** The mails about a change of address; of a kind of their own, since earlier versions do not know them. */
const addressMailSchema = z.discriminatedUnion('mail', [
  z.object({ mail: z.literal('change-email'), userId: idSchema, email: z.string() }),
  z.object({ mail: z.literal('email-changed') }),
]);

/** A mail that may not be due: who is asked for is looked up after the response, which so reveals nothing. */
const requestSchema = z.discriminatedUnion('request', [
  z.object({ request: z.literal('password-reset'), email: z.string(), ...asked }),
  z.object({ request: z.literal('verify-email'), userId: idSchema, ...asked }),
]);

type MailJob = z.output<typeof mailSchema>;
type AddressMail = z.output<typeof addressMailSchema>;
type MailRequest = z.output<typeof requestSchema>;

const mailKind: JobKind<MailJob> = { name: 'mail', schema: mailSchema };
const addressKind: JobKind<AddressMail> = { name: 'address-mail', schema: addressMailSchema };
const requestKind: JobKind<MailRequest> = { name: 'mail-request', schema: requestSchema };

const requestBatch = 20;
const longestRetryMs = 10 * 60_000;
/** How many of the mail server's time limits a mail may take: it is asked several things for each. */
const timeouts = 5;

/** Whom a mail goes to, and in which language; null: English. */
interface Addressee {
  email: string;
  language: Language | null;
}

/** The language of someone, else the one that their client asked for. */
export const languageFor = (
  user: { language?: Language | null } | null | undefined,
  asked: Language | null | undefined,
): Language | null => user?.language ?? asked ?? null;

/** The mails about accounts. Their text is in config/mail. */
export class AccountMails {
  private readonly context: Pick<Context, 'jobs' | 'log' | 'publicUrl' | 'settings'>;
  private readonly templates = new MailTemplates();

  constructor(context: AccountMails['context']) {
    this.context = context;
  }

  /** Mails something after this change. @returns the job's id; null if so many wait that this one is dropped */
  add(change: Change, mail: MailJob): Promise<string | null> {
    return this.queue(change, mailKind, mail);
  }

  /** The same for mails about a change of address. */
  addOfAddress(change: Change, mail: AddressMail): Promise<string | null> {
    return this.queue(change, addressKind, mail);
  }

  /** The same for mails of any kind. */
  async queue<D extends object>(
    change: Change,
    kind: JobKind<D>,
    mail: D,
    options: { key?: string; runAt?: Date } = {},
  ): Promise<string | null> {
    const { jobs, log, settings } = this.context;
    const most = settings.mail.queue;
    if ((await jobTable.waiting(change.rows, kind.name, most)) < most) return jobs.add(change, kind, mail, options);
    log.error('The mail queue is full; a mail was dropped. See whether the mail server answers.');
    return null;
  }

  /** Finds out some time after this change whether there is something to mail. */
  async request(change: Change, request: MailRequest): Promise<void> {
    const { spreadMs } = this.context.settings.mail;
    // What is done for an account that exists must not be seen in the time of the answers that follow.
    const runAt = spreadMs > 0 ? new Date(clock.now() + spreadMs * (0.25 + 0.75 * Math.random())) : undefined;
    await this.context.jobs.add(change, requestKind, request, { runAt });
  }

  signInCode(to: Addressee, code: string, seconds: number): Mail {
    return this.mail(to, 'sign-in-code', { code, minutes: minutes(seconds) });
  }

  passwordReset(to: Addressee, username: string, token: string, seconds: number): Mail {
    const link = `${this.context.publicUrl()}/app/reset-password?token=${token}`;
    return this.mail(to, 'password-reset', { username, link, minutes: minutes(seconds) });
  }

  verifyEmail(to: Addressee, given: { username: string; token: string; code: string; seconds: number }): Mail {
    const { username, token, code, seconds } = given;
    const link = `${this.context.publicUrl()}/app/verify-email?token=${token}`;
    const hours = String(Math.max(1, Math.round(seconds / 3600)));
    return this.mail(to, 'verify-email', { username, link, code, hours });
  }

  /** To a new address. */
  changeEmail(to: Addressee, username: string, code: string, seconds: number): Mail {
    return this.mail(to, 'change-email', { username, code, minutes: minutes(seconds) });
  }

  /** To an address that somebody wants for their account, and that has one. */
  addressInUse(to: Addressee): Mail {
    return this.mail(to, 'address-in-use', {});
  }

  /** To an address with which somebody has made another account. */
  accountExists(to: Addressee, username: string): Mail {
    const site = this.context.publicUrl();
    return this.mail(to, 'account-exists', { username, login: `${site}/app/login`, forgot: `${site}/app/forgot` });
  }

  /** To the old address. */
  emailChanged(to: Addressee, given: { username: string; email: string; token: string }, seconds: number): Mail {
    const { username, email, token } = given;
    const link = `${this.context.publicUrl()}/app/undo-email?token=${token}`;
    const days = String(Math.max(1, Math.round(seconds / 86_400)));
    return this.mail(to, 'email-changed', { username, email, link, days });
  }

  /** To the account's owner from now on: the credentials of others have ended. */
  accountClaimed(to: Addressee, username: string): Mail {
    return this.mail(to, 'account-claimed', { username });
  }

  signInLinked(to: Addressee, username: string, provider: string): Mail {
    return this.mail(to, 'sign-in-linked', { username, provider });
  }

  /** To an operator who wants to see whether mail arrives. */
  trial(to: Addressee): Mail {
    return this.mail(to, 'trial', {});
  }

  /** To someone whose account is about to be deleted. @param day as `2026-01-31` */
  accountLeaving(to: Addressee, username: string, day: string): Mail {
    return this.mail(to, 'account-leaving', { username, day });
  }

  /** What happened to an account, in order. */
  notices(to: Addressee, username: string, all: DueNotice[]): Mail {
    const template = all.every(({ kind }) => kind === 'sign-in') ? 'new-sign-in' : 'account-changed';
    const events = all.map((one) => {
      const { time, device, place } = one;
      const from = place === null ? '' : this.templates.sentence('notices', 'place', { place }, to.language);
      const origin = [`${time} UTC`, device ?? '', from].filter(Boolean).join(', ');
      const happened = this.templates.sentence('notices', one.kind, { detail: one.detail ?? '' }, to.language);
      return `${happened} (${origin})`;
    });
    const link = `${this.context.publicUrl()}/app/settings/account`;
    return this.mail(to, template, { username, events, link });
  }

  private mail(to: Addressee, template: string, values: Record<string, string | string[]>): Mail {
    const site = this.context.publicUrl();
    return { to: to.email, ...this.templates.render(template, { ...values, site }, to.language) };
  }
}

/** For how long a code or link is still valid. */
export const secondsUntil = (time: Date): number => (time.getTime() - clock.now()) / 1000;

const minutes = (seconds: number) => String(Math.max(1, Math.round(seconds / 60)));

/** Whom a job is about, and what their client asked for. */
export type MailedTo<K extends 'email' | 'userId'> = Record<K, string> & { language?: Language | null };

/** What makes mails of jobs: nothing if what they prove is used, replaced or over. */
interface Composers {
  mails: AccountMails;
  codes: { compose(change: Change, jobId: string, to: MailedTo<'email'>): Promise<Mail | null> };
  resets: {
    compose(em: EntityManager, jobId: string, to: MailedTo<'userId'>): Promise<Mail | null>;
    begin(change: Change, to: MailedTo<'email'>): Promise<void>;
  };
  verifications: {
    compose(change: Change, jobId: string, to: MailedTo<'userId'>): Promise<Mail | null>;
    begin(change: Change, to: MailedTo<'userId'>): Promise<void>;
  };
  addresses: Pick<EmailChangeService, 'composeCode' | 'composeUndo'>;
}

/** How jobs that send a mail each are run. */
export function sendingOf({ mail: { attempts, retryMs: firstMs, timeoutMs } }: Settings) {
  return {
    retries: { attempts, firstMs, longestMs: longestRetryMs },
    concurrency: parallelMails,
    limitMs: timeouts * timeoutMs,
  };
}

/** How mails are composed and sent. */
export function mailWork(
  { mails, codes, resets, verifications, addresses }: Composers,
  { mailer, settings }: Pick<Context, 'mailer' | 'settings'>,
): Work[] {
  const compose = async (change: Change, id: string, job: MailJob): Promise<Mail | null> => {
    if (job.mail === 'sign-in-code') return codes.compose(change, id, job);
    if (job.mail === 'password-reset') return resets.compose(change.em, id, job);
    if (job.mail === 'verify-email') return verifications.compose(change, id, job);
    const to = { email: job.email, language: job.language ?? null };
    if (job.mail === 'account-claimed') return mails.accountClaimed(to, job.username);
    return mails.signInLinked(to, job.username, job.provider);
  };
  const composeOfAddress = (change: Change, id: string, job: AddressMail): Promise<Mail | null> =>
    job.mail === 'change-email'
      ? addresses.composeCode(change, id, job.userId, job.email)
      : addresses.composeUndo(change.em, id);
  const sending = sendingOf(settings);
  const sent = (mail: Mail | null, id: string) => mail && (() => mailer.send(mail, id));
  return [
    insideWork(
      requestKind,
      async (change, jobs) => {
        for (const { data } of jobs) {
          if (data.request === 'password-reset') await resets.begin(change, data);
          else await verifications.begin(change, data);
        }
      },
      { batch: requestBatch },
    ),
    outsideWork(mailKind, async (change, { id, data }) => sent(await compose(change, id, data), id), sending),
    outsideWork(
      addressKind,
      async (change, { id, data }) => sent(await composeOfAddress(change, id, data), id),
      sending,
    ),
  ];
}
