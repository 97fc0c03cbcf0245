import { randomBytes } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from '../settings/make-folder.ts';
import type { Settings } from '../settings/settings.ts';
import { dateNow } from './clock.ts';
import type { Log } from './log.ts';
import type { MailText } from './mail-templates.ts';
import { within } from './within.ts';

export interface Mail extends MailText {
  to: string;
}

/** Composes a mail when it is about to be sent; null: there is none to send after all. */
export type Compose = () => Promise<Mail | null>;

interface Job {
  compose: Compose;
  mail: Mail | null;
  attempts: number;
}

/** How many mails are sent concurrently. */
const parallel = 4;

/**
 * Sends mail in the background: callers never wait, and learn neither whether it was sent nor how long that took.
 * Failures are retried with exponential backoff; mails beyond the queue's limit are dropped and logged.
 */
export class Mailer {
  private readonly settings: Settings['mail'];
  private readonly log: Log;
  private readonly open: () => Promise<Transport>;
  /** Opened for the first mail: many nodes never send one, and loading the library takes a twentieth of a start. */
  private transport: Promise<Transport> | undefined;
  private readonly queue: Job[] = [];
  private readonly pauses = new Map<NodeJS.Timeout, Job>();
  private readonly underWay = new Set<Promise<void>>();
  private closing = false;

  constructor(settings: Pick<Settings, 'mail' | 'smtpUrl' | 'mailFrom' | 'dataDir'>, log: Log) {
    this.settings = settings.mail;
    this.log = log;
    const { smtpUrl, mailFrom: from, dataDir } = settings;
    this.open = () =>
      smtpUrl
        ? smtpTransport(smtpUrl, from, this.settings.timeoutMs)
        : outboxTransport(path.join(dataDir, 'outbox'), from, log);
  }

  /** Queues a mail. Composing it is part of the background work, so it may look things up. */
  post(compose: Compose): void {
    if (this.closing || this.queue.length + this.pauses.size >= this.settings.queue) {
      this.log.error('The mail queue is full; a mail was dropped. See whether the mail server answers.');
      return;
    }
    this.queue.push({ compose, mail: null, attempts: 0 });
    this.work();
  }

  /** Sends the mails still queued, each at most once more, for at most `ms`. */
  async close(ms: number): Promise<void> {
    this.closing = true;
    for (const [timer, job] of this.pauses) {
      clearTimeout(timer);
      this.queue.push(job);
    }
    this.pauses.clear();
    this.work();
    const end = performance.now() + ms;
    while (this.underWay.size > 0 && performance.now() < end)
      await within(Promise.race(this.underWay), end - performance.now());
    const left = this.queue.length + this.underWay.size;
    if (left > 0) this.log.error({ left }, 'Mails were left unsent at shutdown.');
    (await this.transport)?.close();
  }

  private work(): void {
    while (this.underWay.size < parallel) {
      const job = this.queue.shift();
      if (!job) return;
      const run: Promise<void> = this.attempt(job).finally(() => {
        this.underWay.delete(run);
        this.work();
      });
      this.underWay.add(run);
    }
  }

  private async attempt(job: Job): Promise<void> {
    job.attempts++;
    try {
      job.mail ??= await job.compose();
      if (!job.mail) return;
      this.transport ??= this.open();
      await (await this.transport).send(job.mail);
    } catch (error) {
      this.failed(job, error);
    }
  }

  private failed(job: Job, error: unknown): void {
    // A mail server's error text may repeat the address, or the mail itself.
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'an unexpected error';
    const { attempts, retryMs } = this.settings;
    if (this.closing || job.attempts >= attempts) {
      this.log.error({ reason, attempts: job.attempts }, 'A mail could not be sent.');
      return;
    }
    this.log.warn({ reason, attempts: job.attempts }, 'A mail could not be sent yet; it is tried again.');
    const timer = setTimeout(
      () => {
        this.pauses.delete(timer);
        this.queue.push(job);
        this.work();
      },
      retryMs * 2 ** (job.attempts - 1),
    );
    this.pauses.set(timer, job);
  }
}

interface Transport {
  send(mail: Mail): Promise<void>;
  close(): void;
}

async function smtpTransport(url: string, from: string, timeoutMs: number): Promise<Transport> {
  const { createTransport } = await import('nodemailer');
  const pool = createTransport(
    {
      ...smtpOptions(url),
      pool: true,
      maxConnections: parallel,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from },
  );
  return { send: async (mail) => void (await pool.sendMail(mail)), close: () => pool.close() };
}

function smtpOptions(url: string) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  const auth = username ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : undefined;
  return { host: hostname, port: Number(port) || (secure ? 465 : 587), secure, auth };
}

/** For installations without a mail server: mails as files, which any mail program opens. */
async function outboxTransport(folder: string, from: string, log: Log): Promise<Transport> {
  const { createTransport } = await import('nodemailer');
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'unix' }, { from });
  return {
    async send(mail) {
      const { message } = await composer.sendMail(mail);
      const name = `${dateNow().toISOString().replaceAll(':', '-')}-${randomBytes(4).toString('hex')}.eml`;
      const file = path.join(folder, name);
      makeFolder(folder, 0o700);
      // Renamed when complete.
      await writeFile(`${file}.part`, message, { mode: 0o600 });
      await rename(`${file}.part`, file);
      log.info({ file }, 'A mail was written to the outbox, since no SMTP_URL is set.');
    },
    close: () => {},
  };
}
