import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { mailProblems, operatorTaskCalls } from '../../contract/operator-tasks.ts';
import { User } from '../../database/entities/user.entity.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { MailFailure } from '../../infrastructure/mail.ts';
import type { AccountMails } from '../accounts/mailed/account-mails.ts';
import type { Context } from '../context.ts';

type MailTrial = z.input<typeof operatorTaskCalls.tryMail.answer>;
type Problem = (typeof mailProblems)[number];

/** So long a mail server is waited for; a proxy in between may not wait longer for the answer. */
const longestMs = 20_000;
/** Characters of what a mail server says. */
const longestWords = 500;

interface Deps extends Pick<Context, 'database' | 'mailer' | 'settings'> {
  mails: Pick<AccountMails, 'trial'>;
}

/** Sends a mail to the actor at once, and tells what became of it. @throws AppError NO_EMAIL */
export async function tryMail({ database, mailer, mails, settings }: Deps, actor: Actor): Promise<MailTrial> {
  const user = await database.read((em) => em.findOneOrFail(User, actor.userId));
  if (user.email == null) throw new AppError('NO_EMAIL', { message: 'Your account has no address to send a mail to.' });
  const { smtpUrl } = settings;
  const to = { to: user.email, by: smtpUrl ? ('smtp' as const) : ('outbox' as const) };
  const mail = mails.trial({ email: user.email, language: user.language ?? null });
  const late = { code: 'ETIMEDOUT', command: null, words: `There was no answer within ${longestMs / 1000} seconds.` };
  const waiting = new AbortController();
  const failure = await Promise.race([
    mailer.attempt(mail, newId()),
    delay(longestMs, late, { ref: false, signal: waiting.signal }),
  ]);
  waiting.abort();
  if (!failure) return { ...to, ok: true, problem: null, detail: null };
  const problem = smtpUrl ? problemOf(failure) : 'outbox';
  return { ...to, ok: false, problem, detail: failure.words.slice(0, longestWords) };
}

/** What each problem looks like in the words of the system. */
const inWords: readonly (readonly [RegExp, Problem])[] = [
  [/ENOTFOUND|EAI_AGAIN|getaddrinfo/i, 'unknown-host'],
  [/certificate|self.signed|altname|wrong version number|TLS|SSL/i, 'certificate'],
  [/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ECONNRESET|closed unexpectedly/i, 'not-reachable'],
  [/timed? ?out|timeout/i, 'timed-out'],
];

const byCode: Readonly<Record<string, Problem>> = {
  EDNS: 'unknown-host',
  ETLS: 'certificate',
  EREQUIRETLS: 'certificate',
  ETIMEDOUT: 'timed-out',
  EAUTH: 'sign-in',
  ENOAUTH: 'sign-in',
  EMESSAGE: 'refused',
  EPROTOCOL: 'refused',
};

/** What kept a mail from being taken. */
export function problemOf({ code, command, words }: MailFailure): Problem {
  if (code === 'EENVELOPE') return command === 'RCPT TO' ? 'recipient' : 'sender';
  const known = code === null ? undefined : byCode[code];
  return known ?? inWords.find(([pattern]) => pattern.test(words))?.[1] ?? 'other';
}
