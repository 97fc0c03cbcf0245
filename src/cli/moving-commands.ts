import { z } from 'zod';
import { userById, userByUsername } from '../access/user.table.ts';
import { validated } from '../contract/schema/validation.ts';
import { isUuid, nameSchema } from '../contract/schema.ts';
import { asText, type Command, type Input, requiredArgument } from './command.ts';
import { TransferError } from './transfer/failure.ts';

const newServerSchema = z.object({ new: nameSchema(100) });
const maxBytesSchema = z.object({ 'max-bytes': z.coerce.number().int().min(1).optional() });

/** Imports from other products, and who their people are here. Their code is loaded on use. */
export const movingCommands: Record<string, Command> = {
  'import-from': {
    usage:
      'import-from <product> <path> [--server <server>] [--new <name>] [--owner <user>] [--private] [--open] [--without-emails] [--match-accounts] [--dry-run] [--max-bytes <number>]',
    summary: 'take over an export of slack, mattermost, discord or rocketchat; again after it was ended, to go on',
    async run(input) {
      const { importFrom } = await import('./moving/import-from.ts');
      const { products, choicesSchema } = await import('./moving/choices.ts');
      const { args, options } = input;
      const { product } = validated(z.object({ product: z.enum(products) }), { product: args[0] });
      const place = await placeOf(input);
      const choices = choicesSchema.parse({
        private: options.private === true,
        open: options.open === true,
        addresses: options['without-emails'] !== true,
        match: options['match-accounts'] === true,
        created: place.created,
      });
      const { 'max-bytes': maxBytes = null } = validated(maxBytesSchema, { 'max-bytes': options['max-bytes'] });
      const isRehearsal = options['dry-run'] === true;
      const path = requiredArgument(args, 1, 'path');
      await importFrom(input, { product, path, serverId: place.serverId, choices, maxBytes, isRehearsal });
    },
  },
  imports: {
    usage: 'imports',
    summary: 'the imports from other products, newest first, and how many channels each has written',
    async run({ database, print }) {
      const { readImports, importChannels } = await import('./moving/imports.table.ts');
      const imports = await readImports(database.rows);
      for (const { id, product, serverId, serverName, isFinished, createdAt } of imports) {
        const channels = await importChannels(database.rows, id);
        const written = channels.filter(({ state }) => state === 'told').length;
        const state = isFinished ? 'finished' : 'begun';
        const place = serverId ? `${serverId} ${serverName}` : 'a new server';
        print([id, new Date(createdAt).toISOString(), product, state, `${written} channels`, place].join('  '));
      }
      if (imports.length === 0) print('There are none.');
    },
  },
  'import-people': {
    usage: 'import-people <import>',
    summary: 'the placeholders of an import: id, username, name there, and the account that has their address',
    async run({ args, database, print }) {
      const { placeholdersOf } = await import('./moving/people.table.ts');
      const { importById } = await import('./moving/imports.table.ts');
      const { printable } = await import('./moving/report.ts');
      const id = requiredArgument(args, 0, 'import');
      if (!isUuid(id) || !(await importById(database.rows, id))) throw new TransferError(`There is no import ${id}.`);
      for (const { id: userId, username, key, candidate } of await placeholdersOf(database.rows, id)) {
        print([userId, username, printable(key), candidate ?? '-'].join('  '));
      }
    },
  },
  'forget-import': {
    usage: 'forget-import <import>',
    summary: 'end an import that was not finished: what it has read is removed; channels that are complete stay',
    async run({ args, database, print }) {
      const { forgetImport } = await import('./moving/forget-import.ts');
      await forgetImport(database, requiredArgument(args, 0, 'import'));
      print('Nothing is left of it but the channels and people that were complete.');
    },
  },
  'claim-import': {
    usage: 'claim-import <placeholder> <user>',
    summary: 'give an account what a placeholder of an import wrote; the placeholder is deleted',
    async run(input) {
      const { claim } = await import('./moving/claim.ts');
      const [name, account] = [requiredArgument(input.args, 0, 'placeholder'), requiredArgument(input.args, 1, 'user')];
      const { from, to } = await claim(input, name, account);
      input.print(`What ${from} wrote is of ${to} now.`);
    },
  },
};

/** Where an import goes. @throws TransferError, AppError */
async function placeOf({ options, database }: Input): Promise<{
  serverId: string | null;
  created: { name: string; ownerId: string } | null;
}> {
  const [server, name, owner] = [asText(options.server), asText(options.new), asText(options.owner)];
  if ((server === undefined) === (name === undefined)) {
    throw new TransferError('Say where it goes: --server <server>, or --new <name> --owner <user>.');
  }
  if (server !== undefined) {
    const { findServer } = await import('./transfer/export.ts');
    return { serverId: (await findServer(database.rows, server)).id, created: null };
  }
  if (owner === undefined) throw new TransferError('Say whose the new server is: --owner <user>.');
  const { rows } = database;
  const user = await (isUuid(owner) ? userById(rows, owner) : userByUsername(rows, owner));
  if (user.isBot) throw new TransferError(`${user.username} is a bot, and owns no server.`);
  return { serverId: null, created: { name: validated(newServerSchema, { new: name }).new, ownerId: user.id } };
}
