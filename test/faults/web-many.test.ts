// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

const many = 300;
/** Those in view, and some beyond it. */
const mostDrawn = 200;

describe('a conversation of many messages in the web client', () => {
  let here: WebWorld;
  let bob: Visitor;
  let channel: string;

  before(async () => {
    here = await webWorld();
    channel = await here.newChannel('many');
    for (let i = 0; i < many; i++) await here.alice.say(channel, i % 7 === 0 ? `line ${i}\nand another` : `line ${i}`);
    bob = await here.visit(here.bob);
  });
  beforeEach(async () => {
    // Otherwise he is where he read, which is kept as long as he is there.
    await bob.open('/app/friends');
    await bob.page.evaluate('sessionStorage.clear()');
    await bob.open(`/app/s/${here.server.id}/${channel}`);
    await message(many - 1).waitFor();
  });
  after(() => here.close());

  const message = (n: number) => bob.page.locator('article[data-id]', { hasText: new RegExp(`line ${n}(?!\\d)`) });
  const drawn = () => bob.page.locator('article[data-id]').count();
  const scroll = (by: number) => bob.page.locator('.scroller').evaluate((one, top) => one.scrollBy({ top }), by);
  /** Whether messages cover the view: nothing else is in the middle of it, nor near its edges. */
  const isCovered = () =>
    bob.page.evaluate<boolean>(`(() => {
      const { left, right, top, bottom } = document.querySelector('.scroller').getBoundingClientRect();
      const at = (y) => document.elementFromPoint((left + right) / 2, y)?.closest('.row, .beginning, .skeleton');
      return [top + 40, (top + bottom) / 2, bottom - 40].every(at);
    })()`);
  const tools = () => bob.page.locator('.actions').count();

  it('has only what is in view in the page, and all of it wherever one goes', async () => {
    let most = 0;
    const look = async () => {
      await until(isCovered, { message: 'there is a hole' });
      most = Math.max(most, await drawn());
    };
    await until(
      async () => {
        await scroll(-400);
        await look();
        return (await message(0).count()) === 1;
      },
      { timeout: 90_000 },
    );
    // From one end to the other, and into the middle.
    await bob.page.locator('.scroller').evaluate((one) => one.scrollTo({ top: 0 }));
    await message(many - 1).waitFor();
    await look();
    await bob.page.locator('.scroller').evaluate((one) => one.scrollTo({ top: -one.scrollHeight / 2 }));
    await look();
    expect(most).to.be.below(mostDrawn);
    expect(bob.complaints).to.deep.equal([]);
  });

  it('keeps what one reads in its place while others write, and comes to the newest by a button', async () => {
    await until(async () => {
      await scroll(-400);
      return (await message(many - 80).count()) === 1;
    });
    await bob.page.getByRole('button', { name: 'Jump to the newest' }).waitFor();
    const place = () => message(many - 80).evaluate((one) => one.getBoundingClientRect().top);
    const before = await place();
    for (let i = 0; i < 5; i++) await here.alice.say(channel, `meanwhile ${i}`);
    await bob.page.getByRole('button', { name: 'New messages' }).waitFor();
    expect(await place()).to.be.closeTo(before, 2);
    await bob.page.getByRole('button', { name: 'New messages' }).click();
    await bob.page.locator('article[data-id]', { hasText: 'meanwhile 4' }).waitFor();
    await until(isCovered);
  });

  it('keeps the message that has the focus, and moves between all of them by arrow keys', async () => {
    await message(many - 1).focus();
    for (let i = 1; i <= 60; i++) {
      // What is above is fetched and drawn on the way.
      await message(many - 1 - i).waitFor({ state: 'attached' });
      await bob.page.keyboard.press('ArrowUp');
    }
    const focused = () => bob.page.evaluate<string>('document.activeElement.innerText');
    await until(async () => (await focused()).includes(`line ${many - 61}`), { message: 'it is elsewhere' });
    await bob.page.locator('.scroller').evaluate((one) => one.scrollTo({ top: 0 }));
    await until(isCovered);
    expect(await focused()).to.include(`line ${many - 61}`);
  });

  it('has tools where one is: under the pointer, and where the focus is', async () => {
    await bob.page.mouse.move(5, 5);
    await until(async () => (await tools()) === 0);
    await message(many - 2).hover();
    await until(async () => (await tools()) === 1);
    await message(many - 2)
      .getByRole('button', { name: 'React' })
      .waitFor();
    await message(many - 4).focus();
    await until(async () => (await tools()) === 2);
    await bob.page.mouse.move(5, 5);
    await until(async () => (await tools()) === 1);
    await bob.page.keyboard.press('Tab');
    await message(many - 4)
      .getByRole('button', { name: 'React' })
      .and(bob.page.locator(':focus'))
      .waitFor();
    await bob.page.locator('#composer').focus();
    await until(async () => (await tools()) === 0);
  });
});
