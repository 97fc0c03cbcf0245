// nodes: own

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import yauzl from 'yauzl';
import type { Node } from '../../src/node/node.ts';
import { codeIn, dataFolder } from '../accounts/mailbox.ts';
import { atEnd } from '../rig/ending.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { parley } from '../world/operator.ts';
import { type Loose, Person, request } from '../world/person.ts';
import { type World, world } from '../world/world.ts';
import { furnish, lists } from './furnished.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'parley-transfer-'));
atEnd(() => rmSync(folder, { recursive: true, force: true }));
const outbox = dataFolder();

describe('a server that moves to another installation', () => {
  let old: Cluster;
  let fresh: Cluster;
  let here: World;
  const file = path.join(folder, 'home.zip');

  before(async () => {
    old = await startCluster({ nodes: 1 });
    fresh = await startCluster({ nodes: 1, settings: { dataDir: outbox.dataDir } });
    here = await world(old);
    await furnish(here);
  });
  after(async () => {
    here.close();
    await Promise.all([old.stop(), fresh.stop()]);
  });

  const operator = ({ databaseUrl }: Cluster, ...args: string[]) =>
    parley({ DATABASE_URL: databaseUrl, DATA_DIR: folder }, args);
  const node = ({ nodes: [first] }: Cluster): Node => {
    if (!first) throw new Error('no node');
    return first;
  };

  /** Signs in to an account whose password is not here, by a code sent to its address. */
  async function claimByMail(at: Node, who: Person): Promise<Person> {
    const email = `${who.username}@example.com`;
    const sent = (await outbox.mails()).length;
    await request(at, 'POST', '/api/auth/email/start', { email });
    const mails = await until(async () => ((all) => (all.length > sent ? all : null))(await outbox.mails()));
    const code = mails.map(codeIn).at(-1);
    const { status, body }: { status: number; body: Loose } = await request(at, 'POST', '/api/auth/email/verify', {
      email,
      code,
    });
    expect([status, body.user?.id]).to.deep.equal([200, who.id]);
    return new Person(at, { id: who.id, username: who.username, token: body.accessToken, refreshToken: '' });
  }

  it('leaves as one file that only the operator can read', async () => {
    const exported = await operator(old, 'export', here.server.slug, '--out', file);
    expect([exported.code, exported.complaint]).to.deep.equal([0, '']);
    expect(exported.out).to.match(/^Wrote .*home\.zip: \d+ people and bots, 3 channels, \d+ messages, 7 files\.\n/);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    const again = await operator(old, 'export', here.server.slug, '--out', file);
    expect([again.code, again.out]).to.deep.equal([1, '']);
    expect(again.complaint).to.match(/^.*home\.zip is there already; [^\n]+\.\n$/);
  });

  it('leaves without addresses, if the operator wants it so', async () => {
    const bare = path.join(folder, 'bare.zip');
    await operator(old, 'export', here.server.id, '--out', bare, '--without-emails');
    const [named, unnamed] = await Promise.all([usersIn(file), usersIn(bare)]);
    expect(named.filter(({ email }) => email !== null)).to.have.lengthOf(2);
    expect(unnamed.map((user) => ({ ...user, email: null }))).to.deep.equal(
      named.map((user) => ({ ...user, email: null })),
    );
    expect(unnamed.some(({ email }) => email !== null)).to.equal(false);
    // Of carol, who left, there is what she wrote and no address.
    expect(named.find(({ id }) => id === here.carol.id)).to.include({ email: null });
  });

  it('arrives beside a running server, and shows in each list what it showed before', async () => {
    const imported = await operator(fresh, 'import', file);
    expect([imported.code, imported.complaint]).to.deep.equal([0, '']);
    const claimed = await claimByMail(node(fresh), here.alice);
    const before = await lists(here.alice, here.server.id);
    // What has just come is found once it is in the index.
    const found = '/api/search/messages?query=secret';
    await until(async () => (await claimed.get(found)).body.length === before[found].length);
    const after = await lists(claimed, here.server.id);
    expect(Object.keys(before).length).to.be.greaterThan(40);
    for (const [address, seen] of Object.entries(before)) expect(after[address], address).to.deep.equal(seen);
    expect(after).to.have.all.keys(before);
  });

  it('goes on with the next number in each channel', async () => {
    const alice = await claimByMail(node(fresh), here.alice);
    const { lastSeq } = (await alice.get(`/api/channels/${here.channel.id}`)).body;
    const socket = await alice.listen(here.channel.id);
    const sent = await alice.say(here.channel.id, 'here I am');
    expect(sent.seq).to.equal(lastSeq + 1);
    expect(await socket.next('message:new')).to.include({ id: sent.id, seq: sent.seq });
    const missed = await alice.get(`/api/channels/${here.channel.id}/events?after=1`);
    expect(missed.body).to.include({ recovered: false });
    alice.hangUp();
  });
});

async function usersIn(file: string): Promise<Loose[]> {
  const zip = await yauzl.openPromise(file, { lazyEntries: true, autoClose: false });
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName !== 'users.jsonl') continue;
    const lines = await text(await zip.openReadStreamPromise(entry));
    zip.close();
    return lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  }
  throw new Error('no users');
}
