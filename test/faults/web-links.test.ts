// nodes: own

import { expect } from 'chai';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('links in what is written in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;

  before(async () => {
    here = await webWorld();
    alice = await here.visit(here.alice);
    await alice.open(`/app/s/${here.server.id}/${here.channel.id}`);
  });
  after(() => here.close());

  const message = (text: string) => alice.page.locator('article[data-id]', { hasText: text });

  it('have the brackets that are part of them, and not those around them', async () => {
    const [withBrackets, without] = ['https://a.example/x_(y)', 'https://a.example/z'];
    await here.bob.say(here.channel.id, `brackets: ${withBrackets} (${without}) (${withBrackets}).`);
    await message('brackets:').waitFor();
    const links = await message('brackets:').getByRole('link').all();
    const addresses = await Promise.all(links.map((link) => link.getAttribute('href')));
    expect(addresses).to.deep.equal([withBrackets, without, withBrackets]);
  });

  it('lead to places here without another tab', async () => {
    const said = await here.bob.say(here.channel.id, 'what is linked to');
    const path = `/app/s/${here.server.id}/${here.channel.id}/${said.id}`;
    await here.bob.say(here.channel.id, `look at ${new URL(path, alice.page.url()).href}`);
    await message('look at').getByRole('link').click();
    await alice.page.locator('article.target', { hasText: 'what is linked to' }).waitFor();
    expect(alice.page.context().pages()).to.have.length(1);
    expect(alice.complaints).to.deep.equal([]);
  });
});
