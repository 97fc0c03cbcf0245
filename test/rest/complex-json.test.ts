import { expect } from 'chai';
import { io } from 'socket.io-client';
import { isTooComplex } from '../../src/infrastructure/json-complexity.ts';
import { until } from '../rig/until.ts';
import { request } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('JSON that takes long to parse', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  it('is known by its depth and by its number of values, whatever its strings hold', () => {
    expect(isTooComplex(nested(100))).to.equal(false);
    expect(isTooComplex(nested(101))).to.equal(true);
    expect(isTooComplex(`[${'1,'.repeat(19_999)}1]`)).to.equal(false);
    expect(isTooComplex(`[${'1,'.repeat(20_000)}1]`)).to.equal(true);
    expect(isTooComplex(`[${'{},'.repeat(9999)}{}]`)).to.equal(false);
    expect(isTooComplex(`[${'{},'.repeat(10_000)}{}]`)).to.equal(true);
    expect(isTooComplex(JSON.stringify(','.repeat(1_000_000)))).to.equal(false);
    expect(isTooComplex('"'.repeat(100_000))).to.equal(true);
    for (const sign of [' ', '1']) expect(isTooComplex(sign.repeat(600_000))).to.equal(true);
    expect(isTooComplex(JSON.stringify([`"${'['.repeat(200)}\\`, `${'{'.repeat(200)}\\"`]))).to.equal(false);
    expect(isTooComplex(`["${'['.repeat(200)}`)).to.equal(false);
  });

  it('is refused without being parsed, signed in or not', async () => {
    const deep = `{"email":${nested(5000)}}`;
    const { status, body } = await request(here.alice.node, 'POST', '/api/auth/login', deep);
    expect([status, body.code]).to.deep.equal([400, 'MALFORMED_JSON']);
    const path = `/api/channels/${here.channel.id}/messages`;
    const own = await here.alice.post(path, `{"content":"x","metadata":{"a":${nested(200)}}}`);
    expect([own.status, own.body.code]).to.deep.equal([400, 'MALFORMED_JSON']);
    expect(own.body.error).to.contain('100 deep');
    const signOff = await request(here.alice.node, 'POST', '/api/auth/disconnect', nested(5000));
    expect(signOff.body.ok).to.equal(true);
  });

  it('may have 16 KiB where nobody is signed in, whatever length is announced', async () => {
    const long = JSON.stringify({ email: 'a@example.com', password: 'x'.repeat(17_000) });
    const { status, body } = await request(here.alice.node, 'POST', '/api/auth/login', long);
    expect([status, body.code]).to.deep.equal([413, 'BODY_TOO_LARGE']);
    const fits = await here.alice.post(`/api/channels/${here.channel.id}/messages`, {
      content: 'x',
      metadata: { long: 'x'.repeat(20_000) },
    });
    expect(fits.status).to.equal(201);
  });

  it('on a socket is answered as such, and the socket goes on', async () => {
    const listener = await here.alice.listen(here.channel.id);
    let metadata: unknown = [];
    for (let depth = 0; depth < 150; depth++) metadata = [metadata];
    const ack = await listener.emit('message:send', {
      channelId: here.channel.id,
      content: 'deep',
      metadata: { metadata },
    });
    expect(ack.code).to.equal('MALFORMED_JSON');
    expect((await listener.emit('message:send', { channelId: here.channel.id, content: 'flat' })).ok).to.equal(true);
  });

  it('closes a connection that is not signed in', async () => {
    for (const token of ['x'.repeat(140_000), { deep: JSON.parse(nested(200)) }]) {
      const socket = io(here.alice.node.url, {
        transports: ['websocket'],
        forceNew: true,
        reconnection: false,
        auth: { token },
      });
      const refused: Error[] = [];
      const ended: string[] = [];
      socket.on('connect_error', (error) => refused.push(error));
      socket.io.on('close', (reason) => ended.push(reason));
      await until(() => ended.length > 0);
      expect(refused).to.deep.equal([]);
      expect(socket.connected).to.equal(false);
      socket.disconnect();
    }
  });
});
