import { randomUUID } from 'node:crypto';
import path from 'node:path';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { createLog } from '../../infrastructure/log.ts';
import { Mailer, smtpOptions } from '../../infrastructure/mail.ts';
import type { Settings } from '../../settings/settings.ts';
import { type Check, ok, problem, reasonOf, warning } from './check.ts';
import { isHere } from './hosts.ts';

/** Whether mail gets out: the server is asked, and signed in to; nothing is sent, unless `mailTo` says to whom. */
export async function mailChecks(settings: Settings, mailTo: string | null): Promise<Check[]> {
  const checks = settings.smtpUrl === null ? [withoutServer(settings)] : await serverChecks(settings.smtpUrl, settings);
  if (mailTo === null || checks.some(({ status }) => status === 'problem')) return checks;
  return [...checks, await sendCheck(settings, mailTo)];
}

function withoutServer({ environment, dataDir }: Settings): Check {
  const text = `there is no SMTP_URL: mail is written to ${path.join(dataDir, 'outbox')}`;
  if (environment !== 'production') return ok('mail', text);
  return warning('mail', text, 'Set SMTP_URL: nobody gets codes, links or digests.');
}

async function serverChecks(url: string, { mail, mailFrom, publicUrl }: Settings): Promise<Check[]> {
  const options = smtpOptions(url);
  const at = `${options.host}:${options.port}`;
  const connection = new SMTPConnection({
    ...options,
    connectionTimeout: mail.timeoutMs,
    greetingTimeout: mail.timeoutMs,
    socketTimeout: mail.timeoutMs,
  });
  try {
    await called((done) => {
      connection.once('error', done);
      connection.connect(done);
    });
    const { auth } = options;
    if (auth) await called((done) => connection.login({ credentials: auth }, done));
    return [reached(at, connection.secure, options), ...senderChecks(mailFrom, publicUrl)];
  } catch (error) {
    const advice = 'Check SMTP_URL: smtps:// is for TLS from the start (465), smtp:// for STARTTLS (587).';
    return [problem('mail', `${at} cannot be used (${reasonOf(error)})`, advice)];
  } finally {
    connection.removeAllListeners('error');
    // What it still says when it is closed is of no interest.
    connection.on('error', () => {});
    connection.close();
  }
}

function reached(at: string, isSecure: boolean, { auth, host }: ReturnType<typeof smtpOptions>): Check {
  const signedIn = auth ? ', signed in' : '';
  if (isSecure || isHere(host)) return ok('mail', `${at} answers${isSecure ? ' with TLS' : ''}${signedIn}`);
  const leak = auth ? 'mail and its password pass' : 'mail passes';
  return warning('mail', `${at} answers without TLS${signedIn}`, `Use a server with TLS: ${leak} in the clear.`);
}

function senderChecks(mailFrom: string, publicUrl: string | null): Check[] {
  const host = /@([^>\s]+)/.exec(mailFrom)?.[1] ?? '';
  if (host !== 'localhost') return [ok('mail.sender', `mail comes from ${mailFrom}`)];
  const cause = publicUrl === null ? 'Set MAIL_FROM, or PUBLIC_URL.' : 'Set MAIL_FROM.';
  return [warning('mail.sender', `mail comes from ${mailFrom}, which others refuse`, cause)];
}

async function sendCheck(settings: Settings, to: string): Promise<Check> {
  const mailer = new Mailer(settings, createLog('silent'));
  const text = 'This mail was sent by `parley doctor`. Mail of your installation of Parley arrives.';
  try {
    await mailer.send({ to, subject: 'Mail from Parley arrives', text, html: `<p>${text}</p>` }, randomUUID());
    const where = settings.smtpUrl === null ? 'written to the outbox' : 'handed over';
    return ok('mail.sent', `a mail to ${to} was ${where}`);
  } catch (error) {
    return problem('mail.sent', `a mail to ${to} was refused (${reasonOf(error)})`, 'See the log of the mail server.');
  } finally {
    await mailer.close();
  }
}

/** A call that tells a callback how it ended. */
function called(call: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => call((error) => (error ? reject(error) : resolve())));
}
