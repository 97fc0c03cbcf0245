// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('lists that change while they are read, in the web client', () => {
  let here: WebWorld;
  let bob: Visitor;

  before(async () => {
    here = await webWorld();
    bob = await here.visit(here.bob);
  });
  after(() => here.close());

  it('have no hole where some of what is known is gone meanwhile: notifications', async () => {
    await here.alice.say(here.channel.id, `@${here.bob.username}`);
    const real = await until(async () => (await here.bob.get('/api/notifications')).body[0]);
    const title = (number: number) => `note ${number}.`;
    let kept = Array.from({ length: 120 }, (_, i) => ({ ...real, id: crypto.randomUUID(), title: title(i) }));
    await bob.page.route('**/api/notifications?*', (route) => {
      const { searchParams } = new URL(route.request().url());
      const from = Number(searchParams.get('offset'));
      return route.fulfill({ json: kept.slice(from, from + Number(searchParams.get('limit'))) });
    });
    await bob.open('/app/notifications');
    const texts = async () => (await bob.page.locator('.found').innerText()).match(/note \d+\./g) ?? [];
    await until(async () => (await texts()).length === 50);
    kept = kept.filter((_, i) => i !== 2 && i !== 3);
    const more = bob.page.getByRole('button', { name: 'Show more' });
    while ((await more.count()) > 0) {
      await more.click();
      await bob.page.locator('.more[aria-busy=true]').waitFor({ state: 'detached' });
    }
    expect(await texts()).to.deep.equal(kept.map((note) => note.title));
  });
});
