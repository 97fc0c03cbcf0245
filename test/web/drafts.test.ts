import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { startProxy } from '../rig/tcp-proxy.ts';
import { until } from '../rig/until.ts';
import type { Loose, Person } from '../world/person.ts';
import { type World, world } from '../world/world.ts';
import { Device, type Tab } from './device.ts';

/** Two devices of alice, on different nodes where there are several. */
describe('drafts in the state of the web client', () => {
  let here: World;
  let devices: Device[];
  let [desk, phone]: Tab[] = [];

  const id = () => here.channel.id;
  const path = () => `/api/channels/${id()}/draft`;
  const ofServer = async () => (await here.alice.get(path())).body.draft;
  const text = (tab: Tab | undefined) => tab?.app().drafts.of(id());
  const type = (tab: Tab | undefined, typed: string) => tab?.app().drafts.keep(id(), typed);
  const names = (tab: Tab | undefined) =>
    tab
      ?.app()
      .attachments.peek(id())
      .files.map(({ filename }) => filename) ?? [];
  /** What a tab shows, once it does. */
  const shows = (tab: Tab | undefined, wanted: string) =>
    until(() => text(tab) === wanted, { message: `no ${JSON.stringify(wanted)}` });
  const reaches = (wanted: string) =>
    until(async () => (await ofServer())?.content === wanted, { message: `${wanted} is not kept` });

  async function open(index: number): Promise<Tab> {
    const node = here.cluster.nodes[index % here.cluster.nodes.length] ?? here.alice.node;
    const device = new Device(node.url);
    devices.push(device);
    return openIn(device, here.alice.on(node));
  }

  async function openIn(device: Device, person: Person): Promise<Tab> {
    const tab = device.open(`/app/s/${here.server.id}/${id()}`, person);
    const app = tab.app();
    app.lists.keep();
    app.syncedDrafts.follow({ channelId: id(), threadId: null });
    await app.timelines.of(id()).showNewest();
    await until(() => app.lists.loaded.peek() && app.connection.state.peek().status === 'live');
    return tab;
  }

  beforeEach(async () => {
    here = await world();
    devices = [];
    [desk, phone] = [await open(0), await open(1)];
  });
  afterEach(() => {
    for (const device of devices) device.close();
    here.close();
  });

  it('follow their user to other devices, there now or opened later, and end with what was sent', async () => {
    type(desk, 'Dear all');
    await shows(phone, 'Dear all');
    expect(phone?.app().drafts.ids.peek().has(id())).to.equal(true);
    type(phone, 'Dear all, I');
    await shows(desk, 'Dear all, I');
    const tablet = await open(0);
    await shows(tablet, 'Dear all, I');
    type(desk, '');
    for (const tab of [phone, tablet]) await shows(tab, '');
    expect(await ofServer()).to.equal(null);
  });

  it('that were changed on two devices keep both texts, the newer one first', async () => {
    type(desk, 'one');
    await shows(phone, 'one');
    const { revision } = await ofServer();
    // As if the phone had missed it: it makes its text from an older one, and sends it once that rests.
    type(phone, 'mine');
    await here.alice.put(path(), { content: 'theirs', revision });
    await shows(phone, 'theirs\nmine');
    await reaches('theirs\nmine');
    await shows(desk, 'theirs\nmine');
  });

  it('are as they are here where only something else was changed meanwhile', async () => {
    type(desk, 'one two');
    await shows(phone, 'one two');
    const { revision, content } = await ofServer();
    const { id: file } = await here.alice.upload('file.txt', new TextEncoder().encode('file'));
    type(phone, 'two');
    await here.alice.put(path(), { content, revision, attachments: [{ id: file }] });
    await until(async () => {
      const draft = await ofServer();
      return draft.content === 'two' && draft.attachments.length === 1;
    });
    await shows(desk, 'two');
    expect(text(phone)).to.equal('two');
  });

  it('have their files and what they answer, and both devices’ files where both added some', async () => {
    const [files, phoneFiles] = [() => names(desk), () => names(phone)];
    const root = await here.bob.say(id(), 'root');
    desk?.app().drafts.replies.answer(root);
    await desk?.app().attachments.add(id(), [new File(['one'], 'one.txt')]);
    await until(() => phoneFiles().join() === 'one.txt');
    expect(phone?.app().drafts.replies.peek(id())).to.deep.equal({ id: root.id, name: root.author.displayName });
    type(desk, 'Look at it');
    await shows(phone, 'Look at it');
    expect(phoneFiles()).to.deep.equal(['one.txt']);
    const draft = await ofServer();
    const other = await here.alice.upload('other.txt', new TextEncoder().encode('other'));
    const attachments = [...draft.attachments, other].map((file: Loose) => ({ id: file.id }));
    // As if the desk had missed it: it sends what it has once that rests.
    await desk?.app().attachments.add(id(), [new File(['mine'], 'mine.txt')]);
    await here.alice.put(path(), { content: draft.content, revision: draft.revision, attachments });
    await until(() => [...files()].sort().join() === 'mine.txt,one.txt,other.txt');
    await until(() => [...phoneFiles()].sort().join() === 'mine.txt,one.txt,other.txt');
    expect(text(phone)).to.equal('Look at it');
    phone?.app().drafts.discard(id());
    await until(() => files().length === 0 && text(desk) === '');
    expect(desk?.app().drafts.replies.peek(id())).to.equal(null);
    expect(await ofServer()).to.equal(null);
  });

  it('that end elsewhere while one types here stay here', async () => {
    type(desk, 'one');
    await shows(phone, 'one');
    type(phone, 'one and more');
    type(desk, '');
    await reaches('one and more');
    await shows(phone, 'one and more');
    await shows(desk, 'one and more');
  });

  it('that are sent in one tab while another one saves them do not come back', async () => {
    const line = await startProxy(here.alice.node.port);
    const device = new Device(`http://127.0.0.1:${line.port}`);
    devices.push(device);
    const [one, other] = [await openIn(device, here.alice), await openIn(device, here.alice)];
    type(one, 'to be sent');
    await shows(other, 'to be sent');
    line.hold();
    // The text rests long enough to be saved, which takes its time.
    await delay(2000);
    type(other, '');
    line.release();
    await until(() => device.local.getItem(`parley:draft-base:${id()}`) === null);
    for (const tab of [one, other, phone]) await shows(tab, '');
    expect(await ofServer()).to.equal(null);
    await line.stop();
  });

  it('are sent to the server by the next page, where the last was closed before', async () => {
    const device = devices[0];
    type(desk, 'in a hurry');
    desk?.close();
    if (!device) throw new Error('no device');
    const tab = device.open('/app', here.alice);
    tab.app().lists.keep();
    await reaches('in a hurry');
    await shows(phone, 'in a hurry');
  });
});
