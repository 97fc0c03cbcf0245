// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('the web client after a sleep', () => {
  let here: WebWorld;
  let bob: Visitor;
  /** Whether nothing passes over the sockets of now, without a word about it; those of later are well. */
  let asleep: { dead: boolean };

  before(async () => {
    here = await webWorld();
    bob = await here.visit(here.bob);
    await bob.page.routeWebSocket(/socket\.io/, (socket) => {
      const line = { dead: false };
      asleep = line;
      const server = socket.connectToServer();
      socket.onMessage((message) => line.dead || server.send(message));
      server.onMessage((message) => line.dead || socket.send(message));
      server.onClose(() => {});
    });
    await bob.open(`/app/s/${here.server.id}/${here.channel.id}`);
    await bob.page.locator('.beginning').waitFor();
  });
  after(() => here.close());

  /** Seconds from waking up until a message shows that was sent during the sleep. */
  async function secondsToCatchUp(text: string, wake: string): Promise<number> {
    asleep.dead = true;
    await here.alice.say(here.channel.id, text);
    await bob.page.evaluate(wake);
    const from = Date.now();
    await bob.page.locator('article', { hasText: text }).waitFor({ timeout: 40_000 });
    return (Date.now() - from) / 1000;
  }

  it('notices that time has jumped, and catches up', async () => {
    const jump = '{ const now = Date.now.bind(Date); Date.now = () => now() + 3_600_000; }';
    // A tick of five seconds, three to see that nobody answers, and the way there and back. Engine.IO takes 45.
    expect(await secondsToCatchUp('while the lid was shut', jump)).to.be.below(30);
    await bob.page.locator('.connection.live').waitFor();
  });

  it('looks at once when the page comes to the front again', async () => {
    const front = `document.dispatchEvent(new Event('visibilitychange'))`;
    expect(await secondsToCatchUp('while another tab was in front', front)).to.be.below(25);
    await until(async () => (await bob.page.locator('article[data-id]').count()) === 2);
    expect(bob.complaints).to.deep.equal([]);
  });
});
