// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

/** More than the server gives at a time. */
const size = 53;

describe('long lists in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;

  before(async () => {
    // Of its own: nobody else may have made servers that are open to all.
    here = await webWorld({});
    alice = await here.visit(here.alice);
  });
  after(() => here.close());

  const showMore = () => alice.page.getByRole('button', { name: 'Show more' });

  async function expectAll(entries: string): Promise<void> {
    await showMore().click();
    await until(async () => (await alice.page.locator(entries).count()) === size);
    expect(await showMore().count()).to.equal(0);
  }

  it('go on to their end: the threads of a channel', async () => {
    for (let i = 0; i < size; i++) {
      const { id } = await here.bob.say(here.channel.id, `question ${i}`);
      await here.bob.post(`/api/messages/${id}/thread`, {});
    }
    await alice.open(`/app/s/${here.server.id}/${here.channel.id}`);
    await alice.page.getByRole('button', { name: 'Threads', exact: true }).click();
    await expectAll('dialog .found li a');
    await alice.page.getByRole('dialog').getByRole('link', { name: 'question 0' }).click();
    await alice.page.locator('aside .opening', { hasText: 'question 0' }).waitFor();
  });

  it('go on to their end: the apps of a server', async () => {
    for (let i = 0; i < size; i++) {
      const app = { name: `App ${i}`, slug: `app-${i}`, type: 'html', htmlContent: '<p>Hello</p>' };
      await here.alice.post(`/api/servers/${here.server.id}/apps`, app);
    }
    await alice.open(`/app/s/${here.server.id}/apps`);
    await expectAll('.cards li');
  });

  it('go on to their end: the servers that are open to all', async () => {
    for (let i = 0; i < size; i++) await here.alice.post('/api/servers', { name: `Open ${i}`, isPublic: true });
    await alice.open('/app/discover');
    await expectAll('.cards li');
    expect(alice.complaints).to.deep.equal([]);
  });
});
