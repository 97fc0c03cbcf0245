import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findProgram } from './debian-program.ts';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

/** An nginx with the configuration of docs/nginx.conf, its addresses replaced. */
export interface TestNginx {
  url: string;
  stop(): Promise<void>;
}

/** @param ports of the two nodes */
export async function startNginx(ports: [number, number]): Promise<TestNginx> {
  const program = await findProgram({ package: 'nginx', file: 'usr/sbin/nginx', versionFlag: '-v' });
  const port = await freePort();
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-nginx-'));
  for (const name of ['client', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(path.join(folder, name));
  const documented = readFileSync(path.resolve(import.meta.dirname, '../../docs/nginx.conf'), 'utf8');
  const config = documented
    .replaceAll(':3000', `:${ports[0]}`)
    .replaceAll(':3001', `:${ports[1]}`)
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replace('worker_processes auto;', mainLines(folder))
    .replace('http {', `http {\n${temporaryPaths(folder)}`);
  const file = path.join(folder, 'nginx.conf');
  writeFileSync(file, config);
  const child = spawn(program.command, ['-c', file, '-p', folder], { env: program.env, stdio: 'ignore' });
  await until(() => answers(port).then((answered) => answered || child.exitCode !== null));
  if (child.exitCode !== null) throw new Error(`nginx does not start: ${readFileSync(`${folder}/error.log`, 'utf8')}`);
  return { url: `http://127.0.0.1:${port}`, stop: () => stop(child, folder) };
}

/** Whether something answers, whatever it says: the nodes behind it may not be there. */
const answers = (port: number) =>
  fetch(`http://127.0.0.1:${port}/healthz`).then(
    () => true,
    () => false,
  );

function mainLines(folder: string): string {
  // As root its workers would be another user, who may not write into our folder.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  return `${user} worker_processes 2; daemon off; pid ${folder}/pid; error_log ${folder}/error.log;`;
}

function temporaryPaths(folder: string): string {
  const kinds = { client_body: 'client', proxy: 'proxy', fastcgi: 'fastcgi', uwsgi: 'uwsgi', scgi: 'scgi' };
  const lines = Object.entries(kinds).map(([kind, name]) => `${kind}_temp_path ${folder}/${name};`);
  return ['access_log off;', ...lines].join('\n');
}

async function stop(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
}
