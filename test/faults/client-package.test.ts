// nodes: own

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { build } from 'esbuild';
import { sharedChromium } from '../rig/chromium.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Person } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const modules = path.join(root, 'node_modules');

describe('the package of the typed client', () => {
  let folder: string;
  let cluster: Cluster;
  let here: World;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'parley-package-'));
    [cluster] = await Promise.all([startCluster({ nodes: 1 }), install(folder)]);
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('runs the chat of the README as it stands there, on our Node and on the machine’s', async () => {
    const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
    const chat = /```js\n(import \{ createInterface \}[\s\S]*?)```/.exec(readme)?.[1] ?? '';
    expect(chat.trim().split('\n').length).to.be.within(10, 24);
    await writeFile(path.join(folder, 'chat.mjs'), chat);
    const nodes = await nodesOfMachine();
    const [alice, bob] = [chatter(nodes[0] ?? '', here.alice), chatter(nodes.at(-1) ?? '', here.bob)];
    await until(() => [alice, bob].every((one) => one.output.includes('(live)')), {
      timeout: 60_000,
      message: 'not both are live',
    });
    alice.say('Hello Bob');
    await until(() => bob.output.includes(`${here.alice.username}: Hello Bob`));
    bob.say('Hello Alice');
    await until(() => alice.output.includes(`${here.bob.username}: Hello Alice`));
    await Promise.all([alice.stop(), bob.stop()]);
  });

  it('runs the bot of the guide as it stands there, which shows its answer and says it once', async () => {
    const guide = readFileSync(path.join(root, 'docs/bots.md'), 'utf8');
    await writeFile(path.join(folder, 'typed.mjs'), /```js\n(\/\/ typed\.mjs[\s\S]*?)```/.exec(guide)?.[1] ?? '');
    const robot = await botIn(here.server, here.alice);
    const env = { ...process.env, PARLEY_URL: here.bob.node.url, PARLEY_TOKEN: robot.token };
    const child = spawn(process.execPath, ['typed.mjs'], { cwd: folder, env, stdio: 'inherit' });
    const ear = await here.bob.listen(here.channel.id);
    const answer = await until(
      async () => {
        await here.bob.say(here.channel.id, `@${robot.username}, hello?`);
        return ear.all('message:new').find(({ authorId }) => authorId === robot.id);
      },
      { timeout: 60_000, message: 'no answer' },
    );
    expect(answer.content).to.equal(`Hello, ${here.bob.username}!`);
    expect(ear.all('message:stream').map(({ delta }) => delta)).to.include.members([
      'Hello, ',
      `${here.bob.username}!`,
    ]);
    expect(ear.all('presence:activity').map(({ activity }) => activity)).to.include('looking it up');
    child.kill();
    await once(child, 'close');
    robot.hangUp();
  });

  function chatter(node: string, person: Person) {
    const args = ['chat.mjs', person.node.url, person.username, 'correct horse', here.channel.id];
    const child: ChildProcess = spawn(node, args, { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'] });
    const one = {
      output: '',
      say: (text: string) => child.stdin?.write(`${text}\n`),
      stop: async () => {
        const ended = once(child, 'close');
        child.kill();
        await ended;
      },
    };
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (one.output += chunk));
    return one;
  }

  it('tells a TypeScript program what each call takes and gives', async () => {
    const program = (text: string) =>
      `import { Parley } from 'parley/client';\nconst parley = new Parley({ url: 'http://localhost' });\n${text}\n`;
    const right = `const me: string = (await parley.rest('GET /api/auth/me')).username;
      parley.channel(me).on('message:new', ({ content }) => content.length);`;
    const wrong = `const me: number = (await parley.rest('GET /api/auth/me')).username;
      await parley.rest('GET /api/nowhere');`;
    expect(await complaints('right.mts', program(right))).to.deep.equal([]);
    expect(await complaints('wrong.mts', program(wrong))).to.deep.equal(['TS2322', 'TS2554']);
  });

  async function complaints(name: string, text: string): Promise<string[]> {
    await writeFile(path.join(folder, name), text);
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext'];
    const compiler = path.join(modules, 'typescript/bin/tsc');
    const args = [compiler, ...options, '--types', '', name];
    const output = await run(process.execPath, args, { cwd: folder }).then(
      () => '',
      (error) => String(error.stdout),
    );
    return [...output.matchAll(/error (TS\d+)/g)].map(([, code]) => code ?? '');
  }

  it('goes into a bundle for browsers', async () => {
    await writeFile(
      path.join(folder, 'page.mjs'),
      "import { Parley } from 'parley/client';\nnew Parley().connect();\n",
    );
    const entryPoints = [path.join(folder, 'page.mjs')];
    const options = {
      bundle: true,
      write: false,
      platform: 'browser',
      format: 'esm',
      preserveSymlinks: false,
    } as const;
    const { warnings, outputFiles } = await build({ ...options, entryPoints, logLevel: 'silent' });
    expect(warnings).to.deep.equal([]);
    expect(outputFiles[0]?.text).to.not.match(/node:|zod/);
  });

  it('is served as a module that a plain page imports', async () => {
    const page = await (await sharedChromium()).newPage();
    await page.goto(`${cluster.nodes[0]?.url}/healthz`);
    const { token } = here.bob;
    const heard: unknown = await page.evaluate(`(async () => {
      const { Parley } = await import('/client.js');
      const parley = new Parley({ token: '${token}' });
      const next = new Promise((resolve) => parley.channel('${here.channel.id}').on('message:new', resolve));
      parley.connect();
      await new Promise((resolve) => parley.on('state', ({ status }) => status === 'live' && resolve()));
      await parley.channel('${here.channel.id}').send('from a page');
      return (await next).content;
    })()`);
    expect(heard).to.equal('from a page');
    await page.close();
  });
});

/** What `npm pack` makes, unpacked beside the packages that it needs; npm itself would fetch those from the network. */
async function install(folder: string): Promise<void> {
  await run(process.execPath, [path.join(root, 'src/web/build-client.ts')]);
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], {
    cwd: root,
  });
  const target = path.join(folder, 'node_modules/parley');
  await mkdir(target, { recursive: true });
  await run('tar', ['xzf', path.join(folder, stdout.trim()), '-C', target, '--strip-components', '1']);
  for (const name of readdirSync(modules).filter((each) => !each.startsWith('.'))) {
    await symlink(path.join(modules, name), path.join(folder, 'node_modules', name));
  }
}

/** Our own Node first, then the machine's, where it has one that is not too old. */
async function nodesOfMachine(): Promise<string[]> {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const files = folders.map((each) => path.join(each, 'node')).filter((file) => existsSync(file));
  const found = new Map<string, string>([[process.version, process.execPath]]);
  for (const file of files) {
    const { stdout } = await run(await realpath(file), ['--version']);
    if (Number(/^v(\d+)/.exec(stdout)?.[1]) >= 20 && !found.has(stdout.trim())) found.set(stdout.trim(), file);
  }
  return [...found.values()];
}
