// nodes: own

import { expect } from 'chai';
import { errorCodes } from '../../src/contract/error-codes.ts';
import { errorsOf } from '../../src/gateway/asyncapi.ts';
import type { Handler } from '../../src/gateway/handler.ts';
import { nastyValues } from '../rest/nasty.ts';
import { fieldsOf, type Samples, sampleFor, samplesOf } from '../rest/samples.ts';
import { expectIssues } from '../rest/verdict.ts';
import { nodeCount, sharedCluster } from '../world/nodes.ts';
import { type Listener, type Loose, request } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

const cluster = await sharedCluster();
const handlers = cluster.nodes[0]?.endpoints.handlers ?? [];
const share = nodeCount > 1 ? 5 : 1;

/** An error as an ack or as the event `error` carries it (contract §2). */
function expectRefusal(answer: Loose): void {
  expect(answer, JSON.stringify(answer)).to.include({ ok: false });
  expect(Object.keys(errorCodes)).to.include(answer.code);
  expect(answer.error).to.be.a('string').and.not.empty;
  expect(answer.code).not.to.equal('INTERNAL_ERROR');
  if (answer.code === 'VALIDATION_FAILED') expectIssues(answer.issues);
}

function expectDeclared(handler: Handler, answer: Loose): void {
  if (answer?.ok === true) {
    const { error } = handler.ack.safeParse(answer);
    expect(error?.issues, 'an ack of another form than declared').to.equal(undefined);
    return;
  }
  expectRefusal(answer);
  expect(errorsOf(handler), 'an error that is not declared').to.include(answer.code);
}

describe('every event of a client is answered in an orderly way, whatever it says', () => {
  for (const handler of handlers) {
    it(handler.event, async () => {
      const here = await world(cluster);
      const samples = await samplesOf(here);
      const mouth = await here.alice.connect();
      const payloads = payloadsFor(handler, samples).filter((_, i) => i % share === 0);
      for (let at = 0; at < payloads.length; at += 16) {
        await Promise.all(payloads.slice(at, at + 16).map((payload) => judge(handler, mouth, payload)));
      }
      expect(mouth.socket.connected).to.equal(true);
      await expectOrder(here);
      here.close();
    });
  }
});

async function judge(handler: Handler, mouth: Listener, payload: unknown): Promise<void> {
  const answer = await mouth.emit(handler.event, payload);
  try {
    expectDeclared(handler, answer);
  } catch (error) {
    const told = `${JSON.stringify(payload)?.slice(0, 300)} → ${JSON.stringify(answer)?.slice(0, 500)}`;
    throw new Error(`${told}: ${error instanceof Error ? error.message : error}`);
  }
}

function payloadsFor(handler: Handler, samples: Samples): unknown[] {
  const { payload } = handler;
  const base = sampleFor(payload, samples);
  const names = fieldsOf(payload).map(({ name }) => name);
  const passing = names.flatMap((name) =>
    nastyValues.map((value) => ({ ...base, [name]: value })).filter((given) => payload.safeParse(given).success),
  );
  const all = nastyValues.map((value) => Object.fromEntries(names.map((name) => [name, value])));
  const binary = [
    Buffer.from('x'),
    { ...base, more: Buffer.from('x') },
    Object.fromEntries([[names[0], Buffer.of(0)]]),
  ];
  return [base, ...nastyValues, ...passing, ...all, ...binary];
}

/** The node still works, for others too. */
async function expectOrder({ alice, bob, channel }: World): Promise<void> {
  expect((await request(alice.node, 'GET', '/readyz')).status).to.equal(200);
  const ear = await bob.listen(channel.id);
  const { id } = await bob.say(channel.id, 'still here');
  await ear.next('message:new', (message) => message.id === id);
}

