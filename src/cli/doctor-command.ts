import { z } from 'zod';
import { emailSchema } from '../contract/account.ts';
import { validated } from '../contract/schema/validation.ts';
import { asText, type LoneCommand } from './command.ts';

const mailToSchema = z.object({ 'mail-to': emailSchema.optional() });

/** Works where nothing else does: it opens no installation. */
export const doctorCommand: LoneCommand = {
  usage: 'doctor [--mail-to <address>] [--json]',
  summary:
    'check the configuration from end to end: a line a check, and what to do; exits with 1 if there is a problem',
  async runAlone({ options, print }) {
    const { examine, reportOf } = await import('./doctor/doctor.ts');
    const { 'mail-to': mailTo } = validated(mailToSchema, { 'mail-to': asText(options['mail-to']) });
    const checks = await examine(process.env, mailTo ?? null);
    const isWell = checks.every(({ status }) => status !== 'problem');
    if (options.json) print(JSON.stringify({ ok: isWell, checks }, null, 2));
    else for (const line of reportOf(checks)) print(line);
    return isWell ? 0 : 1;
  },
};
