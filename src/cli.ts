import { parseArgs } from 'node:util';
import { type Input, maxArguments } from './cli/command.ts';
import { commands, help, options } from './cli/commands.ts';
import { TransferError } from './cli/transfer/failure.ts';
import { AppError } from './contract/errors.ts';
import { EmbeddedPostgresError } from './database/embedded.ts';
import { createLog } from './infrastructure/log.ts';
import { loadSettings, SettingsError } from './settings/settings.ts';

const print = (line: string) => void process.stdout.write(`${line}\n`);

/** `npm run parley -- <command>`: an operator's manual actions, through the services. @returns the exit code */
async function main(argv: string[]): Promise<number> {
  const { positionals, values } = parseArgs({ args: argv, options, allowPositionals: true });
  const [name = 'help', ...args] = values.help ? [] : positionals;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    if (name !== 'help') process.stderr.write(`There is no command "${name}".\n\n`);
    print(help);
    return name === 'help' ? 0 : 2;
  }
  const tooMany = args[maxArguments(command)];
  if (tooMany !== undefined) {
    process.stderr.write(`"${tooMany}" is one word too many for: ${command.usage}\n`);
    return 2;
  }
  if ('runAlone' in command) return command.runAlone({ args, options: values, print });
  // Only now, since it loads the whole server.
  const { openInstallation } = await import('./cli/installation.ts');
  const installation = await openInstallation(loadSettings(), createLog('error'));
  try {
    const input: Input = { args, options: values, ...installation, print };
    await command.run(input);
    return 0;
  } finally {
    await installation.close();
  }
}

/** The error, as one sentence if it is one of ours or the operator's own slip. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const foreseen = [AppError, SettingsError, EmbeddedPostgresError, TransferError];
  const expected = foreseen.some((kind) => error instanceof kind);
  const isSlip = 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  return expected || isSlip ? error.message : (error.stack ?? error.message);
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error) => {
    process.stderr.write(`${sentenceOf(error)}\n`);
    process.exit(1);
  },
);
