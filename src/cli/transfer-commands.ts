import { existsSync, statSync } from 'node:fs';
import { z } from 'zod';
import { validated } from '../contract/schema/validation.ts';
import { dateNow } from '../infrastructure/clock.ts';
import { asText, type Command, requiredArgument } from './command.ts';
import { TransferError } from './transfer/failure.ts';
import type { Manifest } from './transfer/manifest.ts';

const mebibyte = 1024 * 1024;
const maxBytesSchema = z.object({ 'max-bytes': z.coerce.number().int().min(1).optional() });

/** Export and import of servers, and the step after a restore. Their code is loaded on use. */
export const transferCommands: Record<string, Command> = {
  export: {
    usage: 'export <server> [--out <file>] [--without-emails] [--with-direct-messages]',
    summary: 'write a whole server to a ZIP file: people, channels, messages, files, apps (docs/export-format.md)',
    async run({ args, options, database, services, print }) {
      const { exportServer, findServer } = await import('./transfer/export.ts');
      const name = requiredArgument(args, 0, 'server');
      const server = await findServer(database.rows, name);
      const file = asText(options.out) ?? `${name}-${dateNow().toISOString().slice(0, 10)}.zip`;
      const emails = options['without-emails'] !== true;
      const directMessages = options['with-direct-messages'] === true;
      const { blobsOver } = services;
      const manifest = await exportServer(database, server.id, file, { emails, directMessages, blobsOver });
      print(`Wrote ${file}: ${described(manifest)}.`);
      const parts = [
        'what these people wrote',
        ...(directMessages ? ['what they wrote to each other in private'] : []),
        ...(emails ? ['their e-mail addresses'] : []),
      ];
      print(`It holds ${parts.join(', and ')}: keep it as you keep the database.`);
    },
  },
  import: {
    usage: 'import <file> [--max-bytes <number>]',
    summary: 'import an exported server, with all its ids; nothing is changed if any of them exists already',
    async run({ args, options, database, settings, services, print }) {
      const { importServer } = await import('./transfer/import.ts');
      const file = requiredArgument(args, 0, 'file');
      if (!existsSync(file)) throw new TransferError(`There is no file ${file}.`);
      const given = validated(maxBytesSchema, { 'max-bytes': options['max-bytes'] })['max-bytes'];
      // Text shrinks to a tenth; a file that unpacks to more than this was made to fill a disk.
      const maxBytes = given ?? 50 * statSync(file).size + 1024 * mebibyte;
      const manifest = await importServer(database, settings, file, maxBytes, services.blobsOver);
      print(`Imported "${manifest.server.name}": ${described(manifest)}.`);
      print('People get into their accounts by a code or a new password sent to their e-mail address.');
      for (const line of leftToDo(manifest)) print(line);
    },
  },
  'after-restore': {
    usage: 'after-restore',
    summary: 'run once after restoring a backup, before the server starts: clients reload their lists',
    async run({ database, print }) {
      const { continueAfterRestore } = await import('./transfer/after-restore.ts');
      await continueAfterRestore(database);
      print('Event numbers continue further up; returning clients reread their lists.');
    },
  },
};

function described({ counts }: Manifest): string {
  const of = (file: string) => counts[file] ?? 0;
  const people = `${of('users.jsonl')} people and bots, ${of('channels.jsonl')} channels`;
  const direct = of('direct-channels.jsonl');
  const conversations = direct > 0 ? [`${direct} conversations`] : [];
  return [people, ...conversations, `${of('messages.jsonl')} messages`, `${of('blobs')} files`].join(', ');
}

/** What came without its secrets, and how it gets others. */
function leftToDo({ counts }: Manifest): string[] {
  const [bots, incoming] = [counts['webhooks.jsonl'] ?? 0, counts['hooks.jsonl'] ?? 0];
  return [
    ...(bots > 0 ? [`Webhooks of ${bots} bots are paused: their owners get a new secret, and enable them again.`] : []),
    ...(incoming > 0
      ? [`${incoming} incoming webhooks have no address yet: who manages their channels gives them one.`]
      : []),
  ];
}
