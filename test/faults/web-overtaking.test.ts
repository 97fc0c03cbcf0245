// nodes: own

import { expect } from 'chai';
import type { Request } from 'playwright-core';
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

  it('are not shown as they were before by an answer that comes late', async () => {
    const at = `/api/servers/${here.server.id}/channels`;
    await bob.open(`/app/s/${here.server.id}/${here.channel.id}`);
    const named = (name: string) => bob.page.locator('.list a', { hasText: name });
    const [old, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const came = Promise.withResolvers<void>();
    let reads = 0;
    await bob.page.route(`**${at}`, async (route) => {
      if (++reads > 1) return route.continue();
      // Chromium may say that one failed whose answer was read piece by piece, to its end.
      const ended = (request: Request) => request === route.request() && came.resolve();
      bob.page.on('requestfinished', ended).on('requestfailed', ended);
      const response = await route.fetch();
      old.resolve();
      await late.promise;
      await route.fulfill({ response });
    });
    await here.alice.post(at, { name: 'first' });
    await old.promise;
    await here.alice.post(at, { name: 'second' });
    await named('second').waitFor();
    late.resolve();
    await came.promise;
    // What the page does with the answer it does before the next one.
    await bob.page.evaluate((address) => fetch(address).then((answer) => answer.text()), '/healthz');
    for (const name of ['first', 'second']) expect(await named(name).count(), name).to.equal(1);
    await bob.page.unroute(`**${at}`);
  });

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
