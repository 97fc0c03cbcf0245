import { loadSettings, type Settings, SettingsError } from '../../settings/settings.ts';
import { bounded, type Check, problem } from './check.ts';
import { databaseChecks } from './database-checks.ts';
import { mailChecks } from './mail-checks.ts';
import { publicChecks } from './public-checks.ts';
import { redisChecks } from './redis-checks.ts';
import { diskChecks, secretChecks, settingsChecks, versionChecks } from './settings-checks.ts';

/** How long each part may take; they run at the same time. */
const mostMs = 45_000;

/**
 * Looks at a configuration from end to end, and changes nothing. It calls nobody but those whom the configuration names.
 * @param mailTo gets a mail; null: none is sent
 */
export async function examine(
  environment: Record<string, string | undefined>,
  mailTo: string | null,
): Promise<Check[]> {
  let settings: Settings;
  try {
    settings = loadSettings(environment);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return [...versionChecks(), problem('settings', error.message, 'Correct it, and run this again.')];
  }
  const parts: [string, () => Promise<Check[]>][] = [
    ['disk', () => diskChecks(settings)],
    ['database', () => databaseChecks(settings)],
    ['redis', () => redisChecks(settings)],
    ['mail', () => mailChecks(settings, mailTo)],
    ['public', () => publicChecks(settings)],
  ];
  const found = await Promise.all(parts.map(([name, work]) => bounded(name, mostMs, work)));
  return [
    ...versionChecks(),
    ...settingsChecks(settings, environment),
    ...secretChecks(settings, environment),
    ...found.flat(),
  ];
}

/** The report: a line a check, with what to do below it. */
export function reportOf(checks: Check[]): string[] {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, status, text, advice }) => [
    `${status.padEnd(7)}  ${name.padEnd(width)}  ${text}`,
    ...(advice === null ? [] : [`${''.padEnd(7)}  ${''.padEnd(width)}  → ${advice}`]),
  ]);
  const count = (status: string) => checks.filter((check) => check.status === status).length;
  const sum = `${count('ok')} ok, ${count('warning')} warnings, ${count('problem')} problems`;
  return [...lines, '', `${sum}.`];
}
