// nodes: own

import { expect } from 'chai';
import { halves, sendPicture } from '../pictures/samples.ts';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('the choice of emoji in the web client', () => {
  let here: WebWorld;
  let bob: Visitor;

  before(async () => {
    here = await webWorld();
    const { alice, server } = here;
    const picture = Uint8Array.from(await (await halves(80, 60)).png().toBuffer());
    const { url } = (await sendPicture(alice, picture, { shape: 'emoji' })).body;
    await alice.post(`/api/servers/${server.id}/emoji`, { name: 'party_parrot', url });
    bob = await here.visit(here.bob, { viewport: { width: 320, height: 568 } });
    await bob.open(`/app/s/${server.id}/${here.channel.id}`);
  });
  after(() => here.close());

  const composer = () => bob.page.locator('#composer');
  const picker = () => bob.page.getByRole('dialog', { name: 'Emoji' });
  const open = async (name = 'Insert an emoji') => {
    await bob.page.getByRole('button', { name }).click();
    await picker().waitFor();
  };
  const groups = async () => {
    const all = await picker().getByRole('group').all();
    return Promise.all(all.map((group) => group.getAttribute('aria-label')));
  };

  it('inserts them at the caret, found by an English name or the name between colons, and sends nothing', async () => {
    const { page } = bob;
    await composer().fill('before after');
    await page.evaluate(`document.querySelector('#composer').setSelectionRange(7, 7)`);
    await open();
    await page.getByLabel('Find an emoji').fill('owl');
    await page.keyboard.press('Enter');
    await picker().waitFor({ state: 'detached' });
    expect(await composer().inputValue()).to.equal('before 🦉after');
    expect(await page.evaluate('document.activeElement.id')).to.equal('composer');
    await open();
    await page.getByLabel('Find an emoji').fill('no such emoji');
    await picker().getByText('No results').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await picker().waitFor({ state: 'detached' });
    await composer().fill('');
  });

  it('has those that were used last and the server’s own first, all of it within the narrowest screen', async () => {
    const { page } = bob;
    await open();
    await picker().getByRole('group', { name: 'This server' }).waitFor();
    expect((await groups()).slice(0, 3)).to.deep.equal(['Recently used', 'This server', 'Smileys']);
    expect(await picker().getByRole('option').first().getAttribute('aria-label')).to.equal('owl');
    const { x = -1, y = -1, width = 0, height = 0 } = (await picker().boundingBox()) ?? {};
    expect([x >= 0, y >= 0, x + width <= 320, y + height <= 568]).to.not.include(false);
    await picker().getByRole('button', { name: 'Flags' }).click();
    expect(await page.evaluate('document.activeElement.ariaLabel')).to.equal('chequered flag');
    // A letter is for the field, whatever has the focus.
    await page.keyboard.press('p');
    expect(await page.getByLabel('Find an emoji').inputValue()).to.equal('p');
    await page.getByLabel('Find an emoji').fill('parrot');
    await picker().getByRole('option').first().click();
    expect(await composer().inputValue()).to.equal(':party_parrot: ');
    await composer().fill('');
  });

  it('goes on from one group into the next by arrows, and back to the field from the first row', async () => {
    const { page } = bob;
    const focused = () => page.evaluate('document.activeElement.ariaLabel');
    await open();
    await page.keyboard.press('ArrowDown');
    const names = await picker()
      .getByRole('option')
      .evaluateAll((all) => all.slice(0, 18).map((one) => one.ariaLabel));
    expect(await focused()).to.equal(names[0]);
    for (const key of ['ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
    expect(await focused()).to.equal(names[9]);
    // There is one of the server's own, so the next row is shorter.
    await page.keyboard.press('ArrowDown');
    expect(await focused()).to.equal('party_parrot');
    for (const key of ['ArrowUp', 'ArrowUp', 'ArrowUp']) await page.keyboard.press(key);
    await until(async () => (await focused()) === 'Find an emoji');
    await page.keyboard.press('Escape');
  });

  it('offers for a status what everyone has, and Escape closes the choice alone', async () => {
    const { page } = bob;
    await bob.go('/app/messages');
    await page.getByTitle('Your status').click();
    await page.getByRole('menuitem', { name: 'Set a status…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Set a status' });
    await open('Choose an emoji');
    expect(await groups())
      .to.include('Smileys')
      .and.not.include('This server');
    await page.keyboard.press('Escape');
    await picker().waitFor({ state: 'detached' });
    expect(await dialog.isVisible()).to.equal(true);
    await open('Choose an emoji');
    await page.getByLabel('Find an emoji').fill('palm tree');
    await page.keyboard.press('Enter');
    expect(await dialog.locator('input[name=emoji]').inputValue()).to.equal('🌴');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await until(async () => (await here.bob.get('/api/auth/me')).body.customStatus?.emoji === '🌴');
    expect(bob.complaints).to.deep.equal([]);
  });
});
