// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

/** More than is fetched at first, and than is fetched with that while one comes near to where it begins. */
const many = 170;

describe('what other browsers than Chromium do', () => {
  let here: WebWorld;
  let alice: Visitor;
  let long: string;

  before(async () => {
    here = await webWorld();
    alice = await here.visit(here.alice);
    long = await here.newChannel('long');
    for (let i = 0; i < many; i++) await here.bob.say(long, `line ${i}`);
    await alice.open(`/app/s/${here.server.id}/${here.channel.id}`);
  });
  after(() => here.close());

  const said = () => alice.page.locator('article[data-id] .text').allInnerTexts();
  const scroller = () => alice.page.locator('.scroller');

  it('shows the end of a conversation: a list that may shrink is left out of reach in Firefox and WebKit', async () => {
    const shrink = `getComputedStyle(document.querySelector('.scroller > .messages')).flexShrink`;
    expect(await alice.page.evaluate(shrink)).to.equal('0');
  });

  it('fetches what comes before what is read, and not all that was ever said', async () => {
    await alice.go(`/app/s/${here.server.id}/${long}`);
    await until(async () => (await said()).length === 50);
    const asked: string[] = [];
    alice.page.on('request', (request) => {
      if (/\/messages\?.*cursor=/.test(request.url())) asked.push(request.url());
    });
    // Farther than there is: what stands for older messages is all that is seen.
    await scroller().evaluate((element) => element.scrollTo({ top: -1e6 }));
    const place = await scroller().evaluate((element) => element.scrollTop);
    await until(async () => (await said()).length > 50);
    // What stood for them may have been a line higher than what is there now; the next page is far away in any case.
    expect(await scroller().evaluate((element) => element.scrollTop)).to.be.closeTo(place, 100);
    expect(asked).to.have.length(1);
  });

  it('leaves one where one reads while something comes, as Safari does not by itself', async () => {
    const safari = await here.visit(here.alice);
    await safari.page.addInitScript(`{
      const supports = CSS.supports;
      CSS.supports = (name, value) => name !== 'overflow-anchor' && supports.call(CSS, name, value);
      const sheet = new CSSStyleSheet();
      sheet.replaceSync('.scroller { overflow-anchor: none; }');
      document.adoptedStyleSheets = [sheet];
    }`);
    await safari.open(`/app/s/${here.server.id}/${long}`);
    const line = safari.page.locator('article', { hasText: `line ${many - 25}` });
    const top = () => line.evaluate((element) => Math.round(element.getBoundingClientRect().top));
    await safari.page.locator('article', { hasText: `line ${many - 1}` }).waitFor();
    await safari.page.locator('.scroller').evaluate((element) => element.scrollTo({ top: -500 }));
    await safari.page.getByRole('button', { name: /newest/ }).waitFor();
    const before = await top();
    await here.bob.say(long, 'the latest');
    await safari.page.locator('article', { hasText: 'the latest' }).waitFor();
    await until(async () => (await top()) === before);
    expect(safari.complaints).to.deep.equal([]);
  });

  it('shows all of a message that is being changed: in Safari a box is no higher by itself than it is made', async () => {
    await alice.go(`/app/s/${here.server.id}/${here.channel.id}`);
    await here.alice.say(here.channel.id, 'one\ntwo\nthree\nfour');
    await alice.page.locator('article', { hasText: 'four' }).waitFor();
    await alice.page.locator('#composer').press('ArrowUp');
    const box = alice.page.getByLabel('Edit the message');
    const hidden = () => box.evaluate((element) => element.scrollHeight - element.clientHeight);
    expect(await hidden()).to.equal(0);
    await box.press('Shift+Enter');
    expect(await hidden()).to.equal(0);
    await box.press('Escape');
  });

  it('copies who said something, with what they said: Firefox leaves out names that are buttons', async () => {
    const select = `getComputedStyle(document.querySelector('article .author')).userSelect`;
    expect(await alice.page.evaluate(select)).to.equal('text');
  });

  it('sends nothing with the Enter that takes a letter, whichever tells of it first: the letter or the key', async () => {
    await alice.go(`/app/s/${here.server.id}/${here.channel.id}`);
    const composer = alice.page.locator('#composer');
    await composer.fill('にほん');
    for (const hint of ['isComposing: true', 'keyCode: 229']) {
      const key = `new KeyboardEvent('keydown', { key: 'Enter', code: 'Enter', ${hint}, bubbles: true, cancelable: true })`;
      expect(await alice.page.evaluate(`document.querySelector('#composer').dispatchEvent(${key})`)).to.equal(true);
    }
    expect(await composer.inputValue()).to.equal('にほん');
    await composer.press('Enter');
    await until(async () => (await said()).at(-1) === 'にほん');
  });
});
