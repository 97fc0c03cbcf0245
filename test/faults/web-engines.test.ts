import { expect } from 'chai';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('what other browsers than Chromium do', () => {
  let here: WebWorld;
  let alice: Visitor;

  before(async () => {
    here = await webWorld();
    alice = await here.visit(here.alice);
    await alice.open(`/app/s/${here.server.id}/${here.channel.id}`);
  });
  after(() => here.close());

  it('shows the end of a conversation: a list that may shrink is left out of reach in Firefox and WebKit', async () => {
    const shrink = `getComputedStyle(document.querySelector('.scroller > .messages')).flexShrink`;
    expect(await alice.page.evaluate(shrink)).to.equal('0');
  });
});
