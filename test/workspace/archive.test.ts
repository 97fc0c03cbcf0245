import { expect } from 'chai';
import yauzl from 'yauzl';
import { world } from '../world/world.ts';

/** The names in an archive, as a reader has them that refuses places outside. */
async function namesIn(bytes: Buffer): Promise<string[]> {
  const zip = await yauzl.fromBufferPromise(bytes, { lazyEntries: true, strictFileNames: true });
  const names: string[] = [];
  for await (const entry of zip.eachEntry()) names.push(entry.fileName);
  return names;
}

describe('an archive of a workspace', () => {
  it('names nothing that is a drive to those who unpack it, and loses nothing to another name', async () => {
    const { alice, server, close } = await world();
    const base = `/api/servers/${server.id}/workspace`;
    const folder = (await alice.post(`${base}/folders`, { name: 'D:' })).body;
    const made = ['C:x.txt', 'C_x.txt', 'a:', 'ab:c'].map((name) => ({ name, parentId: null }));
    for (const file of [...made, { name: 'C:y', parentId: folder.id }]) await alice.post(`${base}/files`, file);
    const download = async (path: string) => {
      const headers = { authorization: `Bearer ${alice.token}` };
      const response = await fetch(`${alice.node.url}${base}${path}`, { headers });
      return namesIn(Buffer.from(await response.arrayBuffer()));
    };
    const whole = ['C_x (1).txt', 'C_x.txt', 'a_', 'ab:c', 'D_/', 'D_/C:y'];
    expect(await download('/download')).to.have.members(whole);
    expect(await download(`/folders/${folder.id}/download`)).to.deep.equal(['C_y']);
    close();
  });
});
