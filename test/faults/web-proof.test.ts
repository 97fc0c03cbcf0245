// nodes: own

import { expect } from 'chai';
import { codeIn, dataFolder, verificationIn, verificationTo } from '../accounts/mailbox.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Person } from '../world/person.ts';
import { visitor } from '../world/visitor.ts';
import { register } from '../world/world.ts';

const folder = dataFolder();

describe('an address that is to be proven, in the browser,', () => {
  let cluster: Cluster;
  let person: Person;
  let email: string;

  before(async () => {
    cluster = await startCluster({ nodes: 1, settings: { dataDir: folder.dataDir } });
  });
  after(() => cluster.stop());
  beforeEach(async () => {
    const [node] = cluster.nodes;
    if (!node) throw new Error('no node');
    person = await register(node);
    email = `${person.username}@example.com`;
  });

  const isProven = async () => (await person.get('/api/auth/me')).body.emailVerifiedAt !== null;
  const pathOf = async (count = 1) =>
    `/app/verify-email?token=${verificationIn(await verificationTo(folder, email, count))}`;

  it('is quietly asked for, mailed again, and proven by its code', async () => {
    const browser = await visitor(person.node, person);
    await browser.open('/app/friends');
    await browser.page.getByRole('button', { name: 'Send again' }).click();
    const code = codeIn(await verificationTo(folder, email, 2));
    await browser.page.getByRole('link', { name: 'Confirm your e-mail' }).click();
    await browser.page.getByLabel('Code').fill(code);
    await browser.page.getByRole('button', { name: 'Confirm' }).click();
    await browser.page.getByText('Your e-mail address is confirmed.').waitFor();
    expect(await isProven()).to.equal(true);
    await until(async () => (await browser.page.locator('.unproven').count()) === 0);
    expect(browser.complaints).to.deep.equal([]);
    await browser.close();
  });

  it('lets people in who register with one that has an account, and says so there alone', async () => {
    const browser = await visitor(person.node, null);
    const { page } = browser;
    await browser.open('/app/register');
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password', { exact: true }).fill('of the stranger');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('link', { name: 'Confirm your e-mail' }).waitFor();
    const told = async () => (await folder.mails()).some(({ subject }) => subject === 'You have an account already');
    await until(told);
    // The device is known from now on.
    expect(await page.evaluate(() => localStorage.getItem('parley:device'))).to.be.a('string');
    expect(await isProven()).to.equal(false);
    expect(browser.complaints).to.deep.equal([]);
    await browser.close();
  });

  it('is not asked for again once that was dismissed', async () => {
    const browser = await visitor(person.node, person);
    await browser.open('/app/friends');
    await browser.page.getByRole('button', { name: 'Not now' }).click();
    await browser.open('/app/friends');
    expect(await browser.page.locator('.unproven').count()).to.equal(0);
    await browser.close();
  });

  it('is proven by a click behind the link, and by nothing before', async () => {
    const browser = await visitor(person.node, person);
    await browser.open('/app/friends');
    await browser.page.goto(`${new URL(browser.page.url()).origin}${await pathOf()}`);
    const confirm = browser.page.getByRole('button', { name: 'Confirm' });
    await confirm.waitFor();
    await until(() => new URL(browser.page.url()).search === '', { message: 'the secret stays in the address' });
    expect(await isProven()).to.equal(false);
    await confirm.click();
    await browser.page.getByText('Your e-mail address is confirmed.').waitFor();
    expect(await isProven()).to.equal(true);
    await browser.close();
  });

  it('where nobody is signed in keeps the account by its password, and takes it over without', async () => {
    const browser = await visitor(person.node, null);
    await browser.open(await pathOf());
    await browser.page.getByLabel('Password').fill('correct horse');
    await browser.page.getByRole('button', { name: 'Confirm' }).click();
    await browser.page.getByText('Your e-mail address is confirmed.').waitFor();
    expect(await isProven()).to.equal(true);
    const other = await register(person.node);
    [person, email] = [other, `${other.username}@example.com`];
    await browser.open(await pathOf());
    await browser.page.getByRole('button', { name: 'Take over the account' }).click();
    await browser.page.getByText('The account is yours alone now').waitFor();
    expect((await other.get('/api/auth/me')).body.code).to.equal('SESSION_REVOKED');
    await browser.close();
  });
});
