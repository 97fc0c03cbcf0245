// nodes: own

import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { Names } from '../../src/infrastructure/names.ts';
import { Outgoing } from '../../src/infrastructure/outgoing.ts';

const types: Record<number, 4 | 6> = { 1: 4, 28: 6 };
const questionAt = 12;

/** A name server on loopback: it knows some addresses, knows that others do not exist, and is silent about the rest. */
class NameServer {
  readonly asked: string[] = [];
  private readonly socket: Socket = createSocket('udp4');
  private readonly records: Record<string, string | null>;

  constructor(records: Record<string, string | null>) {
    this.records = records;
    this.socket.on('message', (query, from) => {
      const answer = this.answerTo(query);
      if (answer) this.socket.send(answer, from.port, from.address);
    });
  }

  async start(): Promise<string> {
    this.socket.bind(0, '127.0.0.1');
    await once(this.socket, 'listening');
    return `127.0.0.1:${this.socket.address().port}`;
  }

  stop(): void {
    this.socket.close();
  }

  /** RFC 1035 §4.1: the question comes back, and one record at most. */
  private answerTo(query: Buffer): Buffer | undefined {
    const labels: string[] = [];
    let at = questionAt;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const name = labels.join('.').toLowerCase();
    const family = types[query.readUInt16BE(at + 1)];
    this.asked.push(`${name} ${family}`);
    const address = this.records[`${name} ${family}`];
    const isKnown = Object.keys(this.records).some((key) => key.startsWith(`${name} `));
    if (!isKnown) return undefined;
    const head = Buffer.from(query.subarray(0, questionAt));
    head.writeUInt16BE(address === null ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(address ? 1 : 0, 6);
    head.writeUInt32BE(0, 8);
    const question = query.subarray(questionAt, at + 5);
    if (!address) return Buffer.concat([head, question]);
    const bytes = Buffer.from(address.split('.').map(Number));
    const record = Buffer.from([0xc0, questionAt, 0, 1, 0, 1, 0, 0, 0, 9, 0, bytes.length]);
    return Buffer.concat([head, question, record, bytes]);
  }
}

describe('names', () => {
  let server: NameServer;
  let servers: string[];
  let folder: string;
  let hostsFile: string;
  let resolverFile: string;

  before(async () => {
    server = new NameServer({
      'well.test 4': '192.0.2.7',
      'inside.test 4': '127.0.0.1',
      'none.test 4': null,
      'none.test 6': null,
      'short.corp.test 4': '192.0.2.8',
      'short 4': null,
      'short 6': null,
    });
    servers = [await server.start()];
    folder = await mkdtemp(path.join(tmpdir(), 'parley-names-'));
    hostsFile = path.join(folder, 'hosts');
    resolverFile = path.join(folder, 'resolv.conf');
    await writeFile(hostsFile, '# ours\n192.0.2.1 Listed.test other # twice\n2001:db8::1\tlisted.test\nnonsense x\n');
    await writeFile(resolverFile, 'nameserver 192.0.2.53\nsearch corp.test\n');
  });
  after(async () => {
    server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(() => server.asked.splice(0));

  // With its own time limit, which is longer than whatever has an answer takes on a busy machine.
  const names = (more: object = {}) => new Names({ servers, hostsFile, resolverFile, ...more });
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'found',
      (error) => error.code,
    );

  it('come from the hosts file first, of both families, and from DNS', async () => {
    const known = names();
    expect(await known.addresses('listed.TEST')).to.deep.equal([
      { address: '192.0.2.1', family: 4 },
      { address: '2001:db8::1', family: 6 },
    ]);
    expect(await known.addresses('other')).to.deep.equal([{ address: '192.0.2.1', family: 4 }]);
    expect((await known.addresses('localhost')).map(({ address }) => address)).to.include('127.0.0.1');
    expect(await known.addresses('::1')).to.deep.equal([{ address: '::1', family: 6 }]);
    expect(server.asked).to.deep.equal([]);
    expect(await known.addresses('well.test')).to.deep.equal([{ address: '192.0.2.7', family: 4 }]);
    expect(await codeOf(names({ resolverFile: '' }).addresses('none.test'))).to.equal('ENOTFOUND');
  });

  it('that are short are looked for in the domains of the system', async () => {
    expect(await names().addresses('short')).to.deep.equal([{ address: '192.0.2.8', family: 4 }]);
  });

  it('that nobody answers for are given up, asked for once for all, and keep no other one waiting', async () => {
    const known = names();
    const slow = Promise.all(Array.from({ length: 200 }, () => codeOf(known.addresses('slow.test'))));
    const others = Array.from({ length: 100 }, (_, i) => codeOf(known.addresses(`slow${i}.test`)));
    let over = false;
    void slow.then(() => {
      over = true;
    });
    expect(await known.addresses('well.test')).to.have.lengthOf(1);
    expect((await readFile(hostsFile)).length).to.be.greaterThan(0);
    expect(over).to.equal(false);
    expect([...new Set(await slow), ...new Set(await Promise.all(others))]).to.deep.equal(['EAI_AGAIN', 'EAI_AGAIN']);
    // Two families, two tries at most.
    const tries = server.asked.filter((question) => question.startsWith('slow.test '));
    expect(tries.length).to.be.within(2, 4);
    expect(await codeOf(known.addresses('slow.test'))).to.equal('EAI_AGAIN');
  });

  it('are bound in how many are looked up at once', async () => {
    const known = names({ timeoutMs: 100 });
    const many = await Promise.all(Array.from({ length: 1001 }, (_, i) => codeOf(known.addresses(`many${i}.test`))));
    expect(new Set(many)).to.deep.equal(new Set(['EAI_AGAIN']));
    expect(server.asked.filter((question) => question.startsWith('many1000.'))).to.deep.equal([]);
  });

  it('that lead inside are refused whatever name server says so', async () => {
    const known = names();
    const outgoing = new Outgoing([], (host, callback) => {
      known.addresses(host).then(
        (found) => callback(null, found),
        (error) => callback(error, []),
      );
    });
    const signal = AbortSignal.timeout(5000);
    const url = new URL('https://inside.test:9/');
    expect(await codeOf(outgoing.request(url, { method: 'GET' }))).to.equal('UNSAFE_URL');
    expect(await codeOf(outgoing.pass(url, { method: 'GET', headers: {}, body: null, signal }))).to.equal('UNSAFE_URL');
    await outgoing.close();
  });
});
