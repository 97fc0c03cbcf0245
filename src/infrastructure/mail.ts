import { randomBytes } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from '../settings/make-folder.ts';
import type { Settings } from '../settings/settings.ts';
import { dateNow } from './clock.ts';
import type { Log } from './log.ts';
import type { MailText } from './mail-templates.ts';

export interface Mail extends MailText {
  to: string;
  replyTo?: string;
  /** Further headers, as they are. */
  headers?: Record<string, string>;
}

/** A mail with the header by which mail programs recognise a repeat. */
interface Identified extends Mail {
  messageId: string;
}

interface Transport {
  send(mail: Identified): Promise<void>;
  close(): void;
}

/** Why a mail was not taken. */
export interface MailFailure {
  /** Of the library or the system, such as `EAUTH`. */
  code: string | null;
  /** What it was about to say to the mail server, such as `MAIL FROM`. */
  command: string | null;
  words: string;
}

/** How many mails are sent concurrently. */
export const parallelMails = 4;

/** Sends mail, one attempt a call; the queue of jobs repeats those that fail (see `mailWork`). */
export class Mailer {
  private readonly host: string;
  private readonly open: () => Promise<Transport>;
  /** Opened for the first mail: many nodes never send one, and loading the library takes a twentieth of a start. */
  private transport: Promise<Transport> | undefined;

  constructor(settings: Pick<Settings, 'mail' | 'smtpUrl' | 'mailFrom' | 'dataDir'>, log: Log) {
    const { smtpUrl, mailFrom: from, dataDir, mail } = settings;
    this.host = /@([^>\s]+)/.exec(from)?.[1] ?? 'localhost';
    this.open = () =>
      smtpUrl ? smtpTransport(smtpUrl, from, mail.timeoutMs) : outboxTransport(path.join(dataDir, 'outbox'), from, log);
  }

  /**
   * @param id the same for each attempt, and part of the Message-ID
   * @throws Error without what a mail server answered, which may repeat the address or the mail itself
   */
  async send(mail: Mail, id: string): Promise<void> {
    try {
      this.transport ??= this.open();
      await (await this.transport).send({ ...mail, messageId: `<${id}@${this.host}>` });
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : 'an unexpected error';
      throw new Error(`The mail could not be handed over (${reason}). See whether the mail server answers.`);
    }
  }

  /**
   * Sends a mail to someone who is told what went wrong, in the words of the mail server or of the system: one's own
   * address and a mail of no secrets. @returns null: it was taken
   */
  async attempt(mail: Mail, id: string): Promise<MailFailure | null> {
    try {
      this.transport ??= this.open();
      await (await this.transport).send({ ...mail, messageId: `<${id}@${this.host}>` });
      return null;
    } catch (error) {
      return failureOf(error);
    }
  }

  async close(): Promise<void> {
    (await this.transport)?.close();
  }
}

function failureOf(error: unknown): MailFailure {
  const field = (name: string): string | null => {
    const value: unknown = error instanceof Object ? Reflect.get(error, name) : undefined;
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const words = field('response') ?? field('message') ?? String(error);
  return { code: field('code'), command: field('command'), words };
}

async function smtpTransport(url: string, from: string, timeoutMs: number): Promise<Transport> {
  const { createTransport } = await import('nodemailer');
  const pool = createTransport(
    {
      ...smtpOptions(url),
      pool: true,
      maxConnections: parallelMails,
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

/** How the server of an SMTP_URL is connected to. */
export function smtpOptions(url: string) {
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
