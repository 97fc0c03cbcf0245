import { expect } from 'chai';
import { MemoryStore } from '../../src/client/index.ts';
import { pathTo, routeOf, settledPath } from '../../src/web/app/state/router.ts';
import { until } from '../rig/until.ts';
import { type World, world } from '../world/world.ts';
import { Device } from './device.ts';

describe('links to messages in the state of the web client', () => {
  let here: World;
  let device: Device;

  before(async () => {
    here = await world();
    device = new Device(here.alice.node.url);
  });
  after(() => {
    device.close();
    here.close();
  });

  it('end in the conversation or thread around the message', () => {
    const settled = (path: string) => settledPath(routeOf(path));
    expect(settled(pathTo.message('s', 'c', 'm'))).to.equal('/app/s/s/c');
    expect(settled(pathTo.message(null, 'c', 'm'))).to.equal('/app/dm/c');
    expect(settled('/app/s/s/c/thread/t/m')).to.equal('/app/s/s/c/thread/t');
    for (const path of ['/app/s/s/c', '/app/s/s/c/thread/t', '/app/friends', '/app/s/s/files/f'])
      expect(settled(path), path).to.equal(null);
  });

  it('can be followed again, and leave no page behind to come back to', async () => {
    const { alice, channel, server } = here;
    const said = await alice.say(channel.id, 'linked to');
    const channelPath = pathTo.channel(server.id, channel.id);
    const tab = device.open('/app/friends', alice, new MemoryStore());
    const { router } = tab.page;
    const pushed: string[] = [];
    const { setPath } = tab.page.surroundings;
    tab.page.surroundings.setPath = (path, isReplaced) => {
      if (!isReplaced) pushed.push(path);
      setPath(path, isReplaced);
    };
    router.navigate(channelPath);
    for (let i = 0; i < 2; i++) {
      router.navigate(pathTo.message(server.id, channel.id, said.id));
      expect(router.route.peek()).to.include({ messageId: said.id });
      router.settle();
      expect(router.route.peek()).to.include({ name: 'channel', messageId: null });
    }
    expect(pushed).to.deep.equal([channelPath]);
    router.navigate('/app/friends');
    router.settle();
    expect(pushed).to.deep.equal([channelPath, '/app/friends']);
  });

  it('show the newest messages where the one they lead to is gone', async () => {
    const { alice, channel, server } = here;
    await alice.say(channel.id, 'still here');
    const gone = '00000000-0000-7000-8000-000000000000';
    const tab = device.open(pathTo.message(server.id, channel.id, gone), alice, new MemoryStore());
    const { timelines, toasts } = tab.app();
    const timeline = timelines.of(channel.id);
    await timelines.showMessage(timeline, gone, server.id);
    expect(timeline.gone.peek()).to.equal(false);
    await until(() => timeline.messages.peek().some(({ content }) => content === 'still here'));
    expect(toasts.list.peek()).to.have.lengthOf(1);
    expect(tab.page.route.peek()).to.include({ name: 'channel', messageId: null });
  });
});
