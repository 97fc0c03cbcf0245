// nodes: own

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { isPublicAddress, Outgoing, type Resolve } from '../../src/infrastructure/outgoing.ts';

/** All the ways to write what must not be called. */
const privateHosts = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '0',
  '0.0.0.0',
  '10.0.0.1',
  '10.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.257',
  '169.254.169.254',
  '0xa9fea9fe',
  '100.64.0.1',
  '100.127.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '１２７.０.０.１',
  '127。0。0。1',
  '①②⑦.⓪.⓪.①',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[ff02::1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::1]',
  '[2001:0:7f00:1::]',
  '[2001:db8::1]',
  '[2001:10::1]',
  '[100::1]',
  '[fec0::1]',
  '[5f00::1]',
];

describe('outgoing requests', () => {
  let server: Server;
  let port: number;
  const seen: string[] = [];
  before(async () => {
    server = createServer((request, response) => {
      seen.push(request.headers.host ?? '');
      response.end('reached');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address: AddressInfo | string | null = server.address();
    port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  });
  after(() => server.close());

  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error) => error.code,
    );

  it('know public addresses from all others', () => {
    for (const host of ['1.1.1.1', '8.8.8.8', '93.184.216.34', '2606:4700::1111', '2a00:1450:4001::1']) {
      expect(isPublicAddress(host), host).to.equal(true);
    }
    for (const host of ['', 'localhost', '1.2.3', 'fe80::1%eth0', '256.1.1.1']) {
      expect(isPublicAddress(host), host).to.equal(false);
    }
  });

  it('refuse private addresses in every spelling, when kept and when called', async () => {
    const outgoing = new Outgoing([]);
    for (const host of privateHosts) {
      const url = new URL(`https://${host}:${port}/`);
      expect(await codeOf(outgoing.check(url)), host).to.equal('UNSAFE_URL');
      expect(await codeOf(outgoing.request(url, { method: 'GET' })), host).to.equal('UNSAFE_URL');
    }
    expect(seen).to.be.empty;
    await outgoing.close();
  });

  it('refuse names that lead to private addresses, and use only the public ones of a name', async () => {
    const answers: Record<string, string[]> = {
      'inside.test': ['127.0.0.1'],
      'many.test': ['10.0.0.1', '::1', '192.168.1.1'],
      'localhost.test': ['::ffff:127.0.0.1'],
    };
    const resolve: Resolve = (host, callback) =>
      callback(
        null,
        (answers[host] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    const outgoing = new Outgoing([], resolve);
    for (const host of Object.keys(answers)) {
      const url = new URL(`https://${host}:${port}/`);
      expect(await codeOf(outgoing.check(url)), host).to.equal('UNSAFE_URL');
      expect(await codeOf(outgoing.request(url, { method: 'GET' })), host).to.equal('UNSAFE_URL');
    }
    expect(await codeOf(outgoing.check(new URL('https://localhost/')))).to.equal('done');
    expect(await codeOf(new Outgoing([]).check(new URL('https://localhost/')))).to.equal('UNSAFE_URL');
    expect(seen).to.be.empty;
    await outgoing.close();
  });

  it('reach an IPv6 address that is allowed, however it is named', async () => {
    const other = createServer((_, response) => response.end('reached')).listen(0, '::1');
    await once(other, 'listening');
    const address = other.address();
    const place = `[::1]:${typeof address === 'object' ? address?.port : ''}`;
    for (const allowed of ['::1', '[::1]', place]) {
      const outgoing = new Outgoing([allowed]);
      const { body } = await outgoing.request(new URL(`http://${place}/`), { method: 'GET' });
      expect(await body.text()).to.equal('reached');
      await outgoing.close();
    }
    other.close();
  });

  it('are not waited for where no name server answers: they are judged when they are called', async () => {
    const asked: string[] = [];
    const outgoing = new Outgoing([], (host) => void asked.push(host));
    expect(await codeOf(outgoing.check(new URL('https://silent.test/')))).to.equal('done');
    expect(asked).to.deep.equal(['silent.test']);
    await outgoing.close();
  });

  it('judge a name by the answer that is used: one that changes gains nothing', async () => {
    let asked = 0;
    const resolve: Resolve = (_, callback) => {
      asked++;
      callback(null, [{ address: asked === 1 ? '93.184.216.34' : '127.0.0.1', family: 4 }]);
    };
    const outgoing = new Outgoing([], resolve);
    const url = new URL(`https://rebind.test:${port}/`);
    expect(await codeOf(outgoing.check(url))).to.equal('done');
    expect(await codeOf(outgoing.request(url, { method: 'GET' }))).to.equal('UNSAFE_URL');
    expect(asked).to.equal(2);
    expect(seen).to.be.empty;
    await outgoing.close();
  });

  it('want https, no passwords, and no other protocol', async () => {
    const outgoing = new Outgoing([`127.0.0.1:${port}`]);
    for (const url of ['http://example.com/', 'ftp://example.com/', 'file:///etc/passwd', 'https://a:b@example.com/']) {
      expect(await codeOf(outgoing.check(new URL(url))), url).to.equal('UNSAFE_URL');
    }
    expect(await codeOf(outgoing.check(new URL(`http://127.0.0.1:${port + 1}/`)))).to.equal('UNSAFE_URL');
    await outgoing.close();
  });

  it('reach hosts that are allowed, wherever they are, on the port that is allowed', async () => {
    const outgoing = new Outgoing([`127.0.0.1:${port}`, 'LOCALHOST']);
    for (const host of ['127.0.0.1', 'localhost']) {
      const { body } = await outgoing.request(new URL(`http://${host}:${port}/`), { method: 'GET' });
      expect(await body.text()).to.equal('reached');
    }
    expect(seen).to.have.lengthOf(2);
    await outgoing.close();
  });
});
