// nodes: own

import { expect } from 'chai';
import { asking, back, clientOf, exchange, pkce, registered, sendForm } from '../oauth-apps/dance.ts';
import { until } from '../rig/until.ts';
import { type Person, request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type WebWorld, webWorld } from '../world/visitor.ts';

describe('the page on which people allow apps', () => {
  let here: WebWorld;
  /** The address of the page, as an app sends someone there. */
  const pageFor = (asked: Record<string, string>) => `/app/authorize?${new URLSearchParams(asked)}`;
  const base = ({ node }: Person) => node.url.replace('127.0.0.1', 'localhost');

  before(async () => {
    here = await webWorld();
  });
  after(() => here.close());

  it('survives signing in, says who asks for what, and goes back with a code that is good', async () => {
    const { alice, bob } = here;
    const app = await registered(alice, { name: 'A calendar' });
    const { verifier, challenge } = pkce();
    const stranger = await here.visit(null);
    const { page } = stranger;
    await page.route(`${back}**`, (route) => route.fulfill({ contentType: 'text/html', body: 'back again' }));
    await stranger.open(pageFor(asking(app, challenge, { scope: 'openid messages:read' })));
    await page.getByLabel(/E-mail/).fill(bob.username);
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'A calendar wants to act for you' }).waitFor();
    await page.getByText(`@${bob.username}`).waitFor();
    await page.getByText('Learn who you are').waitFor();
    await page.getByText('tool.example.test').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByText('back again').waitFor();
    const code = new URL(page.url()).searchParams.get('code') ?? '';
    const { status } = await exchange(alice.node, app, { code, code_verifier: verifier });
    expect(status).to.equal(200);
    expect(stranger.complaints).to.deep.equal([]);
  });

  it('says so to the app where someone does not allow it, and to the person where the app is not what it says', async () => {
    const { alice, bob } = here;
    const app = await registered(alice);
    const visit = await here.visit(bob);
    const { page } = visit;
    await page.route(`${back}**`, (route) => route.fulfill({ contentType: 'text/html', body: 'back again' }));
    await page.goto(base(bob) + pageFor(asking(app, pkce().challenge)));
    await page.getByRole('button', { name: 'Do not allow' }).click();
    await page.getByText('back again').waitFor();
    expect(new URL(page.url()).searchParams.get('error')).to.equal('access_denied');
    await page.goto(base(bob) + pageFor(asking(app, pkce().challenge, { redirect_uri: `${back}/elsewhere` })));
    await page
      .getByRole('alert')
      .getByText(/not one that this app has registered/)
      .waitFor();
    expect(page.url()).to.contain('/app/authorize');
    expect(visit.complaints).to.deep.equal([]);
  });

  it('sends nobody on by a mere link: the person sees what is wrong, and decides whether to go back', async () => {
    const { alice, bob } = here;
    const registration = { client_name: 'From elsewhere', redirect_uris: [back] };
    const { client_id: clientId } = (await request(alice.node, 'POST', '/oauth/register', registration)).body;
    for (const person of [bob, null]) {
      const visit = await here.visit(person);
      const { page } = visit;
      await page.route(`${back}**`, (route) => route.fulfill({ contentType: 'text/html', body: 'back again' }));
      await page.goto(base(bob) + pageFor(asking({ clientId }, pkce().challenge, { prompt: 'none' })));
      await page.getByRole('heading', { name: 'From elsewhere asked for something that does not work here' }).waitFor();
      expect(page.url()).to.contain('/app/authorize');
      await page.getByRole('button', { name: 'Back to tool.example.test' }).click();
      await page.getByText('back again').waitFor();
      const error = person ? 'interaction_required' : 'login_required';
      expect(new URL(page.url()).searchParams.get('error')).to.equal(error);
      expect(visit.complaints).to.deep.equal([]);
    }
    const visit = await here.visit(bob);
    await visit.page.route(`${back}**`, (route) => route.fulfill({ contentType: 'text/html', body: 'back again' }));
    const trusted = await registered(alice);
    await visit.page.goto(base(bob) + pageFor(asking(trusted, pkce().challenge, { scope: 'everything' })));
    await visit.page.getByText('back again').waitFor();
    expect(new URL(visit.page.url()).searchParams.get('error')).to.equal('invalid_scope');
  });

  it('asks someone who signed in long ago to confirm that it is them, where the app wants that', async () => {
    const { alice, bob } = here;
    const app = await registered(alice, { name: 'A bank' });
    await query(
      here.cluster.databaseUrl,
      "UPDATE sessions SET created_at = now() - interval '1 hour' WHERE user_id = $1",
      [bob.id],
    );
    const visit = await here.visit(bob);
    const { page } = visit;
    await page.route(`${back}**`, (route) => route.fulfill({ contentType: 'text/html', body: 'back again' }));
    await page.goto(base(bob) + pageFor(asking(app, pkce().challenge, { scope: 'openid', prompt: 'login' })));
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.getByLabel('Password').fill('correct horse');
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('back again').waitFor();
    expect(new URL(page.url()).searchParams.get('code')).to.be.a('string');
    expect(visit.complaints).to.deep.equal([]);
  });

  it('lets a device go on whose code is entered, and lists it until it is taken back', async () => {
    const { alice, carol } = here;
    const app = await registered(alice, { name: 'A television' });
    const device = (await sendForm(alice.node, '/oauth/device', { ...clientOf(app), scope: 'user:read' })).body;
    const visit = await here.visit(carol);
    const { page } = visit;
    await page.goto(`${base(carol)}/app/device`);
    await page.getByLabel('Code').fill(device.user_code);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'A television wants to act for you' }).waitFor();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByText('The device is allowed.').waitFor();
    const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: device.device_code };
    const tokens = await sendForm(alice.node, '/oauth/token', { ...grant, ...clientOf(app) });
    expect(tokens.status).to.equal(200);
    await visit.open('/app/settings/tokens');
    await page.getByText('A television').waitFor();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await until(async () => (await carol.get('/api/oauth/allowed')).body.length === 0);
    expect(visit.complaints).to.deep.equal([]);
  });
});
