import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { MemoryStore, Parley, ParleyError } from '../../src/client/index.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { request } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

const listeners = (target: EventTarget, type: string) => getEventListeners(target, type).length;

describe('the client library', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  it('signs up, signs in, and calls REST by the names of the API documents', async () => {
    const parley = new Parley({ url: here.alice.node.url });
    const name = `c${Date.now()}`;
    await parley.signUp({ email: `${name}@example.com`, password: 'correct horse', username: name });
    expect(parley.signedIn).to.equal(true);
    const again = new Parley({ url: here.alice.node.url });
    await again.signIn({ email: name, password: 'correct horse' });
    expect((await again.rest('GET /api/auth/me')).username).to.equal(name);
    const id = here.server.id;
    const server = await again.rest('POST /api/servers/:id/join', { id, body: { inviteCode: here.server.inviteCode } });
    expect(server.id).to.equal(id);
    const page = await again.rest('GET /api/channels/:channelId/messages', {
      channelId: here.channel.id,
      query: { limit: 5 },
    });
    expect(page.hasMore).to.equal(false);
  });

  it('gives the server’s refusals as errors', async () => {
    const parley = new Parley({ url: here.alice.node.url });
    const error = await parley.signIn({ email: 'nobody', password: 'wrong password' }).catch((reason) => reason);
    expect(error).to.be.instanceOf(ParleyError);
    expect(error).to.include({ code: 'INVALID_CREDENTIALS', status: 401, isPassing: false });
    expect(error.requestId).to.be.a('string');
  });

  it('rejects what the server does not take, and goes on with the next', async () => {
    const parley = new Parley({ url: here.alice.node.url, token: here.alice.token });
    const channel = parley.channel(here.channel.id);
    parley.connect();
    const sends = await Promise.allSettled([channel.send(' '), channel.send('good')]);
    expect(sends.map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled']);
    parley.disconnect();
  });

  it('rejects what a bot may not say just now, by whichever way it says it', async () => {
    const channelId = await here.newChannel('bots');
    const bots = await Promise.all([botIn(here.server, here.alice), botIn(here.server, here.alice)]);
    const [one] = bots;
    for (const { id: userId } of bots) await here.alice.post(`/api/channels/${channelId}/members`, { userId });
    const talk = (i: number) => bots[i % 2]?.post(`/api/channels/${channelId}/messages`, { content: 'and you?' });
    for (let i = 0; (await talk(i))?.status === 201; ) i++;
    const parley = new Parley({ url: one.node.url, token: one.token });
    const refusal = () =>
      parley
        .channel(channelId)
        .send('I am sure')
        .catch((reason) => reason);
    expect(await refusal()).to.include({ code: 'BOT_LOOP', status: 429 });
    parley.connect();
    await until(() => parley.state.via === 'socket');
    expect(await refusal()).to.include({ code: 'BOT_LOOP' });
    parley.disconnect();
  });

  it('says that a channel is none of ours', async () => {
    const parley = new Parley({ url: here.carol.node.url, token: here.carol.token });
    const closed = new Promise<ParleyError>((resolve) => parley.channel(here.channel.id).on('closed', resolve));
    parley.connect();
    expect((await closed).code).to.equal('CHANNEL_NOT_FOUND');
    await until(() => parley.state.status === 'live');
    parley.disconnect();
  });

  it('stays out of a channel that is closed while it is still being caught up with', async () => {
    const [closed, other] = [await here.newChannel('closed'), await here.newChannel('other')];
    for (let i = 0; i < 210; i++) await here.alice.say(closed, `${i}`);
    const parley = new Parley({ url: here.alice.node.url, token: here.alice.token });
    const astray: string[] = [];
    const heard: string[] = [];
    parley.on('message:new', ({ content }) => astray.push(content));
    const channel = parley.channel(closed);
    channel.listen('message:new', () => channel.close());
    channel.open(0);
    parley.connect();
    parley.channel(other).on('message:new', ({ content }) => heard.push(content));
    await until(() => parley.state.status === 'live' && !channel.isOpen);
    for (let i = 0; i < 10; i++) {
      await here.alice.say(closed, 'none of its business');
      await here.alice.say(other, 'next');
    }
    await until(() => heard.length === 10);
    expect(astray).to.deep.equal([]);
    parley.disconnect();
  });

  it('leaves a channel also in the moment in which it says something else', async () => {
    const [left, other] = [await here.newChannel('left'), await here.newChannel('other')];
    const parley = new Parley({ url: here.alice.node.url, token: here.alice.token });
    const astray: string[] = [];
    const heard: string[] = [];
    parley.on('message:new', ({ content }) => astray.push(content));
    const channel = parley.channel(left);
    channel.open();
    parley.connect();
    await until(() => channel.live);
    parley.channel(other).on('message:new', ({ content }) => heard.push(content));
    channel.close();
    await until(() => parley.state.status === 'live');
    await here.alice.say(left, 'none of its business');
    await here.alice.say(other, 'next');
    await until(() => heard.length > 0);
    expect(astray).to.deep.equal([]);
    parley.disconnect();
  });

  it('goes on where it is told to with a channel that is closed and opened again at once', async () => {
    const parley = new Parley({ url: here.alice.node.url, token: here.alice.token });
    const channel = parley.channel(await here.newChannel('reopened'));
    for (const content of ['one', 'two']) await here.alice.say(channel.id, content);
    const heard: string[] = [];
    channel.listen('message:new', ({ content }) => heard.push(content));
    parley.connect();
    await until(() => parley.state.status === 'live');
    channel.open();
    channel.close();
    channel.open(0);
    await until(() => channel.live && parley.state.status === 'live');
    await channel.send('three');
    await until(() => heard.includes('three'));
    expect(heard).to.deep.equal(['one', 'two', 'three']);
    parley.disconnect();
  });

  it('leaves nothing behind in the page when it is disconnected', async () => {
    const page = new EventTarget();
    const document = Object.assign(new EventTarget(), { visibilityState: 'visible' });
    const addEventListener = page.addEventListener.bind(page);
    Object.assign(globalThis, { addEventListener, document });
    try {
      const parley = new Parley({ url: here.alice.node.url, token: here.alice.token });
      for (let i = 0; i < 2; i++) {
        parley.connect();
        await until(() => parley.state.status === 'live');
        expect([listeners(page, 'online'), listeners(page, 'offline')]).to.deep.equal([1, 1]);
        expect(listeners(document, 'visibilitychange')).to.equal(1);
        page.dispatchEvent(new Event('offline'));
        await until(() => parley.state.status === 'offline');
        page.dispatchEvent(new Event('online'));
        await until(() => parley.state.status === 'live');
        parley.disconnect();
        const left = [listeners(page, 'online'), listeners(page, 'offline'), listeners(document, 'visibilitychange')];
        expect(left).to.deep.equal([0, 0, 0]);
      }
    } finally {
      Reflect.deleteProperty(globalThis, 'addEventListener');
      Reflect.deleteProperty(globalThis, 'document');
    }
  });

  it('says when the log does not reach back: then the caller reads the list anew', async () => {
    const parley = new Parley({ url: here.bob.node.url, token: here.bob.token });
    const channel = parley.channel(here.channel.id);
    channel.open(1_000_000);
    const reload = new Promise((resolve) => channel.on('reload', resolve));
    parley.connect();
    await reload;
    const heard = new Promise((resolve) => channel.on('message:new', ({ content }) => resolve(content)));
    await here.alice.say(here.channel.id, 'next');
    expect(await heard).to.equal('next');
    parley.disconnect();
  });

  it('sends after a restart of the program what was left in the outbox, once', async () => {
    const store = new MemoryStore();
    const account = { email: here.bob.username, password: 'correct horse' };
    const before = new Parley({ url: 'http://127.0.0.1:9', store });
    before.signedInAs((await request(here.bob.node, 'POST', '/api/auth/login', account)).body);
    const unsent = ['x1', 'x2'].map((text) => before.channel(here.channel.id).send(text));
    for (const promise of unsent) promise.catch(() => {});
    before.disconnect();
    const after = new Parley({ url: here.bob.node.url, store });
    after.connect();
    await until(() => after.channel(here.channel.id).pending.length === 0 && after.state.status === 'live');
    // The tokens, and that of the device.
    await until(() => store.length === 2);
    const { body } = await here.alice.get(`/api/channels/${here.channel.id}/messages?limit=2`);
    expect(body.messages.map((message: { content: string }) => message.content)).to.deep.equal(['x2', 'x1']);
    after.disconnect();
    await before.signOut();
  });

  it('renews its tokens by itself, once for all who need it', async () => {
    const store = new MemoryStore();
    const parley = new Parley({ url: here.alice.node.url, store });
    const account = { email: here.alice.username, password: 'correct horse' };
    const { accessToken, refreshToken, user } = await parley.signIn(account);
    const broken = `${accessToken.slice(0, -6)}broken`;
    parley.signedInAs({ accessToken: broken, refreshToken, user });
    const answers = await Promise.all([1, 2, 3].map(() => parley.rest('GET /api/auth/me')));
    expect(answers.map(({ id }) => id)).to.deep.equal([user.id, user.id, user.id]);
    const kept = JSON.parse(store.getItem('parley:tokens') ?? '{}');
    expect(kept.refreshToken).to.not.equal(refreshToken);
    parley.signedInAs({ accessToken: broken, refreshToken: kept.refreshToken, user });
    parley.connect();
    await until(() => parley.state.status === 'live');
    await parley.signOut();
    expect(parley.signedIn).to.equal(false);
  });

  it('takes over tokens that the server takes, renewed where they had to be, and no others', async () => {
    const store = new MemoryStore();
    const parley = new Parley({ url: here.alice.node.url, store });
    await parley.signIn({ email: here.alice.username, password: 'correct horse' });
    const made = { accessToken: 'made-up', refreshToken: 'made-up' };
    const refused = await parley.adopt(made).catch((reason) => reason);
    expect(refused).to.include({ status: 401 });
    expect((await parley.rest('GET /api/auth/me')).id).to.equal(here.alice.id);
    const account = { email: here.bob.username, password: 'correct horse' };
    const { refreshToken } = await new Parley({ url: here.alice.node.url }).signIn(account);
    await parley.adopt({ accessToken: 'outdated', refreshToken });
    expect(parley.userId).to.equal(here.bob.id);
    const kept = JSON.parse(store.getItem('parley:tokens') ?? '{}');
    expect(kept.accessToken).to.not.equal('outdated');
    expect(kept.refreshToken).to.not.equal(refreshToken);
  });

  it('hears that its session was ended elsewhere', async () => {
    const parley = new Parley({ url: here.bob.node.url });
    await parley.signIn({ email: here.bob.username, password: 'correct horse' });
    parley.connect();
    await until(() => parley.state.status === 'live');
    const ended = new Promise<ParleyError>((resolve) => parley.on('signed-out', resolve));
    const own = (await parley.rest('GET /api/auth/sessions')).find(({ current }) => current);
    await here.bob.delete(`/api/auth/sessions/${own?.id}`);
    expect((await ended).code).to.equal('SESSION_REVOKED');
    expect(parley.signedIn).to.equal(false);
    expect(parley.state.status).to.equal('offline');
  });
});
