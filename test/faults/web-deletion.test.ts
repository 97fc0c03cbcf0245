// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type WebWorld, webWorld } from '../world/visitor.ts';

describe('handing over and leaving in the web client', () => {
  let here: WebWorld;

  before(async () => {
    here = await webWorld();
  });
  after(() => here.close());

  it('offers a server to a member, who accepts it', async () => {
    const { alice, bob, server } = here;
    const [owner, taker] = [await here.visit(alice), await here.visit(bob)];
    await owner.open(`/app/s/${server.id}/manage/overview`);
    await owner.page.getByLabel('New owner').selectOption({ value: bob.id });
    await owner.page.getByRole('button', { name: 'Offer', exact: true }).click();
    await owner.page.getByRole('button', { name: 'Withdraw' }).click();
    await owner.page.getByLabel('New owner').selectOption({ value: bob.id });
    await owner.page.getByRole('button', { name: 'Offer', exact: true }).click();
    await owner.page.getByRole('button', { name: 'Withdraw' }).waitFor();
    await taker.open('/app/friends');
    await taker.page.getByRole('button', { name: 'Accept Home' }).click();
    // First: it is shown for some seconds only.
    await owner.page.getByText(/has accepted Home/).waitFor();
    await until(async () => (await bob.get(`/api/servers/${server.id}`)).body.role === 'owner');
    await taker.page.getByRole('button', { name: 'Accept Home' }).waitFor({ state: 'detached' });
    expect([...owner.complaints, ...taker.complaints]).to.deep.equal([]);
  });

  it('deletes an account, says until when it can be kept, and brings it back', async () => {
    const { carol } = here;
    await carol.post('/api/servers', { name: 'Of carol' });
    const leaver = await here.visit(carol);
    const { page } = leaver;
    await leaver.open('/app/settings/account');
    await page.getByRole('button', { name: 'Delete the account' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
    await dialog.getByText('will be deleted').waitFor();
    await dialog.getByLabel('Your messages').selectOption('erase');
    await dialog.getByLabel(/^Type/).fill('someone else');
    await dialog.getByRole('button', { name: 'Delete the account' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel(/^Type/).fill(carol.username);
    await dialog.getByRole('button', { name: 'Delete the account' }).click();
    await page.getByText(/Your account will be deleted on .* Sign in before to keep it\./).waitFor();
    expect((await carol.get('/api/auth/me')).status).to.equal(401);
    expect(await page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('parley:'))")).to.deep.equal(
      [],
    );
    await page.getByLabel(/E-mail/).fill(carol.username);
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Your account stays.').waitFor();
    await page.getByText('Of carol').first().waitFor();
    expect(leaver.complaints).to.deep.equal([]);
  });
});
