// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('what is new in a conversation of the web client', () => {
  let here: WebWorld;
  let bob: Visitor;

  before(async () => {
    here = await webWorld();
    bob = await here.visit(here.bob);
  });
  after(() => here.close());

  const address = () => `/app/s/${here.server.id}/${here.channel.id}`;
  const said = (text: string) => bob.page.locator('article').getByText(text, { exact: true });
  const readTo = (count: number) =>
    until(async () => {
      const { body } = await here.bob.get(`/api/servers/${here.server.id}/channels`);
      return body.find(({ id }: { id: string }) => id === here.channel.id).unreadCount === count;
    });

  it('has no line before what comes while one looks on, but before what comes while one reads older things', async () => {
    for (let i = 0; i < 40; i++) await here.alice.say(here.channel.id, `old ${i}\nand a second line`);
    await bob.open(address());
    await said('old 39 and a second line').waitFor();
    await here.alice.say(here.channel.id, 'while he looks on');
    await said('while he looks on').waitFor();
    await readTo(0);
    await bob.open(address());
    await said('while he looks on').waitFor();
    await here.alice.say(here.channel.id, 'while he still looks on');
    await said('while he still looks on').waitFor();
    expect(await bob.page.locator('.line.new').count()).to.equal(0);
    await bob.page.locator('.scroller').evaluate((scroller) => scroller.scrollTo({ top: -800 }));
    await bob.page.getByRole('button', { name: 'Jump to the newest' }).waitFor();
    await here.alice.say(here.channel.id, 'while he reads older things');
    await bob.page.getByRole('button', { name: 'New messages' }).click();
    await said('while he reads older things').waitFor();
    expect(await bob.page.locator('.row:has(.line.new) .text').innerText()).to.equal('while he reads older things');
    await readTo(0);
    await bob.page.locator('.scroller').evaluate((scroller) => scroller.scrollTo({ top: -800 }));
    await bob.page.getByRole('button', { name: 'Jump to the newest' }).click();
    await until(async () => (await bob.page.getByRole('button', { name: 'Jump to the newest' }).count()) === 0);
  });

  it('leads to where it begins, however much there is', async () => {
    await bob.open('/app/friends');
    for (let i = 0; i < 120; i++) await here.alice.say(here.channel.id, `news ${i}`);
    await bob.open(address());
    await bob.page.getByRole('button', { name: '120 new messages' }).click();
    await bob.page.locator('.row', { hasText: /^New/ }).getByText('news 0', { exact: true }).waitFor();
    await until(() => said('news 0').evaluate((one) => one.getBoundingClientRect().top > 60));
    await until(async () => (await bob.page.getByRole('button', { name: /\d new message/ }).count()) === 0);
    await bob.page.getByRole('button', { name: 'Jump to the newest' }).click();
    await said('news 119').waitFor();
  });

  it('says that there is more than is counted', async () => {
    await bob.page.goto('about:blank');
    const id = await here.newChannel('busy');
    for (let i = 0; i < 21; i++) {
      await Promise.all(Array.from({ length: 50 }, () => here.alice.say(id, `busy ${i}`)));
    }
    await bob.open(`/app/s/${here.server.id}/${id}`);
    await bob.page.getByRole('button', { name: '1,000+ new messages' }).waitFor();
  });

  it('leads to the beginning of a channel that was never looked at', async () => {
    const path = `/api/servers/${here.server.id}/channels`;
    const { id } = (await here.alice.post(path, { name: 'young' })).body;
    for (let i = 0; i < 90; i++) await here.alice.say(id, `word ${i}`);
    // His page counts what it hears, and may not have heard all of it yet.
    await bob.page.locator('.entry', { hasText: 'young' }).locator('.badge', { hasText: '90' }).waitFor();
    await bob.go(`/app/s/${here.server.id}/${id}`);
    await said('word 89').waitFor();
    await bob.page.getByRole('button', { name: '90 new messages' }).click();
    await said('word 0').waitFor();
    expect(bob.complaints).to.deep.equal([]);
  });
});
