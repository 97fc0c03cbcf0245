import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { ParleyError } from '../../src/client/index.ts';
import { startProxy } from '../rig/tcp-proxy.ts';
import { until } from '../rig/until.ts';
import type { Person } from '../world/person.ts';
import { type World, world } from '../world/world.ts';
import { Device, type Tab } from './device.ts';

describe('conversations in the state of the web client', () => {
  let here: World;
  let devices: Device[];
  let alice: Tab;
  let bob: Tab;

  before(async () => {
    here = await world();
  });
  after(() => here.close());
  beforeEach(async () => {
    devices = [];
    [alice, bob] = await Promise.all([openFor(here.alice), openFor(here.bob)]);
  });
  afterEach(() => {
    for (const device of devices) device.close();
  });

  const path = () => `/app/s/${here.server.id}/${here.channel.id}`;

  /** Opens the channel for someone, with all lists. */
  async function openFor(person: Person, url = person.node.url): Promise<Tab> {
    const device = new Device(url);
    devices.push(device);
    const tab = device.open(path(), person);
    await shown(tab);
    return tab;
  }

  async function shown(tab: Tab): Promise<void> {
    const app = tab.app();
    app.lists.keep();
    await timelineOf(tab).showNewest();
    await until(() => app.lists.loaded.peek() && app.connection.state.peek().status === 'live');
    await app.servers.loadChannels(here.server.id);
  }

  const timelineOf = (tab: Tab, threadId: string | null = null) => tab.app().timelines.of(here.channel.id, threadId);
  const contents = (tab: Tab) =>
    timelineOf(tab)
      .messages.peek()
      .map(({ content }) => content);
  const send = (tab: Tab, content: string) => tab.app().client.channel(here.channel.id).send(content);
  const unread = (tab: Tab) => tab.app().unread.counts.peek().get(here.channel.id) ?? 0;

  it('show what is sent here and there, once, in one order', async () => {
    await Promise.all([send(alice, 'from alice'), send(bob, 'from bob')]);
    await until(() => [alice, bob].every((tab) => contents(tab).length >= 2));
    expect(contents(alice)).to.deep.equal(contents(bob));
    expect(contents(alice)).to.have.members(['from alice', 'from bob']);
    expect(timelineOf(alice).sending.pending.peek()).to.deep.equal([]);
    expect(timelineOf(alice).sending.acknowledged.peek()).to.deep.equal([]);
  });

  it('show changes, deletions, reactions and names as they happen', async () => {
    const one = await here.alice.say(here.channel.id, 'as it was');
    const reply = await here.bob.say(here.channel.id, 'about that', { replyToId: one.id });
    const inTimeline = (id: string) =>
      timelineOf(bob)
        .messages.peek()
        .find((message) => message.id === id);
    await until(() => inTimeline(reply.id));
    await here.alice.patch(`/api/messages/${one.id}`, { content: 'as it is' });
    await until(
      () => inTimeline(one.id)?.content === 'as it is' && inTimeline(reply.id)?.replyTo?.content === 'as it is',
    );
    await here.bob.post(`/api/messages/${one.id}/reactions`, { emoji: '🎉' });
    await until(() => inTimeline(one.id)?.reactions[0]?.count === 1);
    await here.alice.patch('/api/auth/me', { displayName: 'Alicia' });
    await until(
      () => inTimeline(one.id)?.author.displayName === 'Alicia' && alice.app().me.peek()?.displayName === 'Alicia',
    );
    await here.alice.delete(`/api/messages/${one.id}`);
    await until(() => !inTimeline(one.id) && inTimeline(reply.id)?.replyTo?.deleted);
  });

  it('count what comes while nobody looks, and nothing of what is read, deleted or one’s own', async () => {
    const readAll = (tab: Tab) => tab.app().unread.markAllRead([{ id: here.channel.id, lastSeq: 0 }]);
    await Promise.all([alice, bob].map(readAll));
    bob.page.navigate('/app/friends');
    await send(alice, 'unseen');
    const { id } = await send(alice, 'unseen, and soon gone');
    await until(() => unread(bob) === 2);
    expect(unread(alice)).to.equal(0);
    await here.alice.delete(`/api/messages/${id}`);
    await until(() => unread(bob) === 1);
    bob.page.navigate(path());
    const last = timelineOf(bob).messages.peek().at(-1);
    bob.app().unread.markRead(here.channel.id, last?.seq ?? 0);
    expect(unread(bob)).to.equal(0);
    await until(async () => (await here.bob.get(`/api/channels/${here.channel.id}`)).body.unreadCount === 0);
    bob.setVisible(false);
    await send(alice, 'while the page is hidden');
    await until(() => unread(bob) === 1);
  });

  it('tell in the title of the tab, and by the system, what the user is notified of', async () => {
    await bob.app().alerts.set(true);
    bob.page.setTitle('#general');
    bob.page.navigate('/app/friends');
    bob.setVisible(false);
    await send(alice, `@${here.bob.username} look`);
    await until(() => bob.title() === '(1) #general · Parley' && bob.alerts.length === 1);
    expect(bob.app().notifications.channelsForMe.peek().has(here.channel.id)).to.equal(true);
    await bob.app().notifications.readAll();
    expect(bob.title()).to.equal('#general · Parley');
  });

  it('tell nothing by the system in quiet hours, and while the user snoozes', async () => {
    const { preferences, notifications, alerts } = bob.app();
    await alerts.set(true);
    bob.page.navigate('/app/friends');
    bob.setVisible(false);
    const told = bob.alerts.length;
    const heard = async (text: string) => {
      await send(alice, `@${here.bob.username} ${text}`);
      await until(() => notifications.newest.peek()?.body?.endsWith(text));
    };
    const spans = [1, 2, 3, 4, 5, 6, 7].map((day) => ({ day, from: '00:00', to: '00:00' }));
    await preferences.change({ quietHours: { isOn: true, spans } });
    await heard('in quiet hours');
    const snoozedUntil = new Date(Date.now() + 3_600_000).toISOString();
    // Another device may have done it.
    await here.bob.patch('/api/notifications/settings', { quietHours: { isOn: false, spans }, snoozedUntil });
    await until(() => preferences.current.peek().snoozedUntil === snoozedUntil);
    await heard('while snoozing');
    expect(bob.alerts.length).to.equal(told);
    await preferences.change({ snoozedUntil: null });
    await heard('awake');
    await until(() => bob.alerts.length > told);
    await notifications.readAll();
  });

  it('show what someone wants to be notified of as it was chosen last, and nothing before it again', async () => {
    const { preferences } = bob.app();
    const { id } = here.channel;
    const choices = ['all', 'nothing', 'mentions', 'all', null, 'mentions', 'nothing', null] as const;
    const shown: unknown[] = [];
    const stop = preferences.current.subscribe(() => {
      const level = preferences.levelOf('channel', id);
      if (level !== (shown.at(-1) ?? null)) shown.push(level);
    });
    // The answers and events of each come while others are chosen.
    const sent: Promise<void>[] = [];
    for (const level of choices) {
      sent.push(preferences.setLevel('channel', id, level));
      await delay(10);
    }
    await Promise.all(sent);
    await preferences.load();
    stop();
    expect(shown).to.deep.equal(choices);
  });

  it('read the channels of the server that is visited once, also where these come after all other lists', async () => {
    const device = new Device(here.bob.node.url);
    devices.push(device);
    const { servers, lists } = device.open('/app/messages', here.bob).app();
    const channels = `/api/servers/${here.server.id}/channels`;
    const { fetch } = globalThis;
    const held = Promise.withResolvers<void>();
    let asked = 0;
    globalThis.fetch = async (input, init) => {
      if (new URL(input instanceof Request ? input.url : input).pathname === channels) {
        asked++;
        await held.promise;
      }
      return fetch(input, init);
    };
    try {
      const visited = servers.loadChannels(here.server.id);
      lists.keep();
      await until(() => lists.loaded.peek());
      held.resolve();
      await visited;
      expect(asked).to.equal(1);
    } finally {
      globalThis.fetch = fetch;
    }
  });

  it('queue what is written without a connection, and lose and double nothing when it is back', async () => {
    const line = await startProxy(here.alice.node.port);
    const tab = await openFor(here.alice, `http://127.0.0.1:${line.port}`);
    line.refuse(true);
    line.cut();
    await until(() => tab.app().connection.state.peek().status === 'offline');
    const sent = [1, 2, 3].map((number) => send(tab, `offline ${number}`));
    await until(() => timelineOf(tab).sending.pending.peek().length === 3);
    await here.bob.say(here.channel.id, 'meanwhile');
    line.refuse(false);
    tab.app().client.retryNow();
    await Promise.all(sent);
    const mine = ['offline 1', 'offline 2', 'offline 3'];
    // What is acknowledged comes back as an event, too: that may be later.
    const all = ['meanwhile', ...mine];
    await until(() => [tab, bob].every((one) => all.every((text) => contents(one).includes(text))));
    await until(() => timelineOf(tab).sending.pending.peek().length === 0);
    expect(contents(tab).filter((text) => mine.includes(text))).to.deep.equal(mine);
    expect(contents(tab).slice(-4)).to.deep.equal(contents(bob).slice(-4));
  });

  it('load what was requested without a connection once there is one', async () => {
    const line = await startProxy(here.alice.node.port);
    const tab = await openFor(here.alice, `http://127.0.0.1:${line.port}`);
    line.refuse(true);
    line.cut();
    await until(() => tab.app().connection.state.peek().status === 'offline');
    let loaded = 0;
    tab.app().connection.load(async () => {
      await tab.app().client.rest('GET /api/servers');
      loaded++;
    });
    await until(() => tab.app().toasts.list.peek()[0]?.text.startsWith('The server cannot be reached.'));
    line.refuse(false);
    tab.app().client.retryNow();
    await until(() => loaded === 1);
  });

  it('show who is typing until their message comes', async () => {
    bob.app().typists.follow(here.channel.id);
    const typing = () => bob.app().typists.byChannel.peek().get(here.channel.id) ?? [];
    alice.app().typists.publish(here.channel.id, null);
    await until(() => typing()[0]?.userId === here.alice.id);
    await send(alice, 'typed');
    await until(() => typing().length === 0);
  });

  it('show at once what one votes for, keep all that is chosen quickly, and take back what is refused', async () => {
    const body = { content: '', poll: { question: 'What?', options: ['tea', 'coffee', 'water'], multiple: true } };
    const message = (await here.alice.post(`/api/channels/${here.channel.id}/messages`, body)).body;
    const { polls } = alice.app();
    const chosen = () => polls.chosen(message);
    await until(() => chosen()?.length === 0);
    const first = polls.vote(message.id, [1]);
    expect(chosen()).to.deep.equal([1]);
    const second = polls.vote(message.id, [...(chosen() ?? []), 2]);
    expect((await first).voterCount).to.equal(1);
    expect(chosen()).to.deep.equal([1, 2]);
    expect((await second).options.map(({ count }) => count)).to.deep.equal([1, 1, 0]);
    expect(await polls.vote(message.id, [99]).catch((error) => error.status)).to.equal(400);
    await until(() => chosen()?.join() === '1,2');
  });

  it('keep drafts in all tabs of a browser, and give those of a deleted thread to its channel', async () => {
    const [device] = devices;
    const second = device?.open('/app/friends');
    if (!second) throw new Error('no tab');
    const shownThere: string[] = [];
    second.app().drafts.follow(here.channel.id, (text) => shownThere.push(text));
    alice.app().drafts.keep(here.channel.id, 'written before');
    await until(() => second.app().drafts.ids.peek().has(here.channel.id));
    expect(shownThere).to.deep.equal(['written before']);
    const message = await here.alice.say(here.channel.id, 'what it is about');
    const thread = (await here.alice.post(`/api/messages/${message.id}/thread`, {})).body;
    alice.app().drafts.keep(thread.id, 'half an answer');
    await here.alice.delete(`/api/threads/${thread.id}`);
    await until(() => alice.app().drafts.of(here.channel.id) === 'written before\nhalf an answer');
    alice.app().drafts.set(here.channel.id, '');
    await until(() => !second.app().drafts.ids.peek().has(here.channel.id));
  });

  it('keep a refused message in all tabs until it is sent again, once', async () => {
    const id = await here.newChannel('to be left');
    await bob.app().servers.loadChannels(here.server.id);
    const bobs = devices[1];
    await here.alice.delete(`/api/channels/${id}`);
    const error = await bob
      .app()
      .client.channel(id)
      .send('too late')
      .catch((reason) => reason);
    expect(error).to.be.instanceOf(ParleyError);
    const second = bobs?.open('/app/not-sent');
    const refused = () => bob.app().refusals.list.peek();
    expect(refused().map(({ pending }) => pending.input.content)).to.deep.equal(['too late']);
    expect(second?.app().refusals.list.peek()).to.have.lengthOf(1);
    expect(bob.app().toasts.list.peek().at(-1)?.href).to.equal('/app/not-sent');
    const [one] = refused();
    if (one) second?.app().refusals.discard(one.pending.nonce);
    await until(() => refused().length === 0);
  });

  it('say that they are gone when access is lost, and come back with it', async () => {
    const { id } = (
      await here.alice.post(`/api/servers/${here.server.id}/channels`, { name: 'secret', isPrivate: true })
    ).body;
    const letIn = () => here.alice.post(`/api/channels/${id}/members`, { userId: here.bob.id });
    await letIn();
    const timeline = bob.app().timelines.of(id);
    await timeline.showNewest();
    await here.alice.say(id, 'before');
    await until(() => timeline.messages.peek().length === 1);
    await here.alice.delete(`/api/channels/${id}/members/${here.bob.id}`);
    await until(() => timeline.gone.peek());
    await here.alice.say(id, 'meanwhile');
    await letIn();
    await until(async () => {
      await timeline.showNewest();
      return !timeline.gone.peek();
    });
    await here.alice.say(id, 'afterwards');
    await until(() => timeline.messages.peek().at(-1)?.content === 'afterwards');
    expect(timeline.messages.peek().map(({ content }) => content)).to.include('meanwhile');
  });

  it('find a message wherever a link leads: in its channel, or in its thread', async () => {
    const message = await here.alice.say(here.channel.id, 'with a thread');
    const thread = (await here.alice.post(`/api/messages/${message.id}/thread`, {})).body;
    const reply = (await here.alice.post(`/api/threads/${thread.id}/messages`, { content: 'in it' })).body;
    await bob.app().timelines.showMessage(timelineOf(bob), reply.id, here.server.id);
    const there = { serverId: here.server.id, channelId: here.channel.id, threadId: thread.id, messageId: reply.id };
    expect(bob.page.route.peek()).to.deep.equal({ name: 'channel', ...there });
    await timelineOf(bob, thread.id).showAround(reply.id);
    expect(timelineOf(bob, thread.id).messages.peek()[0]?.content).to.equal('in it');
  });

  it('find each other by name, the unread ones first', async () => {
    const names = () =>
      bob
        .app()
        .destinations.peek()
        .map(({ name }) => name);
    await here.newChannel('roadmap');
    await until(() => names().includes('#roadmap'));
    await bob.app().people.talkTo(here.alice.id);
    expect(bob.page.route.peek().name).to.equal('dm');
    await until(() => names().length >= 4);
    expect(names()).to.include.members(['#general', '#roadmap', 'Home']);
  });
});
