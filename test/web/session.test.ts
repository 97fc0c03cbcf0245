import { expect } from 'chai';
import { keysOf } from '../../src/client/store.ts';
import { startProxy } from '../rig/tcp-proxy.ts';
import { until } from '../rig/until.ts';
import { type World, world } from '../world/world.ts';
import { Device, type Tab } from './device.ts';

describe('the session of the web client', () => {
  let here: World;
  let device: Device;
  let tab: Tab;

  beforeEach(async () => {
    here = await world();
    device = new Device(here.alice.node.url);
    tab = device.open(inChannel(), here.alice);
    await until(() => tab.app().me.peek());
    await live(tab);
  });
  afterEach(() => {
    device.close();
    here.close();
  });

  const inChannel = () => `/app/s/${here.server.id}/${here.channel.id}`;
  const live = (one: Tab) => until(() => one.app().connection.state.peek().status === 'live');
  const signIn = async (one: Tab, username: string) =>
    one.page.account.signedIn(await one.page.account.client.signIn({ email: username, password: 'correct horse' }));
  /** Leaves something of every kind behind. */
  const leaveThings = async () => {
    const app = tab.app();
    app.drafts.keep(here.channel.id, 'not for others');
    app.drafts.editing.value = 'a message';
    app.anchors.keep(here.channel.id, { messageId: 'one', offset: 4 });
    tab.page.router.remember();
    app.dismissReminder();
    app.categories.fold('a category', true);
    await app.alerts.set(true);
    await app.attachments.add(here.channel.id, [new File(['bytes'], 'a file.txt')]);
    app.showToast('for alice');
    app.lists.keep();
    await app.timelines.of(here.channel.id).showNewest();
    await until(() => app.lists.loaded.peek());
  };
  const kept = () => [...keysOf(device.local, 'parley:'), ...keysOf(tab.stored, 'parley:')];

  it('starts with what the browser has stored of the user, before the server answers', async () => {
    const again = device.open(inChannel());
    expect(again.app().me.peek()?.id).to.equal(here.alice.id);
    expect(again.app().lists.loaded.peek()).to.equal(false);
  });

  it('leaves nothing behind when the user signs out, and nothing under way brings it back', async () => {
    await leaveThings();
    const before = tab.app();
    const upload = before.attachments.add(here.channel.id, [new File(['more'], 'late.txt')]);
    before.unread.markRead(here.channel.id, 7);
    await tab.page.account.signOut();
    await upload;
    before.drafts.keep(here.channel.id, 'typed too late');
    before.showToast('too late');
    before.navigate('/app/friends');
    expect(kept()).to.deep.equal([]);
    expect(before.toasts.list.peek().map(({ text }) => text)).to.not.include('too late');
    expect(tab.page.route.peek().name).to.equal('login');
    expect(tab.page.account.session.peek()).to.equal(null);
    expect(before.client.signedIn).to.equal(false);
    expect((await here.alice.get('/api/auth/me')).status).to.equal(401);
  });

  it('is a new one, with a clean state, for whoever signs in next', async () => {
    await leaveThings();
    const before = tab.app();
    await tab.page.account.signOut();
    await signIn(tab, here.bob.username);
    const app = tab.app();
    expect(app).to.not.equal(before);
    expect(app.me.peek()?.id).to.equal(here.bob.id);
    expect(app.servers.list.peek()).to.deep.equal([]);
    expect(app.lists.loaded.peek()).to.equal(false);
    expect(app.drafts.of(here.channel.id)).to.equal('');
    expect(app.drafts.editing.peek()).to.equal(null);
    expect(app.attachments.of(here.channel.id).files).to.deep.equal([]);
    expect(app.alerts.on.peek()).to.equal(false);
    expect(app.toasts.list.peek()).to.deep.equal([]);
    expect(tab.page.router.remembered).to.equal(null);
    // What the former session still requests finds no token of the new one.
    const late = await before.client.rest('GET /api/auth/me').catch((error) => error.status);
    expect(late).to.equal(401);
  });

  it('ends when it is ended elsewhere, and keeps what was left for the same user alone', async () => {
    await leaveThings();
    const [current] = (await here.alice.get('/api/auth/sessions')).body;
    await here.alice.delete(`/api/auth/sessions/${current.id}`);
    await until(() => tab.page.account.session.peek() === null);
    expect(tab.page.account.signedOutReason.peek()).to.equal('This session was ended. Sign in again.');
    await signIn(tab, here.alice.username);
    expect(tab.page.account.signedOutReason.peek()).to.equal(null);
    expect(tab.app().drafts.of(here.channel.id)).to.equal('not for others');
    expect(
      tab
        .app()
        .attachments.of(here.channel.id)
        .files.map(({ filename }) => filename),
    ).to.deep.equal(['a file.txt']);
  });

  it('shows nothing of a user whose session was ended to the next one', async () => {
    await leaveThings();
    const [current] = (await here.alice.get('/api/auth/sessions')).body;
    await here.alice.delete(`/api/auth/sessions/${current.id}`);
    await until(() => tab.page.account.session.peek() === null);
    await signIn(tab, here.bob.username);
    expect(tab.app().drafts.of(here.channel.id)).to.equal('');
    expect(tab.app().attachments.of(here.channel.id).files).to.deep.equal([]);
    expect(tab.app().anchors.of(here.channel.id)).to.equal(null);
  });

  it('is in all tabs that of whoever signs in with one of them', async () => {
    await leaveThings();
    const other = device.open('/app/login');
    await signIn(other, here.bob.username);
    await until(() => tab.app().me.peek()?.id === here.bob.id);
    expect(tab.app().drafts.of(here.channel.id)).to.equal('');
    expect(tab.app().attachments.of(here.channel.id).files).to.deep.equal([]);
    await live(tab);
    const { authorId } = await tab.app().client.channel(here.channel.id).send('by Bob');
    expect(authorId).to.equal(here.bob.id);
  });

  it('is not ended by what the server refuses of an earlier one', async () => {
    const line = await startProxy(here.alice.node.port);
    const slow = new Device(`http://127.0.0.1:${line.port}`);
    const page = slow.open(inChannel(), here.alice);
    await live(page);
    line.hold();
    const late = page
      .app()
      .client.rest('GET /api/servers')
      .catch((error) => error.status);
    const { body } = await here.alice.get('/api/auth/sessions');
    await here.alice.delete(`/api/auth/sessions/${body[0].id}`);
    const { email } = (await here.bob.get('/api/auth/me')).body;
    page.page.account.signedIn((await here.bob.post('/api/auth/login', { email, password: 'correct horse' })).body);
    line.release();
    expect(await late).to.equal(401);
    await live(page);
    expect(page.app().me.peek()?.id).to.equal(here.bob.id);
    expect(page.page.account.signedOutReason.peek()).to.equal(null);
    slow.close();
  });

  it('starts where the user wanted to go, or at the invitation that was followed', async () => {
    const outside = new Device(here.alice.node.url);
    const stranger = outside.open(`/app/invite/${here.server.inviteCode}`);
    stranger.page.account.rememberNext();
    stranger.page.navigate('/app/register');
    expect(stranger.page.account.invitation).to.equal(here.server.inviteCode);
    await signIn(stranger, here.carol.username);
    expect(stranger.page.route.peek()).to.deep.equal({ name: 'invite', code: here.server.inviteCode });
    await stranger.app().servers.joinByCode(here.server.inviteCode);
    expect(
      stranger
        .app()
        .servers.list.peek()
        .map(({ id }) => id),
    ).to.deep.equal([here.server.id]);
    outside.close();
  });
});
