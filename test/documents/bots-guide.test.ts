// nodes: own

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePort } from '../rig/free-port.ts';
import { until } from '../rig/until.ts';
import { type Bot, botIn } from '../world/bot.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Listener, Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

const root = path.resolve(import.meta.dirname, '../..');
const guide = readFileSync(path.join(root, 'docs/bots.md'), 'utf8');

/** The snippets of the guide in a language, as they stand there. */
function snippets(language: string): string[] {
  return [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, found, text = '']) =>
    found === language ? text : [],
  );
}

function program(name: string): string {
  const text = snippets('js').find((snippet) => snippet.startsWith(`// ${name}.mjs`));
  if (!text) throw new Error(`There is no ${name}.mjs in the guide.`);
  return text;
}

describe('the guide for bots', () => {
  let cluster: Cluster;
  let here: World;
  let running: ChildProcess | undefined;
  const bots: Bot[] = [];

  before(async () => {
    cluster = await startCluster({ settings: { appProxyAllow: ['127.0.0.1'] } });
    here = await world(cluster);
  });
  afterEach(async () => {
    const ending = running;
    running = undefined;
    if (ending?.exitCode !== null) return;
    ending.kill();
    await once(ending, 'exit');
  });
  after(async () => {
    for (const robot of bots) robot.hangUp();
    here.close();
    await cluster.stop();
  });

  /** Starts a program of the guide as a bot. @returns the bot and what the program printed */
  async function start(name: string, more: Record<string, string> = {}, made?: Bot): Promise<Bot> {
    const robot = made ?? (await botIn(here.server, here.alice));
    bots.push(robot);
    const own = { PARLEY_URL: here.bob.node.url, PARLEY_TOKEN: robot.token, PARLEY_NAME: robot.username };
    const env = { ...process.env, ...own, ...more };
    running = spawn(process.execPath, ['--input-type=module', '-e', program(name)], { cwd: root, env });
    running.stderr?.pipe(process.stderr);
    return robot;
  }

  /** Asks until there is an answer, since nobody knows when the program is there. */
  async function asked(robot: Bot, ear: Listener): Promise<Loose> {
    const ids = new Set<string>();
    const answer = await until(
      async () => {
        ids.add((await here.bob.say(here.channel.id, `@${robot.username}, hello?`)).id);
        await new Promise((resolve) => setTimeout(resolve, 50));
        return ear.all('message:new').find((message) => message.authorId === robot.id);
      },
      { timeout: 60_000, message: 'no answer' },
    );
    expect([...ids]).to.include(answer.replyToId);
    return answer;
  }

  const hello = () => `Hello, ${here.bob.username}!`;

  it('has a bot that listens and answers', async () => {
    const ear = await here.bob.listen(here.channel.id);
    const robot = await start('hello');
    expect((await asked(robot, ear)).content).to.equal(hello());
  });

  it('has a bot that shows what it is about to say', async () => {
    const ear = await here.bob.listen(here.channel.id);
    const robot = await start('thinking');
    expect((await asked(robot, ear)).content.trim()).to.equal('That is a good question .');
    await ear.next('presence:activity', (event) => event.userId === robot.id && event.activity === 'looking it up');
    expect(ear.all('message:stream').filter((piece) => piece.delta).length).to.be.at.least(5);
    expect(ear.all('message:typing').map((event) => event.userId)).to.include(robot.id);
  });

  it('has a bot without sockets', async () => {
    const ear = await here.bob.listen(here.channel.id);
    const robot = await start('poll');
    expect((await asked(robot, ear)).content).to.equal(hello());
  });

  it('has a bot whose command suggests and answers', async () => {
    const ear = await here.bob.connect();
    const robot = await start('commands');
    const path = `/api/channels/${here.channel.id}/commands`;
    const weather = { agentId: robot.agentId, command: 'weather' };
    const asked = { ...weather, option: 'city', typed: 'os' };
    const { choices } = await until(
      async () => {
        const { body } = await here.bob.post(`${path}/complete`, asked);
        return body.answered ? body : null;
      },
      { timeout: 60_000, message: 'nothing is suggested' },
    );
    expect(choices.map(({ value }: Loose) => value)).to.deep.equal(['Oslo', 'Osaka']);
    await here.bob.post(path, { ...weather, options: { city: 'Oslo', days: 3 } });
    const { content } = await ear.next('ephemeral:created', (reply) => reply.agentId === robot.agentId);
    expect(content).to.equal('It rains in Oslo for 3 days.');
  });

  it('has an assistant that is told by the Model Context Protocol', async () => {
    const ear = await here.bob.listen(here.channel.id);
    const robot = await start('assistant');
    expect((await asked(robot, ear)).content).to.equal(hello());
  });

  it('has a webhook that verifies and answers', async () => {
    const ear = await here.bob.listen(here.channel.id);
    const robot = await botIn(here.server, here.alice);
    const PORT = String(await freePort());
    const url = `http://127.0.0.1:${PORT}/`;
    const { secret } = (await here.alice.put(`/api/agents/${robot.agentId}/webhook`, { url })).body;
    await start('hook', { PORT, PARLEY_SECRET: secret }, robot);
    expect((await asked(robot, ear)).content).to.equal(hello());
    const forged = await fetch(url, {
      method: 'POST',
      body: '{"type":"message:new"}',
      headers: {
        'webhook-id': 'x',
        'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
        'webhook-signature': 'v1,x',
      },
    });
    expect(forged.status).to.equal(401);
  });

  it('has a bot that asks by a button, and answers who presses it', async () => {
    const [ear, device] = [await here.bob.listen(here.channel.id), await here.bob.connect()];
    const robot = await start('buttons', { PARLEY_CHANNEL: here.channel.id });
    const { id } = await ear.next('message:new', ({ authorId }) => authorId === robot.id, 60_000);
    const used = await here.bob.post(`/api/messages/${id}/uses`, { componentId: 'in' });
    expect(used.status).to.equal(201);
    const reply = await device.next('ephemeral:created', ({ interactionId }) => interactionId === used.body.id, 60_000);
    expect(reply.content).to.equal(`See you there, ${here.bob.username}!`);
  });

  it('has commands that work, one after the other', async () => {
    const env = {
      ...process.env,
      BASE: here.alice.node.url,
      TOKEN: here.alice.token,
      SERVER: here.server.id,
      NAME: `guide${Date.now() % 1_000_000}`,
      HOOK: 'http://127.0.0.1:9/',
    };
    const script = ['set -euo pipefail', ...snippets('sh')].join('\n');
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env });
    expect(stdout).to.match(/PARLEY_TOKEN=ey/);
    expect(stdout).to.contain('"mode":"mentionOnly"');
    expect(stdout.trim().split('\n').slice(-2)).to.deep.equal(['stopped', 'running']);
  });
});
