import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './failure.ts';

const run = promisify(execFile);

interface Owner {
  uid: number;
  gid: number;
}

/** Runs PostgreSQL's programs as a user that PostgreSQL accepts: it refuses to be root. */
export interface Runner {
  /** The user who must own the data; undefined when that is the current one. */
  owner: Owner | undefined;
  spawn(command: string, args: string[], options?: SpawnOptions): ChildProcess;
}

/** The extra capabilities that PostgreSQL may need to reach its files, in order of preference. */
const capabilities = [undefined, 'dac_read_search', 'dac_override'];

/**
 * Finds a way to run `program` on files in `folder`.
 *
 * Root runs it as the owner of the data, else as the user `postgres`, who may not be able to pass the folders above
 * (such as a checkout under /root). Then it gets the one capability to pass folders; we never change the modes of
 * folders that are not ours.
 * @param data the cluster, which need not exist yet
 */
export async function chooseRunner(program: string, folder: string, data: string): Promise<Runner> {
  const owner = process.getuid?.() === 0 ? (ownerOf(data) ?? (await postgresUser())) : undefined;
  let reason = '';
  for (const capability of owner ? capabilities : [undefined]) {
    const runner = createRunner(owner, capability);
    const failure = await tryOut(runner, program, folder);
    if (failure === undefined) return runner;
    reason ||= failure;
  }
  throw new EmbeddedPostgresError(
    owner
      ? `User ${owner.uid}, whom PostgreSQL runs as, cannot use ${program} and ${folder} (${reason}); move them to folders that all users may pass, start as an ordinary user, or set DATABASE_URL.`
      : `PostgreSQL cannot be run from ${program} on ${folder} (${reason}); set DATABASE_URL instead.`,
  );
}

function createRunner(owner: Owner | undefined, capability: string | undefined): Runner {
  // PG* variables of the operator's shell are meant for other servers.
  const { PATH, LD_LIBRARY_PATH } = process.env;
  const common = { cwd: '/', env: { PATH, LD_LIBRARY_PATH, LC_ALL: 'C', TZ: 'UTC' } };
  return {
    owner,
    spawn(command, args, options) {
      if (!owner || !capability) return spawn(command, args, { ...common, ...owner, ...options });
      const identity = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
      // Without the secure bit access(2), by which PostgreSQL finds its own files, would leave the capability out.
      const extra = [`--inh-caps=+${capability}`, `--ambient-caps=+${capability}`, '--securebits=+no_setuid_fixup'];
      return spawn('setpriv', [...identity, ...extra, '--', command, ...args], { ...common, ...options });
    },
  };
}

/** @returns the failure, undefined when the program runs and the folder can be reached */
function tryOut(runner: Runner, program: string, folder: string): Promise<string | undefined> {
  const script = 'cd "$1" && exec "$2" --version';
  return complaintOf(runner.spawn('/bin/sh', ['-c', script, 'sh', folder, program], complaintOnly));
}

/** Output options for `complaintOf`. */
export const complaintOnly: SpawnOptions = { stdio: ['ignore', 'ignore', 'pipe'], detached: true };

/** Waits for a program's end. @returns its complaint in one line, undefined when it succeeded */
export async function complaintOf(child: ChildProcess): Promise<string | undefined> {
  let complaint = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) => {
      resolve(code === 0 ? undefined : complaint.trim().replaceAll(/\s*\n\s*/g, ' ') || `exit code ${code}`);
    });
  });
}

function ownerOf(data: string): Owner | undefined {
  const found = statSync(data, { throwIfNoEntry: false });
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : undefined;
}

async function postgresUser(): Promise<Owner> {
  const existing = await lookUp('postgres');
  if (existing) return existing;
  const account = ['--system', '--no-create-home', '--home-dir', '/', '--shell', '/usr/sbin/nologin'];
  for (const group of [['--user-group'], ['--gid', 'postgres']]) {
    await run('useradd', [...account, ...group, 'postgres']).catch(() => {});
    const created = await lookUp('postgres');
    if (created) return created;
  }
  throw new EmbeddedPostgresError(
    'PostgreSQL does not run as root, and a user named postgres could not be created; create it, start as an ordinary user, or set DATABASE_URL.',
  );
}

async function lookUp(name: string): Promise<Owner | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}