describe('a socket', () => {
  let here: World;
  let mouth: Listener;

  beforeEach(async () => {
    here = await world();
    mouth = await here.alice.connect();
  });
  afterEach(() => here.close());

  it('gets errors as the event `error` where it asked for no ack', async () => {
    mouth.socket.emit('message:send', { channelId: here.channel.id });
    const error = await mouth.next('error');
    expectRefusal(error);
    expect(error.code).to.equal('VALIDATION_FAILED');
  });

  it('is told that an event does not exist, in the ack or as an event', async () => {
    for (const event of ['message:explode', 'constructor', '__proto__', 'toString', '', 'x'.repeat(10_000)]) {
      const answer = await mouth.emit(event, {});
      expectRefusal(answer);
      expect(answer.code, event).to.equal('UNKNOWN_EVENT');
      expect(JSON.stringify(answer)).to.have.length.below(500);
    }
    mouth.socket.emit('nothing');
    expect((await mouth.next('error')).code).to.equal('UNKNOWN_EVENT');
  });

  it('is refused a key that would be left out of what is kept, as a body of REST is', async () => {
    const { id: channelId } = here.channel;
    const sent = async (json: string) =>
      mouth.emit('message:send', { channelId, content: 'x', metadata: JSON.parse(json) });
    for (const json of ['{"__proto__":{"a":1}}', '{"a":[{"__proto__":1}]}']) {
      const answer = await sent(json);
      expectRefusal(answer);
      expect(answer.code, json).to.equal('VALIDATION_FAILED');
    }
    expect((await sent('{"constructor":1}')).message.metadata).to.deep.equal({ constructor: 1 });
  });

  it('may send too much, too little, and the ack in another place', async () => {
    const more = await mouth.socket.timeout(15_000).emitWithAck('message:send', { content: 'x' }, 1, null, [2]);
    expectRefusal(more);
    const none = await mouth.socket.timeout(15_000).emitWithAck('message:send');
    expectRefusal(none);
    mouth.socket.emit('message:send');
    mouth.socket.emit('message:send', null, { ack: true });
    await expectOrder(here);
  });

  it('cannot forge what only servers send', async () => {
    const { alice, bob, channel } = here;
    const ear = await bob.listen(channel.id);
    const own = await alice.listen(channel.id);
    for (const event of ['message:new', 'ready', 'error', 'server:draining', 'auth:session-revoked']) {
      const answer = await own.emit(event, { channelId: channel.id, id: 'x', content: 'forged' });
      expect(answer.code).to.equal('UNKNOWN_EVENT');
    }
    await bob.say(channel.id, 'real');
    await ear.next('message:new');
    expect(JSON.stringify(ear.received)).not.to.contain('forged');
  });

  it('cannot put itself into a room by its name', async () => {
    const { alice, bob, carol, channel } = here;
    const ear = await carol.connect();
    const names = [channel.id, `channel:${channel.id}`, `user:${bob.id}`, { channelId: channel.id, after: 0 }];
    for (const name of names) expect((await ear.emit('channel:join', name)).ok).to.equal(false);
    for (const event of ['join', 'subscribe', 'room']) await ear.emit(event, channel.id);
    const own = await alice.listen(channel.id);
    await alice.say(channel.id, 'not for carol');
    await own.next('message:new');
    expect(ear.all('message:new')).to.deep.equal([]);
  });

  it('that sends more than it may at once is cut off, and nobody else', async () => {
    const closed = new Promise((resolve) => mouth.socket.once('disconnect', resolve));
    mouth.socket.io.reconnection(false);
    mouth.socket.emit('message:send', { channelId: here.channel.id, content: 'x'.repeat(3 * 1024 * 1024) });
    await closed;
    await expectOrder(here);
  });

  it('that talks no Socket.IO is cut off, and nobody else', async () => {
    const { url } = here.alice.node;
    const socket = new WebSocket(`${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
    const closed = new Promise((resolve) => socket.addEventListener('close', resolve));
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    for (const text of [
      '4',
      '49',
      '42["a"',
      '40{"token":',
      'x',
      '\0',
      '4599-["x"]',
      '451-["x",{"_placeholder":true}]',
    ]) {
      socket.send(text);
    }
    await closed;
    await expectOrder(here);
  });

  it('that enters more than once over one connection is cut off, and nobody else', async () => {
    const { url } = here.alice.node;
    const socket = new WebSocket(`${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
    const closed = new Promise((resolve) => socket.addEventListener('close', resolve));
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    for (let i = 0; i < 5; i++) socket.send(`40${JSON.stringify({ token: here.carol.token })}`);
    await closed;
    await expectOrder(here);
  });

  it('is refused with the codes of contract §9', async () => {
    const { alice } = here;
    const [head = '', claims = ''] = alice.token.split('.');
    const cases: [auth: Record<string, unknown>, message: string, code: string][] = [
      [{ token: undefined }, 'Authentication required', 'AUTH_TOKEN_MISSING'],
      [{ token: '' }, 'Authentication required', 'AUTH_TOKEN_MISSING'],
      [{ token: 'x' }, 'Invalid token', 'ACCESS_TOKEN_INVALID'],
      [{ token: `${head}.${claims}.x` }, 'Invalid token', 'ACCESS_TOKEN_INVALID'],
      [{ token: { a: 1 } }, 'Authentication required', 'AUTH_TOKEN_MISSING'],
    ];
    for (const [auth, message, code] of cases) {
      const { socket } = alice.dial({ auth, reconnection: false });
      const error = await new Promise<Loose>((resolve) => socket.once('connect_error', resolve));
      expect(error.message).to.equal(message);
      expect(error.data).to.include({ code });
    }
  });
});
