// nodes: own

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { furnishDataDir } from '../rig/postgres.ts';
import { NodeProcess } from '../world/node-process.ts';
import { parley } from '../world/operator.ts';
import { call, home, missing, plain } from './life.ts';

describe('a copy of the data folder', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-backup-'));
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

  it('brings everything back, and clients notice that time was turned back', async () => {
    const [dataDir, copy] = [path.join(folder, 'data'), path.join(folder, 'copy')];
    await furnishDataDir(dataDir);
    const node = await NodeProcess.start({ ...plain(dataDir), NEW_ACCOUNT_TIER: 'member' });
    const { account, channel } = await home(node);
    const say = async (content: string) =>
      (await call(node, account, 'POST', `/api/channels/${channel}/messages`, { content })).body;
    const kept = [await say('one'), await say('two')];
    await node.stop();
    execFileSync('cp', ['-a', dataDir, copy]);

    await node.start();
    const lost = await say('after the backup');
    await node.stop();
    rmSync(dataDir, { recursive: true });
    execFileSync('cp', ['-a', copy, dataDir]);
    const { code, complaint } = await parley({ DATA_DIR: dataDir }, ['after-restore']);
    expect([code, complaint]).to.deep.equal([0, '']);

    await node.start();
    // The token of before is good, since the secret came along.
    const ids = kept.map(({ id }) => id);
    expect(await missing(node, account, channel, [...ids, lost.id])).to.deep.equal([lost.id]);
    const other = await say('something else');
    expect(other.seq).to.be.greaterThan(lost.seq);
    const events = await call(node, account, 'GET', `/api/channels/${channel}/events?after=${lost.seq}`);
    expect(events.body).to.include({ recovered: false });
    expect(node.failures).to.deep.equal([]);
    await node.stop();
  });
});
