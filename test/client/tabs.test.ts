import { expect } from 'chai';
import { MemoryStore, Parley, ParleyError } from '../../src/client/index.ts';
import { Outbox } from '../../src/client/outbox.ts';
import { Session } from '../../src/client/session.ts';
import { until } from '../rig/until.ts';
import { request } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

describe('the client library when its sign-in ends', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  const tab = (store: MemoryStore) => new Parley({ url: here.alice.node.url, store });
  const account = () => ({ email: here.alice.username, password: 'correct horse' });

  it('says so in every tab when one of them signs out, and in that one not', async () => {
    const store = new MemoryStore();
    const [one, other] = [tab(store), tab(store)];
    await one.signIn(account());
    const said: string[] = [];
    one.on('signed-out', () => said.push('one'));
    other.on('signed-out', () => said.push('other'));
    for (const parley of [one, other]) parley.connect();
    await until(() => one.state.status === 'live' && other.state.status === 'live');
    await one.signOut();
    await until(() => said.length > 0);
    expect(said).to.deep.equal(['other']);
    await one.signIn(account());
    other.connect();
    await until(() => other.state.status === 'live');
    await one.signOut();
    await until(() => said.length > 1);
    expect(said).to.deep.equal(['other', 'other']);
  });

  it('does not come back by a refresh that was under way', async () => {
    const answer = Promise.withResolvers<{ accessToken: string; refreshToken: string }>();
    const session = new Session(
      new MemoryStore(),
      () => answer.promise,
      () => {},
    );
    const old = { accessToken: 'old', refreshToken: 'old', userId: 'someone' };
    const fresh = { accessToken: 'fresh', refreshToken: 'fresh' };
    session.tokens = old;
    const renewed = session.renew('old').catch((error) => error.code);
    session.tokens = null;
    answer.resolve(fresh);
    expect(await renewed).to.equal('SIGNED_OUT');
    expect(session.tokens).to.equal(null);

    session.tokens = old;
    const forSomeoneElse = session.renew('old');
    session.tokens = { accessToken: 'other', refreshToken: 'other', userId: 'other' };
    expect(await forSomeoneElse).to.equal('other');
    expect(session.tokens.userId).to.equal('other');
  });

  it('is said for a personal token that the server does not know', async () => {
    const parley = new Parley({ url: here.alice.node.url, token: 'pat_unknown' });
    const ended = new Promise<ParleyError>((resolve) => parley.on('signed-out', resolve));
    parley.connect();
    expect((await ended).status).to.equal(401);
    expect(parley.state.status).to.equal('offline');
  });

  it('leaves nothing that is sent as whoever signs in next', async () => {
    const parley = tab(new MemoryStore());
    const mine = await parley.signIn(account());
    const { body } = await request(here.bob.node, 'POST', '/api/auth/login', {
      ...account(),
      email: here.bob.username,
    });
    const channel = parley.channel(here.channel.id);
    channel.send('on its way').catch(() => {});
    const sent = channel.send('said by Alice');
    parley.signedInAs(body);
    expect(body.user.id).to.not.equal(mine.user.id);
    expect(await sent.catch((error) => error.code)).to.equal('SIGNED_OUT');
  });
});

describe('the outbox of two tabs', () => {
  const written = { content: 'said' };

  it('does not send in one what was taken back in the other', async () => {
    const store = new MemoryStore();
    const away = new ParleyError({ code: 'NETWORK' });
    const never = () => Promise.reject(away);
    const one = new Outbox(store, never, () => {});
    const told: string[] = [];
    let online = false;
    const other = new Outbox(
      store,
      ({ input }) => {
        told.push(input.content ?? '');
        return online ? Promise.resolve(Object.create(null)) : never();
      },
      () => {},
    );
    one.send('channel', { content: 'first' }, 'someone').catch(() => {});
    one.send('channel', written, 'someone').catch(() => {});
    other.restore('someone');
    const [, second] = one.pending('channel');
    expect(one.cancel(second?.nonce ?? '')).to.equal(true);
    online = true;
    other.wake();
    await until(() => other.pending('channel').length === 0);
    expect(told).to.not.include('said');
    one.clear();
  });
});
