import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { displayNameSchema, emailSchema, passwordSchema } from '../contract/account.ts';
import { validated } from '../contract/schema/validation.ts';
import { usernameSchema } from '../contract/username.ts';
import type { ListedUser } from '../features/accounts/operator.service.ts';
import { auditCommand } from './audit-command.ts';
import { blobsCommand } from './blobs-command.ts';
import { asText, type Command, type Input, type LoneCommand, requiredArgument } from './command.ts';
import { doctorCommand } from './doctor-command.ts';
import { jobsCommand } from './jobs-command.ts';
import { movingCommands } from './moving-commands.ts';
import { operatorCommands } from './operator-commands.ts';
import { partitionCommand } from './partition-command.ts';
import { quotaCommand } from './quota-command.ts';
import { transferCommands } from './transfer-commands.ts';

/** Options of all commands, in the form of node:util's parseArgs. */
export const options = {
  email: { type: 'string' },
  username: { type: 'string' },
  name: { type: 'string' },
  tier: { type: 'string' },
  note: { type: 'string' },
  reason: { type: 'string' },
  until: { type: 'string' },
  search: { type: 'string' },
  limit: { type: 'string' },
  days: { type: 'string' },
  'erase-messages': { type: 'boolean' },
  'password-stdin': { type: 'boolean' },
  out: { type: 'string' },
  'without-emails': { type: 'boolean' },
  'with-direct-messages': { type: 'boolean' },
  'max-bytes': { type: 'string' },
  server: { type: 'string' },
  new: { type: 'string' },
  owner: { type: 'string' },
  private: { type: 'boolean' },
  open: { type: 'boolean' },
  'match-accounts': { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  'give-up': { type: 'boolean' },
  to: { type: 'string' },
  'remove-orphans': { type: 'boolean' },
  'mail-to': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const newUserSchema = z.object({
  email: emailSchema,
  username: usernameSchema.optional(),
  displayName: displayNameSchema.optional(),
});
const reasonSchema = z.object({ reason: z.string().trim().min(1).max(500).optional() });
const daysSchema = z.object({ days: z.coerce.number().int().min(0).max(30).default(7) });
const countSchema = z.object({ count: z.coerce.number().int().min(1).max(1000).default(1) });
const limitSchema = z.object({ limit: z.coerce.number().int().min(1).max(10_000).default(50) });

export const commands: Record<string, Command | LoneCommand> = {
  'create-user': {
    usage: 'create-user --email <address> [--username <name>] [--name <display name>] [--tier <tier>]',
    summary: 'create an account; a member unless --tier says otherwise',
    async run({ options, services, print }) {
      const { email, username, name, tier } = options;
      const user = validated(newUserSchema, { email, username, displayName: name });
      const password = await newPassword(options);
      const made = await services.operator.createUser({
        ...user,
        password: password.text,
        tier: asText(tier),
      });
      print(`Made ${made.username}, id ${made.id}.`);
      if (password.isGenerated) print(`Password: ${password.text}`);
    },
  },
  'reset-password': {
    usage: 'reset-password <user>',
    summary: 'set a new password, and end all sessions of the user',
    async run({ args, services, print, options }) {
      const name = requiredArgument(args, 0, 'user');
      const password = await newPassword(options);
      await services.operator.setPassword(name, password.text);
      print(`The password of ${name} is set; all sessions have ended.`);
      if (password.isGenerated) print(`Password: ${password.text}`);
    },
  },
  'set-tier': {
    usage: 'set-tier <user> <tier>',
    summary: 'make someone a member, a visitor, or another tier of the settings',
    async run({ args, services, print }) {
      const [name, tier] = [requiredArgument(args, 0, 'user'), requiredArgument(args, 1, 'tier')];
      await services.operator.setTier(name, tier);
      print(`${name} is now: ${tier}.`);
    },
  },
  'make-invites': {
    usage: 'make-invites [count] [--note <text>]',
    summary: 'create invite codes, each of which turns one visitor into a member',
    async run({ args, options: { note }, services, print }) {
      const { count } = validated(countSchema, { count: args[0] });
      const codes = await services.invites.issue(count, asText(note) ?? '');
      for (const { code } of codes) print(code);
    },
  },
  'revoke-sessions': {
    usage: 'revoke-sessions <user>',
    summary: 'end sessions and all tokens of someone and their bots, whose webhooks pause',
    async run({ args, services, print }) {
      const name = requiredArgument(args, 0, 'user');
      const count = await services.operator.revokeAll(name);
      print(
        `${count} ${count === 1 ? 'session, token or webhook' : 'sessions, tokens and webhooks'} of ${name} ended.`,
      );
    },
  },
  'remove-second-factor': {
    usage: 'remove-second-factor <user>',
    summary: 'for someone who has lost it: remove authenticator app, passkeys and recovery codes, and end all sessions',
    async run({ args, services, print }) {
      const name = requiredArgument(args, 0, 'user');
      const count = await services.operator.removeFactors(name);
      print(count > 0 ? `${name} has no second factor any more.` : `${name} had no second factor.`);
    },
  },
  suspend: {
    usage: 'suspend <user> [--reason <text>]',
    summary: 'shut someone and their bots out at once; the reason is told to them',
    async run({ args, options: { reason }, services, print }) {
      const name = requiredArgument(args, 0, 'user');
      const given = validated(reasonSchema, { reason });
      await services.operator.suspend(name, given.reason ?? null);
      print(`${name} is suspended.`);
    },
  },
  unsuspend: {
    usage: 'unsuspend <user>',
    summary: 'let someone in again, with what they had',
    async run({ args, services, print }) {
      const name = requiredArgument(args, 0, 'user');
      const was = await services.operator.unsuspend(name);
      print(was ? `${name} is no longer suspended.` : `${name} was not suspended.`);
    },
  },
  ...operatorCommands,
  delete: {
    usage: 'delete <user> [--days <number>] [--erase-messages]',
    summary: 'delete an account, which signing in undoes for a week, or for so many days; what it wrote stays',
    async run({ args, options, services, print }) {
      const name = requiredArgument(args, 0, 'user');
      const { days } = validated(daysSchema, { days: options.days });
      const messages = options['erase-messages'] ? 'erase' : 'keep';
      const gone = await services.accountDeletion.deleteUser(name, messages, days);
      print(days === 0 ? `${name} is being deleted.` : `${name} will be deleted on ${gone.deletesAt}.`);
      for (const { name, goes, to } of [...gone.servers, ...gone.agents]) {
        print(`  ${name}: ${goes}${to ? ` to ${to.username}` : ''}`);
      }
    },
  },
  'list-users': {
    usage: 'list-users [--search <text>] [--limit <number>]',
    summary: 'the newest users, or those whose name or e-mail contains a text',
    async run({ options: { search, limit }, services, print }) {
      const most = validated(limitSchema, { limit }).limit;
      const users = await services.operator.list(asText(search) ?? '', most);
      for (const user of users) print(lineOf(user));
      if (users.length === 0) print('There are none.');
    },
  },
  doctor: doctorCommand,
  audit: auditCommand,
  quota: quotaCommand,
  jobs: jobsCommand,
  blobs: blobsCommand,
  'partition-messages': partitionCommand,
  ...transferCommands,
  ...movingCommands,
};

export const help = `npm run parley -- <command>

${Object.values(commands)
  .map(({ usage, summary }) => `  ${usage}\n      ${summary}`)
  .join('\n')}
  help
      this text

<user> is an id, an e-mail or a username; <server> an id, as in its address in the web client (/app/s/<id>), or a slug.
New passwords are generated and printed, unless --password-stdin is given; then the first line of the standard input is
the password. The installation is the one that the server's environment variables and the folder it is started in name;
the server may be running or not.`;

/** A password is never an argument, where every user of the machine could read it. */
async function newPassword(given: Input['options']): Promise<{ text: string; isGenerated: boolean }> {
  if (!given['password-stdin']) return { text: randomBytes(12).toString('base64url'), isGenerated: true };
  const [password] = (await text(process.stdin)).split(/\r?\n/);
  return { text: validated(z.object({ password: passwordSchema }), { password }).password, isGenerated: false };
}

function lineOf(user: ListedUser): string {
  const { id, username, email, tier, isBot, createdAt, sessions } = user;
  const standing = [
    ...(email === null ? [] : [user.verified ? 'verified' : 'unverified']),
    ...(user.suspended ? ['suspended'] : []),
    ...(user.deletesAt === null ? [] : [`deleted on ${user.deletesAt}`]),
  ];
  return [id, createdAt, isBot ? 'bot' : tier, `${sessions} sessions`, username, email ?? '-', ...standing].join('  ');
}
