// nodes: own

import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { codeOf, forgetCodes, password, proven } from '../accounts/factors.ts';
import { startCluster } from '../world/nodes.ts';
import { request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type Visitor, visitor, type WebWorld, webWorld } from '../world/visitor.ts';

/** A device that makes passkeys, and verifies its user by itself. */
async function withAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
  } as const;
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
  });
}

const signOut = async (page: Page) => {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL('**/app/login');
};

const signIn = async (page: Page, name: string) => {
  await page.getByLabel('E-mail or username').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
};

const keepCodes = async (page: Page): Promise<string[]> => {
  const dialog = page.getByRole('dialog', { name: 'Your recovery codes' });
  await dialog.getByRole('list', { name: 'Recovery codes' }).waitFor();
  const codes = await dialog.locator('code').allInnerTexts();
  await dialog.getByRole('button', { name: 'I have saved them' }).click();
  return codes;
};

/** Sets up an authenticator app. @returns its secret and the recovery codes */
const setUpApp = async (page: Page) => {
  await page.getByRole('button', { name: 'Set up an app' }).click();
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  const secret = await page.getByLabel('Secret').inputValue();
  await page.getByLabel('Code from the app').fill(codeOf(secret));
  await page.getByRole('button', { name: 'Turn it on' }).click();
  return { secret, codes: await keepCodes(page) };
};

describe('a second factor in the web client', () => {
  let here: WebWorld;

  before(async () => {
    here = await webWorld({ settings: {} });
  });
  after(() => here.close());

  /** Someone with a proven address, in front of a browser. */
  const someone = async (): Promise<Visitor & { id: string; username: string }> => {
    const { node } = here.alice;
    const person = await proven(here.cluster, node);
    return Object.assign(await here.visit(person), { id: person.id, username: person.username });
  };

  it('is an app, whose code completes a sign-in, or a recovery code', async () => {
    const seat = await someone();
    const { page, username, id } = seat;
    await seat.open('/app/settings/account');
    const { secret, codes } = await setUpApp(page);
    expect(codes).to.have.lengthOf(10);
    await page.getByText('10 of 10 are left.').waitFor();
    await signOut(page);
    await signIn(page, username);
    await page.getByText('One more step').waitFor();
    await page.getByLabel('Code from your authenticator app').fill(codeOf(secret, 9));
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'This code is wrong' }).waitFor();
    await forgetCodes(here.cluster, { id });
    await page.getByLabel('Code from your authenticator app').fill(codeOf(secret));
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.locator('.connection.live').waitFor({ state: 'attached' });
    await seat.go('/app/settings/account');
    await signOut(page);
    await signIn(page, username);
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code').fill(codes[0] ?? '');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.locator('.connection.live').waitFor({ state: 'attached' });
    await seat.go('/app/settings/account');
    await page.getByText('9 of 10 are left.').waitFor();
    await query(
      here.cluster.databaseUrl,
      `UPDATE sessions SET created_at = now() - interval '1 day' WHERE user_id = $1`,
      [id],
    );
    await page.getByRole('button', { name: 'Remove the app' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await forgetCodes(here.cluster, { id });
    await dialog.getByLabel('Code from your authenticator app').fill(codeOf(secret));
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('button', { name: 'Set up an app' }).waitFor();
    expect(seat.complaints).to.deep.equal([]);
    await seat.close();
  });

  it('is a passkey, which signs in without a name, and completes a sign-in', async () => {
    const seat = await someone();
    const { page, username, id } = seat;
    await seat.open('/app/settings/account');
    await withAuthenticator(page);
    await page.getByLabel('Name of the passkey').fill('This laptop');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await keepCodes(page);
    const row = page.locator('.people li', { hasText: 'This laptop' });
    await row.getByRole('button', { name: 'Rename' }).click();
    const renaming = page.getByRole('dialog', { name: 'Rename This laptop' });
    await renaming.getByLabel('Name').fill('My laptop');
    await renaming.getByRole('button', { name: 'Rename' }).click();
    await page.locator('.people li', { hasText: 'My laptop' }).waitFor();
    await signOut(page);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.locator('.connection.live').waitFor({ state: 'attached' });
    await seat.go('/app/settings/account');
    await page.getByText('last used').waitFor();
    await signOut(page);
    await signIn(page, username);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.locator('.connection.live').waitFor({ state: 'attached' });
    await seat.go('/app/settings/account');
    await query(
      here.cluster.databaseUrl,
      `UPDATE sessions SET created_at = now() - interval '1 day' WHERE user_id = $1`,
      [id],
    );
    await page.locator('.people li', { hasText: 'My laptop' }).getByRole('button', { name: 'Remove' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.getByRole('button', { name: 'Use a passkey' }).click();
    await page.locator('.people li', { hasText: 'My laptop' }).waitFor({ state: 'detached' });
    const login = await request(here.alice.node, 'POST', '/api/auth/login', { email: username, password });
    expect(login.status).to.equal(200);
    expect(seat.complaints).to.deep.equal([]);
    await seat.close();
  });

  it('that the operator requires is set up before anything else', async () => {
    const cluster = await startCluster({ nodes: 1, settings: { accounts: { secondFactor: { required: true } } } });
    const [node] = cluster.nodes;
    if (!node) throw new Error('no node');
    const person = await proven(cluster, node);
    const { page, complaints, close } = await visitor(node, person);
    await page.goto(`${node.url.replace('127.0.0.1', 'localhost')}/app/friends`);
    await page.getByText('This server asks everyone for a second factor.').waitFor();
    expect(await page.locator('.side').count()).to.equal(0);
    await setUpApp(page);
    await page.locator('.connection.live').waitFor({ state: 'attached' });
    await page.getByRole('heading', { level: 1, name: 'Friends' }).waitFor();
    expect(complaints).to.deep.equal([]);
    await close();
    await cluster.stop();
  });
});
