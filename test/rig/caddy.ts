import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findProgram } from './debian-program.ts';
import { freePort } from './free-port.ts';
import { killWithUs } from './processes.ts';
import { until } from './until.ts';

/** A Caddy with deploy/compose/Caddyfile. */
export interface TestCaddy {
  url: string;
  /** The certificate of the authority that it made for this. */
  authority: string;
  stop(): Promise<void>;
}

/**
 * Starts one on a free port, with TLS for localhost by an authority of its own.
 * @param nodes `host:port` of each
 */
export async function startCaddy(nodes: string[]): Promise<TestCaddy> {
  const program = await findProgram({ package: 'caddy', file: 'usr/bin/caddy', versionFlag: 'version' });
  const [port, plainPort] = [await freePort(), await freePort()];
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-caddy-'));
  const given = readFileSync(path.resolve(import.meta.dirname, '../../deploy/compose/Caddyfile'), 'utf8');
  // Free ports, and no certificate of ours among those that this machine trusts.
  const ours = `{\n\tadmin off\n\tskip_install_trust\n\thttp_port ${plainPort}\n\thttps_port ${port}\n`;
  const file = path.join(folder, 'Caddyfile');
  writeFileSync(file, given.replace(/^\{\n/m, ours));
  const env = {
    ...program.env,
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
    SITE: 'localhost',
    PARLEY_NODES: nodes.join(' '),
  };
  const child = spawn(program.command, ['run', '--config', file, '--adapter', 'caddyfile'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  const dismissGuard = killWithUs(child.pid ?? 0);
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-4000);
  });
  const certificate = path.join(folder, 'caddy/pki/authorities/local/root.crt');
  const stop = async () => {
    await end(child);
    dismissGuard();
    rmSync(folder, { recursive: true, force: true });
  };
  const authority = await until(
    () => {
      if (child.exitCode !== null) throw new Error(`Caddy does not start: ${output}`);
      return output.includes('certificate obtained successfully') ? readFileSync(certificate, 'utf8') : '';
    },
    { timeout: 60_000, message: 'Caddy has no certificate' },
  ).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { url: `https://localhost:${port}`, authority, stop };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
