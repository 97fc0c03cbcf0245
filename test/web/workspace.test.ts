import { expect } from 'chai';
import { type World, world } from '../world/world.ts';
import { Device, type Tab } from './device.ts';

describe('files in the state of the web client', () => {
  let here: World;
  let tab: Tab;

  before(async () => {
    here = await world();
    tab = new Device(here.alice.node.url).open(`/app/s/${here.server.id}/files`, here.alice);
  });
  after(() => {
    tab.close();
    here.close();
  });

  it('that are copied while others are pasted can be pasted as well', async () => {
    const { server } = here;
    const { workspace } = tab.app();
    const folder = await workspace.createFolder(server.id, null, 'folder');
    const nodes = [await workspace.createFile(server.id, null, 'a.txt')];
    workspace.clipboard.value = { serverId: server.id, nodes, mode: 'cut' };
    const pasting = workspace.paste(folder.id);
    const copied = { serverId: server.id, nodes, mode: 'copy' } as const;
    workspace.clipboard.value = copied;
    await pasting;
    expect(workspace.clipboard.peek()).to.equal(copied);
    workspace.clipboard.value = { serverId: server.id, nodes, mode: 'cut' };
    await workspace.paste(null);
    expect(workspace.clipboard.peek()).to.equal(null);
  });
});
