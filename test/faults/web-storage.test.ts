// nodes: own

import { expect } from 'chai';
import { query } from '../world/sql.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('what is stored, in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;

  before(async () => {
    here = await webWorld();
    alice = await here.visit(here.alice);
  });
  after(() => here.close());

  const set = (subject: string, bytes: number) =>
    query(here.cluster.databaseUrl, 'INSERT INTO storage_quotas (subject_id, bytes) VALUES ($1, $2)', [subject, bytes]);

  it('is shown to its person, and to those who manage the server, as a bar with words', async () => {
    const { server } = here;
    const file = { name: 'notes.txt', content: 'x'.repeat(30_000) };
    expect((await here.alice.post(`/api/servers/${server.id}/workspace/files`, file)).status).to.equal(201);
    await set(here.alice.id, 40_000);
    const { page } = alice;
    await page.setViewportSize({ width: 320, height: 700 });
    await alice.open('/app/settings/profile');
    await page.getByText('30 kB of 40 kB are used.').scrollIntoViewIfNeeded();
    await page.getByText('Files of workspaces · 30 kB · 1 file').waitFor();
    expect(await page.locator('meter.storage').getAttribute('aria-label')).to.equal('30 kB of 40 kB are used.');
    await alice.open(`/app/s/${server.id}/manage/overview`);
    await page.getByText('30 kB of 107.4 GB are used.').waitFor();
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate<number>(overflow)).to.equal(0);
  });

  it('is the reason that a refused upload is told by', async () => {
    const { page } = alice;
    await page.setViewportSize({ width: 1000, height: 700 });
    await alice.open(`/app/s/${here.server.id}/${here.channel.id}`);
    const buffer = Buffer.alloc(20_000, 'x');
    await page.locator('input[type=file]').first().setInputFiles({ name: 'big.txt', mimeType: 'text/plain', buffer });
    const toSend = page.getByRole('list', { name: 'Files to send' });
    await toSend.getByText('Your account has room for 10 kB more only. Delete files first.').waitFor();
    expect(alice.complaints.filter((complaint) => !complaint.includes('413'))).to.deep.equal([]);
  });
});
