// nodes: own

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { isRunning } from '../../src/database/embedded/processes.ts';
import { furnishDataDir } from '../rig/postgres.ts';
import { until } from '../rig/until.ts';
import { NodeProcess } from '../world/node-process.ts';
import { call, codesIn, connectMany, home, missing, plain, postmasterPid, register } from './life.ts';

describe('a Parley from its start to its end', () => {
  let folder: string;
  let dataDir: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'parley-start-'));
    dataDir = path.join(folder, 'data');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

  it('starts on an empty folder, prints an invite code that works, and keeps all of it', async () => {
    const node = await NodeProcess.start(plain(dataDir));
    expect(await node.health('/readyz')).to.equal(200);
    const [code, ...more] = codesIn(node);
    expect(more).to.deep.equal([]);
    const visitor = await register(node);
    expect(visitor.body.user.membership.isMember).to.equal(false);
    const first = await register(node, { inviteCode: code });
    expect(first.body.user.membership.capabilities).to.include('server:create');
    expect((await register(node, { inviteCode: code })).body.code).to.equal('INVALID_INVITE_CODE');
    const server = await call(node, first, 'POST', '/api/servers', { name: 'Home' });
    expect(server.status).to.equal(201);
    expect(await node.stop()).to.include({ code: 0 });

    await node.start();
    expect(codesIn(node)).to.deep.equal([code]);
    // The token of before is still good: the secret was kept too.
    const [own] = (await call(node, first, 'GET', '/api/servers')).body;
    expect(own.id).to.equal(server.body.id);
    expect((await node.stop()).code).to.equal(0);
    expect(node.failures).to.deep.equal([]);
  });

  it('ends on SIGTERM under load within 10 s: says so, loses nothing, leaves no process', async () => {
    await furnishDataDir(dataDir);
    const node = await NodeProcess.start({ ...plain(dataDir), NEW_ACCOUNT_TIER: 'member' });
    const { account, channel } = await home(node);
    const sockets = await connectMany(node, account.body.accessToken, 10);
    const postgres = postmasterPid(dataDir);
    const acknowledged: string[] = [];
    let stopping = false;
    const send = async () => {
      for (let i = 0; !stopping; i++) {
        const answer = await call(node, account, 'POST', `/api/channels/${channel}/messages`, {
          content: `m${i}`,
        }).catch(() => undefined);
        if (answer?.status === 201) acknowledged.push(answer.body.id);
      }
    };
    const load = Promise.all([send(), send(), send(), send()]);
    await until(() => acknowledged.length > 50);
    const statuses: number[] = [];
    const watching = watchReadiness(node, statuses);
    await until(() => statuses.length > 0);
    const exit = await node.stop();
    stopping = true;
    await load;
    for (const { socket } of sockets) socket.disconnect();
    expect(exit).to.include({ code: 0, signal: null });
    expect(exit.ms).to.be.lessThan(10_000);
    await watching;
    expect([...new Set(statuses)]).to.deep.equal([200, 503]);
    for (const { received } of sockets) expect(received.map(({ event }) => event)).to.include('server:draining');
    expect(isRunning(postgres)).to.equal(false);
    expect(node.failures).to.deep.equal([]);
    await node.start();
    expect(await missing(node, account, channel, acknowledged)).to.deep.equal([]);
    await node.stop();
  });

  it('takes the invite code that it is given any number of times, and ends at once on a second SIGTERM', async () => {
    await furnishDataDir(dataDir);
    const node = await NodeProcess.start({ ...plain(dataDir), BOOTSTRAP_INVITE_CODE: 'welcome-42' });
    expect(codesIn(node)).to.deep.equal([]);
    const account = await register(node, { inviteCode: 'WELCOME-42' });
    const another = await register(node, { inviteCode: ' welcome-42 ' });
    for (const { body } of [account, another]) expect(body.user.membership.isMember).to.equal(true);
    const sockets = await connectMany(node, account.body.accessToken, 20);
    const postgres = postmasterPid(dataDir);
    node.signal('SIGTERM');
    await until(() => node.lines.some((line) => line.includes('shutting down')));
    node.signal('SIGTERM');
    const exit = await node.exit();
    expect(exit.code).to.equal(1);
    expect(exit.ms).to.be.lessThan(5000);
    for (const { socket } of sockets) socket.disconnect();
    await until(() => !isRunning(postgres), { timeout: 30_000, message: 'PostgreSQL outlived the node' });
  });

  it('takes no longer the invite code that it was given before', async () => {
    await furnishDataDir(dataDir);
    const given = (code: string) => NodeProcess.start({ ...plain(dataDir), BOOTSTRAP_INVITE_CODE: code });
    const tiers = async (node: NodeProcess, ...codes: string[]) => {
      const answers = await Promise.all(codes.map((inviteCode) => register(node, { inviteCode })));
      expect((await node.stop()).code).to.equal(0);
      return answers.map(({ body }) => body.code ?? body.user.status);
    };
    expect(await tiers(await given('LEAKED'))).to.deep.equal([]);
    const unset = await given('');
    expect(await tiers(unset, 'LEAKED', codesIn(unset)[0] ?? '')).to.deep.equal(['INVALID_INVITE_CODE', 'member']);
    expect(await tiers(await given('LEAKED'), 'LEAKED')).to.deep.equal(['member']);
  });

  it('comes back after SIGKILL with everything that it acknowledged, and ends while it starts', async () => {
    await furnishDataDir(dataDir);
    const node = await NodeProcess.start({ ...plain(dataDir), NEW_ACCOUNT_TIER: 'member' });
    const { account, channel } = await home(node);
    const acknowledged: string[] = [];
    let killed = false;
    const send = async () => {
      while (!killed) {
        const sent = await call(node, account, 'POST', `/api/channels/${channel}/messages`, { content: 'x' }).catch(
          () => undefined,
        );
        if (sent?.status === 201) acknowledged.push(sent.body.id);
      }
    };
    const load = Promise.all([send(), send(), send()]);
    await until(() => acknowledged.length > 50);
    await node.kill();
    killed = true;
    await load;
    const begun = Date.now();
    await node.start();
    expect(Date.now() - begun).to.be.lessThan(60_000);
    expect(await missing(node, account, channel, acknowledged)).to.deep.equal([]);
    await node.stop();
    // And once more, told to end while it still starts.
    await node.start(false);
    const file = path.join(dataDir, 'postgres/postmaster.pid');
    const postgres = await until(() => existsSync(file) && postmasterPid(dataDir), { timeout: 40_000 });
    expect((await node.stop()).code).to.equal(0);
    await until(() => !isRunning(postgres), { timeout: 30_000, message: 'PostgreSQL outlived the node' });
  });
});

/** Asks over a connection that stays, as a balancer's would, until there is no more answer. */
async function watchReadiness({ port }: NodeProcess, statuses: number[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = () =>
    new Promise<number>((resolve) => {
      const sent = get({ host: '127.0.0.1', port, path: '/readyz', agent }, (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode ?? 0));
      });
      sent.once('error', () => resolve(0));
    });
  for (let status = await ask(); status > 0; status = await ask()) statuses.push(status);
  agent.destroy();
}
