import { z } from 'zod';
import { validated } from '../contract/schema/validation.ts';
import { asText, type Command, requiredArgument } from './command.ts';

const banSchema = z.object({
  reason: z.string().trim().min(1).max(500).optional(),
  until: z.coerce.date('must be a time, such as 2030-01-31').optional(),
});
const limitSchema = z.object({ limit: z.coerce.number().int().min(1).max(10_000).default(50) });

/** Who operates the installation from within, and who is banned from it (contract §3). */
export const operatorCommands: Record<string, Command> = {
  'grant-operator': {
    usage: 'grant-operator <user>',
    summary: 'let someone operate the installation from within, in the web client at /app/admin',
    async run({ args, services, print }) {
      const name = requiredArgument(args, 0, 'user');
      const changed = await services.operator.setOperator(name, true);
      print(changed ? `${name} is an operator now.` : `${name} was an operator already.`);
    },
  },
  'revoke-operator': {
    usage: 'revoke-operator <user>',
    summary: 'take that from them',
    async run({ args, services, print }) {
      const name = requiredArgument(args, 0, 'user');
      const changed = await services.operator.setOperator(name, false);
      print(changed ? `${name} is no operator any more.` : `${name} was no operator.`);
    },
  },
  ban: {
    usage: 'ban <user> [--reason <text>] [--until <time>]',
    summary: 'suspend someone, and refuse them a new account with the same mailbox',
    async run({ args, options, services, print }) {
      const name = requiredArgument(args, 0, 'user');
      const { reason, until } = validated(banSchema, { reason: asText(options.reason), until: asText(options.until) });
      await services.operator.ban(name, reason ?? null, until ?? null);
      print(`${name} is banned.`);
    },
  },
  unban: {
    usage: 'unban <user>',
    summary: 'lift a ban; the account is as it was',
    async run({ args, services, print }) {
      const name = requiredArgument(args, 0, 'user');
      await services.operator.unban(name);
      print(`${name} is no longer banned.`);
    },
  },
  bans: {
    usage: 'bans [--limit <number>]',
    summary: 'who is banned, newest first',
    async run({ options: { limit }, services, print }) {
      const most = validated(limitSchema, { limit }).limit;
      const { records } = await services.operatorDesk.bans({ limit: most });
      for (const { userId, user, until, reason, createdAt } of records) {
        print([userId, createdAt, user.username, until ?? 'for good', reason ?? '-'].join('  '));
      }
      if (records.length === 0) print('There are none.');
    },
  },
};
