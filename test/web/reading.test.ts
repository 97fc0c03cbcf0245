import { expect } from 'chai';
import { startProxy } from '../rig/tcp-proxy.ts';
import { until } from '../rig/until.ts';
import type { Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';
import { Device, type Tab } from './device.ts';

/** Devices of alice, on different nodes where there are several. */
describe('how far one has read, in the state of the web client', () => {
  let here: World;
  let devices: Device[];

  beforeEach(async () => {
    here = await world();
    devices = [];
  });
  afterEach(() => {
    for (const device of devices) device.close();
    here.close();
  });

  const id = () => here.channel.id;
  const talk = () => `/app/s/${here.server.id}/${id()}`;
  const ofServer = async () => (await here.alice.get(`/api/channels/${id()}`)).body;
  const ofThread = async (threadId: string) => (await here.alice.get(`/api/threads/${threadId}/state`)).body;
  const isUnread = (count: number) =>
    until(async () => (await ofServer()).unreadCount === count, { message: `not ${count} unread` });

  async function open(path: string, { index = 0, url }: { index?: number; url?: string } = {}): Promise<Tab> {
    const node = here.cluster.nodes[index % here.cluster.nodes.length] ?? here.alice.node;
    const device = new Device(url ?? node.url);
    devices.push(device);
    const tab = device.open(path, here.alice.on(node));
    const app = tab.app();
    app.lists.keep();
    const [channel, threadId] = path.split('/thread/');
    if (channel === talk()) await app.timelines.of(id()).showNewest();
    if (threadId) await app.timelines.of(id(), threadId).showNewest();
    await until(() => app.lists.loaded.peek() && app.connection.state.peek().status === 'live');
    await app.servers.loadChannels(here.server.id);
    return tab;
  }

  /** What a page does as messages come into view. */
  const looks = (tab: Tab, last: Loose) => tab.app().unread.markRead(id(), last.seq);
  const looksIntoThread = (tab: Tab, last: Loose) => tab.app().follows.markRead(last.threadId, last.seq);
  const knowsOf = (tab: Tab, message: Loose) =>
    until(() => (tab.app().client.channel(id()).position ?? -1) >= message.seq, {
      message: 'the message has not come',
    });

  async function threadOf(parent: Loose): Promise<Loose> {
    return (await here.bob.post(`/api/messages/${parent.id}/thread`)).body;
  }
  const reply = async (thread: Loose, content: string): Promise<Loose> =>
    (await here.bob.post(`/api/threads/${thread.id}/messages`, { content })).body;

  it('stays where one device marked messages as unread, while others show the channel', async () => {
    const [desk, phone] = [await open(talk()), await open(talk(), { index: 1 })];
    const sent = [];
    for (const text of ['one', 'two', 'three']) sent.push(await here.bob.say(id(), text));
    looks(desk, sent[2]);
    await isUnread(0);
    await desk.app().unread.markUnread(sent[1].id);
    await until(() => phone.app().unread.isHeld(id()), { message: 'the phone has not heard of it' });
    const fourth = await here.bob.say(id(), 'four');
    for (const tab of [desk, phone]) {
      await knowsOf(tab, fourth);
      looks(tab, fourth);
    }
    await until(() => [desk, phone].every((tab) => tab.app().unread.counts.peek().get(id()) === 3));
    expect(await ofServer()).to.include({ unreadCount: 3, lastReadSeq: sent[1].seq - 1 });
    // Coming back is reading again.
    phone.page.navigate('/app/friends');
    phone.page.navigate(talk());
    looks(phone, fourth);
    await isUnread(0);
  });

  it('is read where it is shown later, also what another device marked as unread before', async () => {
    const [desk, phone] = [await open(talk()), await open('/app/friends', { index: 1 })];
    const sent = await here.bob.say(id(), 'one');
    await knowsOf(phone, sent);
    looks(desk, sent);
    await isUnread(0);
    // Until then it is unread to the phone in any case.
    await until(() => phone.app().unread.counts.peek().get(id()) === 0, { message: 'the phone knows of no reading' });
    await desk.app().unread.markUnread(sent.id);
    await until(() => phone.app().unread.counts.peek().get(id()) === 1, { message: 'the phone has not heard of it' });
    phone.page.navigate(talk());
    looks(phone, sent);
    await isUnread(0);
  });

  it('stays where it was marked while a device was away that had read on, which sends that later', async () => {
    const line = await startProxy(here.alice.node.port);
    const away = await open(talk(), { url: `http://127.0.0.1:${line.port}` });
    const [first, second] = [await here.bob.say(id(), 'one'), await here.bob.say(id(), 'two')];
    looks(away, first);
    await isUnread(1);
    await knowsOf(away, second);
    // It says later how far it knew it to be read.
    await until(() => away.app().unread.counts.peek().get(id()) === 1, { message: 'it does not know what is read' });
    line.refuse(true);
    line.cut();
    await until(() => away.app().connection.state.peek().status === 'offline');
    looks(away, second);
    await here.alice.post(`/api/messages/${first.id}/unread`);
    line.refuse(false);
    away.app().client.retryNow();
    await until(() => away.app().unread.isHeld(id()), { message: 'it has not heard of it' });
    await until(() => away.app().unread.counts.peek().get(id()) === 2);
    expect(await ofServer()).to.include({ unreadCount: 2, lastReadSeq: first.seq - 1 });
  });

  it('stays in threads, too', async () => {
    const thread = await threadOf(await here.bob.say(id(), 'root'));
    const inThread = `${talk()}/thread/${thread.id}`;
    const [desk, phone] = [await open(inThread), await open(inThread, { index: 1 })];
    const [first, second] = [await reply(thread, 'one'), await reply(thread, 'two')];
    for (const tab of [desk, phone]) await tab.app().follows.loadThread(thread.id);
    looksIntoThread(desk, second);
    await until(async () => (await ofThread(thread.id)).unreadCount === 0);
    // Until then it is unread to the phone in any case.
    await until(() => phone.app().follows.unreadIn(thread.id) === 0, { message: 'the phone knows of no reading' });
    await desk.app().follows.markUnread(first.id);
    await until(() => phone.app().follows.unreadIn(thread.id) === 2, { message: 'the phone has not heard of it' });
    looksIntoThread(phone, second);
    expect(phone.app().follows.unreadIn(thread.id)).to.equal(2);
    phone.page.navigate(talk());
    phone.page.navigate(inThread);
    looksIntoThread(phone, second);
    await until(async () => (await ofThread(thread.id)).unreadCount === 0);
  });

  it('settles what notified of a thread where that is opened, though it was read before', async () => {
    const thread = await threadOf(await here.bob.say(id(), 'root'));
    const named = await reply(thread, `@${here.alice.username} look`);
    const left = async () =>
      (await here.alice.get('/api/notifications?unread=true')).body.some(
        ({ referenceId }: Loose) => referenceId === named.id,
      );
    await until(left, { message: 'not notified' });
    // An answer moves the pointer without looking.
    await here.alice.post(`/api/threads/${thread.id}/messages`, { content: 'by another client' });
    const tab = await open(`${talk()}/thread/${thread.id}`);
    await tab.app().follows.loadThread(thread.id);
    looksIntoThread(tab, named);
    await until(async () => !(await left()), { message: 'the notification is left' });
  });
});
