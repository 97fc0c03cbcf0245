// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('parts of the web client that are loaded when they are shown', () => {
  let here: WebWorld;
  let alice: Visitor;

  before(async () => {
    here = await webWorld();
  });
  beforeEach(async () => {
    alice = await here.visit(here.alice);
  });
  afterEach(() => alice.close());
  after(() => here.close());

  /** Has a script wait. @returns lets it go on */
  const hold = async (script: string): Promise<() => void> => {
    const held = Promise.withResolvers<void>();
    await alice.page.route(`**/assets/${script}-*.js`, async (route) => {
      await held.promise;
      await route.continue();
    });
    return held.resolve;
  };
  const openConversation = () => alice.open(`/app/s/${here.server.id}/${here.channel.id}`);
  const heading = (name: string) => alice.page.getByRole('heading', { level: 1, name });
  const isFocused = (text: string) =>
    until(async () => {
      const script = `document.activeElement.ariaLabel ?? document.activeElement.textContent`;
      return (await alice.page.evaluate(script)) === text;
    });

  it('say that they come, then have the focus and the title', async () => {
    const release = await hold('Settings');
    await openConversation();
    await alice.page.locator('#composer').focus();
    await alice.go('/app/settings/devices');
    await isFocused('Loading…');
    release();
    await heading('Settings').waitFor();
    await isFocused('Settings');
    expect(await alice.page.title()).to.contain('Settings');
    // From then on they are there at once.
    await alice.go('/app/not-sent');
    await heading('Not sent').waitFor();
    await alice.go('/app/settings/devices');
    await heading('Settings').waitFor();
    expect(alice.complaints).to.deep.equal([]);
  });

  it('leave the focus where it was until a dialog is there, which gives it back', async () => {
    const release = await hold('PollDialog');
    await openConversation();
    const button = alice.page.getByRole('button', { name: 'New poll' });
    await button.focus();
    await alice.page.keyboard.press('Enter');
    await alice.page.getByRole('status').filter({ hasText: 'Loading…' }).waitFor();
    await isFocused('New poll');
    release();
    const dialog = alice.page.getByRole('dialog', { name: 'New poll' });
    await dialog.waitFor();
    await alice.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await isFocused('New poll');
  });

  it('say when they cannot be loaded, and are there once they can', async () => {
    const { page } = alice;
    await page.route('**/assets/Settings-*.js', (route) => route.fulfill({ status: 404 }));
    await openConversation();
    await alice.go('/app/settings/devices');
    await heading('This could not be loaded').waitFor();
    // Without a server there would be no page to reload.
    await page.evaluate('globalThis.before = true');
    const asked = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/app/settings/devices'));
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Try again' }).click();
    await asked;
    await heading('This could not be loaded').waitFor();
    expect(await page.evaluate('globalThis.before')).to.equal(true);
    await page.context().setOffline(false);
    await page.unroute('**/assets/Settings-*.js');
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading('Settings').waitFor();
  });

  it('say the same in a dialog, which can be closed', async () => {
    const { page } = alice;
    await page.route('**/assets/PollDialog-*.js', (route) => route.fulfill({ status: 404 }));
    await openConversation();
    await page.getByRole('button', { name: 'New poll' }).click();
    const dialog = page.getByRole('dialog', { name: 'This could not be loaded' });
    await dialog.getByRole('button', { name: 'Try again' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });
});
