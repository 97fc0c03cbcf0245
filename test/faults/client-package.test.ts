// nodes: own

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { build } from 'esbuild';
import { sharedChromium } from '../rig/chromium.ts';
import { until } from '../rig/until.ts';
import { type Bot, botIn } from '../world/bot.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Listener, Loose, Person } from '../world/person.ts';
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
    const robot = await botIn(here.server, here.alice);
    const stop = runBot(await written('typed'), robot);
    const ear = await here.bob.listen(here.channel.id);
    const answer = await answerTo(`@${robot.username}, hello?`, robot, ear);
    expect(answer.content).to.equal(`Hello, ${here.bob.username}!`);
    expect(ear.all('message:stream').map(({ delta }) => delta)).to.include.members([
      'Hello, ',
      `${here.bob.username}!`,
    ]);
    expect(ear.all('presence:activity').map(({ activity }) => activity)).to.include('looking it up');
    await stop();
  });

  it('runs the bot of the guide that uses the helper, which answers also what was said while it was stopped', async () => {
    const robot = await botIn(here.server, here.alice);
    const ear = await here.bob.listen(here.channel.id);
    const file = await written('helper');
    const stop = runBot(file, robot);
    expect((await answerTo(`@${robot.username}, hello?`, robot, ear)).content).to.equal(`Hello, ${here.bob.username}!`);
    await stop();
    const missed = await here.bob.say(here.channel.id, `@${robot.username}, and now?`);
    const stopAgain = runBot(file, robot);
    await ear.next('message:new', ({ replyToId }) => replyToId === missed.id, 60_000);
    await stopAgain();
  });

  it('runs a bot for discord.js and one for Bolt on the adapters of the guide', async () => {
    const ear = await here.bob.listen(here.channel.id);
    const [echo, greeter] = [await botIn(here.server, here.alice), await botIn(here.server, here.alice)];
    const stopEcho = runBot(await written('discord'), echo);
    expect((await answerTo('!echo is anybody there?', echo, ear)).content).to.equal('is anybody there?');
    await stopEcho();
    const stopGreeter = runBot(await written('bolt'), greeter);
    const greeting = await answerTo('well, hello', greeter, ear);
    expect(greeting.content).to.equal(`Hey there <@${here.bob.id}>!`);
    expect((await answerTo('/echo one two', greeter, ear, /one two/)).content).to.equal('one two');
    await here.bob.post(`/api/messages/${greeting.id}/uses`, { componentId: 'wave' });
    await ear.next('message:new', ({ content }) => content === `<@${here.bob.id}> waves.`);
    await stopGreeter();
  });

  it('runs the template in TypeScript where it was copied to, with its types checked', async () => {
    const copy = path.join(folder, 'my-bot');
    await cp(path.join(root, 'examples/bot-typescript'), copy, { recursive: true });
    expect(readFileSync(path.join(copy, 'bot.ts'), 'utf8').split('\n').length).to.be.below(60);
    await run(process.execPath, [path.join(modules, 'typescript/bin/tsc')], { cwd: copy });
    const robot = await botIn(here.server, here.alice);
    const stop = runBot('bot.ts', robot, copy);
    const ear = await here.bob.listen(here.channel.id);
    const order = {
      agentId: robot.agentId,
      command: 'order',
      options: { what: 'pizza', count: 2 },
      nonce: 'one order',
    };
    await until(async () => (await here.bob.post(`/api/channels/${here.channel.id}/commands`, order)).status === 201, {
      timeout: 60_000,
      message: 'the command is not there',
    });
    const offer = await ear.next('message:new', ({ authorId }) => authorId === robot.id, 60_000);
    expect(offer.content).to.equal(`${here.bob.username} orders 2 × pizza.`);
    const asked = (await here.alice.post(`/api/messages/${offer.id}/uses`, { componentId: 'why' })).body;
    await until(async () => (await usesOf(here.alice, asked.id))?.form, { message: 'no form' });
    await here.alice.post(`/api/interactions/${asked.id}/form`, { values: { question: 'Why two?' } });
    await ear.next('message:new', ({ content }) => content === `${here.alice.username} asks: Why two?`);
    await here.bob.post(`/api/messages/${offer.id}/uses`, { componentId: 'confirm' });
    const confirmed = await ear.next(
      'message:updated',
      ({ id, content }) => id === offer.id && /confirmed/.test(content),
    );
    expect(confirmed.components).to.equal(undefined);
    await stop();
  });

  const usesOf = async (person: Person, id: string): Promise<Loose> =>
    (await person.get('/api/auth/me/uses')).body.find((one: { id: string }) => one.id === id);

  /** A program of the guide, as a file of the folder. */
  async function written(name: string): Promise<string> {
    const guide = readFileSync(path.join(root, 'docs/bots.md'), 'utf8');
    const snippets = [...guide.matchAll(/```js\n(\/\/ (\w+)\.mjs[\s\S]*?)```/g)];
    const text = snippets.find(([, , found]) => found === name)?.[1];
    if (!text) throw new Error(`There is no ${name}.mjs in the guide.`);
    await writeFile(path.join(folder, `${name}.mjs`), text);
    return `${name}.mjs`;
  }

  /** Starts a program as a bot. @returns what ends it */
  function runBot(file: string, robot: Bot, cwd = folder): () => Promise<void> {
    const store = path.join(folder, `${robot.username}.json`);
    const env = { ...process.env, PARLEY_URL: here.bob.node.url, PARLEY_TOKEN: robot.token, PARLEY_STORE: store };
    const child = spawn(process.execPath, [file], { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = once(child, 'close');
    return async () => {
      child.kill('SIGKILL');
      await ended;
      robot.hangUp();
    };
  }

  /** Says it until there is an answer, since nobody knows when the bot is there. */
  function answerTo(text: string, robot: Bot, ear: Listener, fits = /./): Promise<Loose> {
    return until(
      async () => {
        await here.bob.say(here.channel.id, text);
        await new Promise((resolve) => setTimeout(resolve, 50));
        return ear.all('message:new').find(({ authorId, content }) => authorId === robot.id && fits.test(content));
      },
      { timeout: 60_000, message: `no answer to ${text}` },
    );
  }

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

  it('is compiled by an empty TypeScript project, and runs as what comes of it', async () => {
    const project = path.join(folder, 'project');
    await mkdir(path.join(project, 'src'), { recursive: true });
    const compilerOptions = {
      target: 'es2022',
      module: 'nodenext',
      strict: true,
      types: [],
      outDir: 'out',
      rootDir: 'src',
    };
    await writeFile(path.join(project, 'package.json'), '{ "type": "module" }');
    await writeFile(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
    const text = `import { Bot, MemoryStore, type MessageTurn } from 'parley/client';
      declare const process: { env: Record<string, string> };
      const { PARLEY_URL: url, PARLEY_TOKEN: token = '' } = process.env;
      const greet = async (turn: MessageTurn): Promise<void> => void (await turn.reply('compiled'));
      await new Bot({ url, token, store: new MemoryStore() }).on('mention', greet).start();\n`;
    await writeFile(path.join(project, 'src/main.ts'), text);
    await run(process.execPath, [path.join(modules, 'typescript/bin/tsc')], { cwd: project });
    const robot = await botIn(here.server, here.alice);
    const stop = runBot('out/main.js', robot, project);
    const ear = await here.bob.listen(here.channel.id);
    expect((await answerTo(`@${robot.username}?`, robot, ear)).content).to.equal('compiled');
    await stop();
  });

  it('goes into a bundle for browsers, and runs there', async () => {
    const text = `import { Parley } from 'parley/client';
      export async function say(token, channelId) {
        const parley = new Parley({ token });
        const heard = new Promise((resolve) => parley.channel(channelId).on('message:new', resolve));
        parley.connect();
        await new Promise((resolve) => parley.on('state', ({ status }) => status === 'live' && resolve()));
        await parley.channel(channelId).send('from a bundle');
        return (await heard).content;
      }\n`;
    await writeFile(path.join(folder, 'page.mjs'), text);
    const entryPoints = [path.join(folder, 'page.mjs')];
    const options = {
      bundle: true,
      write: false,
      platform: 'browser',
      format: 'iife',
      globalName: 'page',
      preserveSymlinks: false,
    } as const;
    const { warnings, outputFiles } = await build({ ...options, entryPoints, logLevel: 'silent' });
    expect(warnings).to.deep.equal([]);
    const script = outputFiles[0]?.text ?? '';
    expect(script).to.not.match(/node:|zod/);
    const page = await (await sharedChromium()).newPage();
    await page.goto(`${cluster.nodes[0]?.url}/healthz`);
    const said = `(() => { ${script}; return page.say('${here.bob.token}', '${here.channel.id}'); })()`;
    expect(await page.evaluate(said)).to.equal('from a bundle');
    await page.close();
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
