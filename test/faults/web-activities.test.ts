// nodes: own

import { botIn } from '../world/bot.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('what others are doing, in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;

  before(async () => {
    here = await webWorld();
    alice = await here.visit(here.alice);
  });
  after(() => here.close());

  it('is shown from the start, and what ended while the line was away is not', async () => {
    const { page } = alice;
    const robot = await botIn(here.server, here.alice);
    const mouth = await robot.connect();
    const say = (activity: string | null) => mouth.emit('presence:activity', { channelId: here.channel.id, activity });
    await say('looking it up');
    await alice.open(`/app/s/${here.server.id}/${here.channel.id}`);
    const line = page.locator('.typists');
    await line.filter({ hasText: ': looking it up' }).waitFor();
    await say('writing');
    await line.filter({ hasText: ': writing' }).waitFor();
    await page.context().setOffline(true);
    await page.locator('.connection', { hasText: 'Offline' }).waitFor();
    await say(null);
    await page.context().setOffline(false);
    await page.locator('.connection.live').waitFor();
    await line.filter({ hasNotText: 'writing' }).waitFor({ state: 'attached' });
    await say('done');
    await line.filter({ hasText: ': done' }).waitFor();
    robot.hangUp();
  });
});
