import { existsSync, statSync } from 'node:fs';
import { rm, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { newId } from '../../infrastructure/ids.ts';
import { version } from '../../infrastructure/version.ts';
import { makeFolder } from '../../settings/make-folder.ts';
import { environmentSchema, type Settings } from '../../settings/settings.ts';
import { root } from '../configuration.ts';
import { type Check, ok, problem, reasonOf, warning } from './check.ts';
import { isHere } from './hosts.ts';

type Environment = Record<string, string | undefined>;

/** The version of Node that the tests run on. */
const testedNode = 24;
const mebibyte = 1024 * 1024;
const disk = { low: 2048 * mebibyte, full: 200 * mebibyte };
/** A secret of random Base64 or hex has more different characters than that. */
const leastVariety = 10;
/** As they are in documents. */
const examples = /a-long-random-text|change.?me|secret|password|example/i;

/** Where the settings come from; they were read without an error. */
export function settingsChecks(settings: Settings, environment: Environment): Check[] {
  const file = path.join('config', `${settings.environment}.json`);
  const files = ['config/default.json', ...(existsSync(path.join(root, file)) ? [file] : [])];
  const known = Object.keys(environmentSchema.shape);
  const set = Object.keys(environment).filter(
    (name) => environment[name] && (known.includes(name) || /^OAUTH_/.test(name)),
  );
  const from = set.length > 0 ? `; from the environment: ${set.join(', ')}` : '; nothing from the environment';
  return [
    ok('settings', `read from ${files.join(', ')}${from}`),
    ...strangers(environment, known),
    environmentCheck(settings),
  ];
}

/** Variables that look like one of ours. */
function strangers(environment: Environment, known: string[]): Check[] {
  const letters = (name: string) => [...name.replaceAll('_', '')].sort().join('');
  return known
    .filter((name) => !environment[name])
    .flatMap((name) => {
      const like = Object.keys(environment).find(
        (given) => !known.includes(given) && given.length > 4 && letters(given.toUpperCase()) === letters(name),
      );
      if (like === undefined) return [];
      return [warning('settings.names', `${like} is set, which Parley does not read`, `Is ${name} meant? Rename it.`)];
    });
}

function environmentCheck({ environment, databaseUrl }: Settings): Check {
  if (environment === 'production' || databaseUrl === null)
    return ok('settings.environment', `NODE_ENV=${environment}`);
  return warning(
    'settings.environment',
    `NODE_ENV is "${environment}"`,
    'Set NODE_ENV=production where people use it: a weak or missing JWT_SECRET is refused then.',
  );
}

/** Versions of what runs here. */
export function versionChecks(): Check[] {
  const major = Number(process.versions.node.split('.')[0]);
  const text = `Parley ${version} on Node ${process.versions.node}`;
  if (major === testedNode) return [ok('versions', text)];
  return [warning('versions', text, `It is tested on Node ${testedNode}; \`npm ci\` brings that along.`)];
}

/** Whether secrets can be guessed. None is shown. */
export function secretChecks(settings: Settings, environment: Environment): Check[] {
  return [...tokenSecrets(settings), ...otherSecrets(settings), pushCheck(settings, environment)];
}

function tokenSecrets({ jwtSecrets, environment }: Settings): Check[] {
  const weak = jwtSecrets.findIndex(({ secret }) => Buffer.byteLength(secret) < 32);
  const poor = jwtSecrets.findIndex(({ secret }) => new Set(secret).size < leastVariety || examples.test(secret));
  const advice =
    'Make one with `openssl rand -base64 32`, put it first in JWT_SECRET, and drop the other after a month.';
  const fail = environment === 'production' ? problem : warning;
  if (weak >= 0) return [fail('secrets.jwt', `secret ${weak + 1} of JWT_SECRET has fewer than 32 bytes`, advice)];
  if (poor >= 0) return [fail('secrets.jwt', `secret ${poor + 1} of JWT_SECRET can be guessed`, advice)];
  return [
    ok(
      'secrets.jwt',
      jwtSecrets.length === 1
        ? 'one secret signs tokens'
        : `one of ${jwtSecrets.length} secrets signs tokens, all verify`,
    ),
  ];
}

function otherSecrets({ metricsToken, bootstrapInviteCode, databaseUrl, dataDir }: Settings): Check[] {
  const found: Check[] = [];
  const random = 'Make one with `openssl rand -base64 32`.';
  if (metricsToken !== null && metricsToken.length < 16)
    found.push(warning('secrets.metrics', 'METRICS_TOKEN has fewer than 16 characters', random));
  if (bootstrapInviteCode !== null && bootstrapInviteCode.length < 12)
    found.push(
      warning('secrets.invite', 'BOOTSTRAP_INVITE_CODE has fewer than 12 characters, and lets anyone in', random),
    );
  const password = databaseUrl === null ? null : new URL(databaseUrl).password;
  if (password && (password.length < 12 || examples.test(password)))
    found.push(warning('secrets.database', 'the password of DATABASE_URL can be guessed', random));
  for (const name of ['jwt-secret', 'vapid-key', 'postgres-password']) {
    const file = path.join(dataDir, name);
    if (existsSync(file) && (statSync(file).mode & 0o077) !== 0)
      found.push(warning(`secrets.${name}`, `others on this machine may read ${file}`, `Run: chmod 600 ${file}`));
  }
  return found;
}

function pushCheck({ pushKeys, publicUrl }: Settings, { PUSH }: Environment): Check {
  if (PUSH === 'off') return ok('push', 'turned off by PUSH=off');
  if (pushKeys === null) {
    return warning(
      'push',
      'there is no key, so nothing is pushed to closed browsers',
      'Set VAPID_PRIVATE_KEY to what `openssl rand -base64 32` prints, the same on all nodes, or PUSH=off.',
    );
  }
  if (publicUrl !== null && !publicUrl.startsWith('https://') && !isHere(new URL(publicUrl).hostname))
    return warning('push', 'there is a key, but PUBLIC_URL has no https', 'Browsers take pushes from https alone.');
  return ok('push', 'a key signs pushes');
}

/** Whether the data folder takes files, and for how long it will. */
export async function diskChecks({ dataDir, databaseUrl }: Settings): Promise<Check[]> {
  const advice = 'Set DATA_DIR to a folder that the user of Parley may write to.';
  const file = path.join(dataDir, `doctor-${newId()}`);
  try {
    makeFolder(dataDir);
    await writeFile(file, 'written by parley doctor', { mode: 0o600 });
    await rm(file);
  } catch (error) {
    return [problem('disk', `${dataDir} takes no files (${reasonOf(error)})`, advice)];
  }
  const { bavail, bsize, ffree, files } = await statfs(dataDir);
  const free = bavail * bsize;
  const shown = `${dataDir} has ${(free / 1024 / mebibyte).toFixed(1)} GiB left`;
  const use = databaseUrl === null ? 'the database is in it' : 'mail without an SMTP_URL goes there';
  if (free < disk.full) return [problem('disk', shown, `Make room: ${use}.`)];
  if (free < disk.low || (files > 0 && ffree < 1000)) return [warning('disk', shown, `Make room soon: ${use}.`)];
  return [ok('disk', shown)];
}
