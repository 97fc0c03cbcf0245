// nodes: own

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Bot, botIn } from '../world/bot.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Listener, Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const client = path.join(root, 'clients/python');
const isRecent = 'import sys; sys.exit(sys.version_info < (3, 11))';

/** Those of the machine that the client runs with; Debian's own comes second, which may have python-socketio. */
async function pythons(): Promise<string[]> {
  const found = await Promise.all(
    ['python3', '/usr/bin/python3'].map((command) =>
      run(command, ['-c', isRecent]).then(
        () => [command],
        () => [],
      ),
    ),
  );
  return found.flat();
}

describe('the client for Python', () => {
  let python: string;
  let all: string[];
  let folder: string;
  let cluster: Cluster;
  let here: World;
  let robot: Bot;

  before(async function () {
    all = await pythons();
    if (!all[0]) return this.skip();
    [python] = [all[0]];
    folder = await mkdtemp(path.join(tmpdir(), 'parley-python-'));
    cluster = await startCluster({ nodes: 1 });
    here = await world(cluster);
  });
  beforeEach(async () => {
    robot = await botIn(here.server, here.alice);
  });
  after(async () => {
    here?.close();
    await cluster?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const env = () => ({
    ...process.env,
    PYTHONPATH: client,
    PYTHONDONTWRITEBYTECODE: '1',
    PARLEY_URL: here.bob.node.url,
    PARLEY_TOKEN: robot.token,
    PARLEY_OTHER: here.bob.token,
    PARLEY_CHANNEL: here.channel.id,
    PARLEY_STORE: path.join(folder, `${robot.username}.json`),
  });

  it('has the records that the API documents describe', async () => {
    const node = cluster.nodes[0]?.url ?? '';
    const check = await run(python, [path.join(client, 'generate.py'), '--check', node], { env: env() }).catch(
      (e) => e,
    );
    expect(check.stdout, 'run clients/python/generate.py with the address of a server').to.equal('');
  });

  it('keeps its promises, with every Python that is here', async function () {
    this.timeout(300_000);
    for (const command of all) {
      robot = await botIn(here.server, here.alice);
      const args = ['-m', 'unittest', 'discover', '-s', path.join(client, 'tests')];
      const { stderr } = await run(command, args, { env: env() }).catch((error) => ({ stderr: String(error.stderr) }));
      expect(stderr).to.match(/\nOK( \(skipped=2\))?\n$/);
    }
  });

  it('runs the template, which answers, and takes a press of its button', async () => {
    const file = path.join(root, 'examples/bot-python/bot.py');
    expect(readFileSync(file, 'utf8').split('\n').length).to.be.below(60);
    const ear = await here.bob.listen(here.channel.id);
    const child = start(file);
    const order = { agentId: robot.agentId, command: 'order', options: { what: 'pizza' }, nonce: 'one order' };
    await until(async () => (await here.bob.post(`/api/channels/${here.channel.id}/commands`, order)).status === 201, {
      timeout: 60_000,
      message: 'the command is not there',
    });
    const offer = await ear.next('message:new', ({ authorId }) => authorId === robot.id, 60_000);
    expect(offer.content).to.equal(`${here.bob.username} orders pizza.`);
    await here.bob.post(`/api/messages/${offer.id}/uses`, { componentId: 'confirm' });
    await ear.next('message:updated', ({ content }) => content === `${here.bob.username} has confirmed it.`, 60_000);
    await stop(child);
  });

  it('runs the bot of the guide as it stands there', async () => {
    const guide = readFileSync(path.join(root, 'docs/bots.md'), 'utf8');
    const file = path.join(folder, 'hello.py');
    await writeFile(file, /```python\n(# hello\.py[\s\S]*?)```/.exec(guide)?.[1] ?? '');
    const ear = await here.bob.listen(here.channel.id);
    const child = start(file);
    expect((await answerTo(`@${robot.username}?`, ear)).content).to.equal(`Hello, ${here.bob.username}!`);
    await stop(child);
  });

  const start = (file: string): ChildProcess =>
    spawn(python, [file], { env: env(), stdio: ['ignore', 'ignore', 'inherit'] });

  async function stop(child: ChildProcess): Promise<void> {
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
    robot.hangUp();
  }

  /** Says it until there is an answer, since nobody knows when the bot is there. */
  function answerTo(text: string, ear: Listener): Promise<Loose> {
    return until(
      async () => {
        await here.bob.say(here.channel.id, text);
        await new Promise((resolve) => setTimeout(resolve, 50));
        return ear.all('message:new').find(({ authorId }) => authorId === robot.id);
      },
      { timeout: 60_000, message: `no answer to ${text}` },
    );
  }
});
