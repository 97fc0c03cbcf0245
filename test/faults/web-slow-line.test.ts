// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

/** In channels: more than are joined at once. */
const many = 30;
const mostJoining = 8;

describe('the web client on a slow line', () => {
  let here: WebWorld;
  let bob: Visitor;

  before(async () => {
    here = await webWorld();
    for (let i = 0; i < many; i++) await here.newChannel(`topic ${i}`);
    await here.alice.say(here.channel.id, 'what one came for');
    bob = await here.visit(here.bob);
  });
  after(() => here.close());

  const address = () => `/app/s/${here.server.id}/${here.channel.id}`;

  /** Notes what is asked for, in its order. */
  function asked(): string[] {
    const paths: string[] = [];
    bob.page.on('request', (request) => paths.push(new URL(request.url()).pathname));
    return paths;
  }

  it('reads the conversation at the address first, shows its name, and then reads each list once', async () => {
    const held = Promise.withResolvers<void>();
    const messages = `/api/channels/${here.channel.id}/messages`;
    await bob.page.route(`**${messages}?*`, async (route) => {
      await held.promise;
      await route.continue();
    });
    const paths = asked();
    await bob.page.goto(`${here.bob.node.url.replace('127.0.0.1', 'localhost')}${address()}`);
    await bob.page.locator('.connection.live').waitFor();
    await bob.page.locator('h1', { hasText: 'general' }).waitFor();
    await bob.page.locator('#composer').fill('a draft');
    const lists = ['/api/servers', '/api/dm/channels', '/api/friends', '/api/notifications'];
    const channels = `/api/servers/${here.server.id}/channels`;
    expect(paths).to.include(messages);
    for (const list of [...lists, channels]) expect(paths).not.to.include(list);
    held.resolve();
    await bob.page.locator('article', { hasText: 'what one came for' }).waitFor();
    for (const list of [...lists, channels]) {
      await until(() => paths.includes(list), { message: list });
    }
    await bob.page.locator('.list a', { hasText: `topic ${many - 1}` }).waitFor();
    await bob.page.locator('.connection.live').waitFor();
    for (const list of [...lists, channels]) {
      expect(
        paths.filter((path) => path === list),
        list,
      ).to.have.length(1);
    }
    expect(await bob.page.locator('#composer').inputValue()).to.equal('a draft');
    await bob.page.unroute(`**${messages}?*`);
  });

  it('shows what is being sent as it will stand, so that nothing moves when it was', async () => {
    await bob.open(address());
    const question = await here.alice.say(here.channel.id, 'what do you say');
    await bob.page.locator(`article[data-id="${question.id}"]`).waitFor();
    const heights = await bob.page.evaluateHandle(`(() => {
      const heights = {};
      const look = (one) => { heights[one.querySelector('.text').innerText] = one.getBoundingClientRect().height; };
      new MutationObserver(() => document.querySelectorAll('article.unsent').forEach(look))
        .observe(document.querySelector('.messages'), { childList: true, subtree: true });
      return heights;
    })()`);
    const say = async (text: string) => {
      await bob.page.locator('#composer').fill(text);
      await bob.page.keyboard.press('Enter');
      await bob.page.locator('article[data-id]', { hasText: text }).waitFor();
    };
    await say('with my name');
    await say('and below it');
    await bob.page.locator(`article[data-id="${question.id}"]`).focus();
    await bob.page.keyboard.press('r');
    await say('as an answer');
    const articles = bob.page.locator('article[data-id]');
    const sent = await articles.evaluateAll((all) =>
      all.slice(-3).map((one) => [one.querySelector('.text')?.textContent, one.getBoundingClientRect().height]),
    );
    expect(await heights.jsonValue()).to.deep.equal(Object.fromEntries(sent));
  });

  it('joins its channels a few at a time', async () => {
    const waiting = new Set<string>();
    let [most, joined] = [0, 0];
    bob.page.on('websocket', (socket) => {
      socket.on('framesent', ({ payload }) => {
        const [, id] = /^42(\d+)\["channel:join"/.exec(String(payload)) ?? [];
        if (id) waiting.add(id);
        most = Math.max(most, waiting.size);
      });
      socket.on('framereceived', ({ payload }) => {
        const [, id] = /^43(\d+)\[/.exec(String(payload)) ?? [];
        if (id && waiting.delete(id)) joined++;
      });
    });
    await bob.open(address());
    await until(() => joined > many, { message: 'not all are joined' });
    expect(most).to.be.at.most(mostJoining);
    expect(bob.complaints).to.deep.equal([]);
  });
});
