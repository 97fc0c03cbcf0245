import { z } from 'zod';
import { milliseconds, positive } from './numbers.ts';

/** How mail is sent, and what people are mailed. */
export const mailSettings = z.strictObject({
  queue: positive.describe('mails that may wait; those beyond are dropped'),
  attempts: positive.describe('tries to send a mail, until `parley jobs` lists it as dead'),
  retryMs: milliseconds.describe('the wait before the first retry; doubled for each further one, ten minutes at most'),
  timeoutMs: milliseconds.describe('how long the mail server may take'),
  spreadMs: z
    .number()
    .int()
    .min(0)
    .max(60_000)
    .describe(
      'mails that may not be due (links to reset, proofs of addresses) are looked after within this time, at random, but not in its first quarter: the next answers do not show whether there was one',
    ),
  noticeSeconds: positive.describe('the shortest time between two mails to an account about sign-ins and credentials'),
  digest: z.strictObject({
    enabled: z
      .boolean()
      .describe('whether people are mailed what they missed while they were away; it takes an `SMTP_URL`'),
    defaultMinutes: z
      .number()
      .int()
      .min(0)
      .max(1440)
      .describe(
        'after so many minutes away, for those who chose nothing else; 0: not unless they choose to, 1440: once a day',
      ),
    dailyAt: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
      .describe('when those who want it once a day are mailed, in their time zone'),
    excerpts: z.boolean().describe('whether these mails quote what was said; otherwise only who and where'),
  }),
});

/** What decides whether people are mailed what they missed. */
export interface DigestSettings {
  mail: { digest: Pick<z.infer<typeof mailSettings>['digest'], 'enabled' | 'defaultMinutes'> };
  /** Null: no mail is sent. */
  smtpUrl: string | null;
}

/** After how many minutes away those are mailed who chose nothing; 0: never. @returns null: nobody is mailed here */
export function digestDefault({ mail: { digest }, smtpUrl }: DigestSettings): number | null {
  return digest.enabled && smtpUrl !== null ? digest.defaultMinutes : null;
}
