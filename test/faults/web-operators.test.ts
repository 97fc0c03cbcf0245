// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { scan, withAxe } from '../screens/axe.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { query } from '../world/sql.ts';
import { visitor } from '../world/visitor.ts';
import { type World, world } from '../world/world.ts';

/** Each section, with something that shows when it is there. */
const sections: [section: string, shows: string][] = [
  ['overview', 'People and bots'],
  ['reports', 'Nothing is waiting for a decision.'],
  ['people', 'Lift the suspension'],
  ['bans', 'Nobody is banned.'],
  ['servers', 'Owner:'],
  ['nodes', 'Messages per second'],
  ['storage', 'Contents of files'],
  ['jobs', 'It went wrong.'],
  ['trials', 'Send a mail'],
  ['settings', 'config/test.json'],
  ['log', 'suspended'],
];

describe('the operators’ page', () => {
  let cluster: Cluster;
  let here: World;

  before(async () => {
    cluster = await startCluster({ nodes: 2 });
    here = await world(cluster);
    await query(cluster.databaseUrl, 'UPDATE users SET is_operator = true WHERE id = $1', [here.alice.id]);
    await here.alice.put(`/api/operator/users/${here.carol.id}/suspension`, { reason: 'spam' });
    await query(
      cluster.databaseUrl,
      `INSERT INTO jobs (id, kind, data, attempts, error, died_at)
       SELECT gen_random_uuid(), 'strange', '{}', 4, 'It went wrong.', now() FROM generate_series(1, 2)`,
    );
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  const looks = {
    'on a wide screen in the light': { colorScheme: 'light' as const },
    'at 320 pixels in the dark': { colorScheme: 'dark' as const, viewport: { width: 320, height: 700 } },
  };
  for (const [look, options] of Object.entries(looks)) {
    it(`shows all its parts, and keeps nobody out, ${look}`, async () => {
      const alice = await visitor(here.alice.node, here.alice, {
        ...options,
        bypassCSP: true,
        reducedMotion: 'reduce',
      });
      await withAxe(alice.page);
      await alice.open('/app/admin');
      const found: string[] = [];
      for (const [section, shows] of sections) {
        await alice.go(`/app/admin/${section}`);
        await alice.page.locator('main').getByText(shows).locator('visible=true').first().waitFor();
        // The lines are there from the first measurement on.
        if (section === 'nodes') await alice.page.locator('.chart path[d^=M]').first().waitFor({ state: 'attached' });
        found.push(...(await scan(alice.page)).map((what) => `${section}: ${what}`));
        const [wide = 0, fits = 0]: number[] = await alice.page.evaluate(
          '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
        );
        if (wide > fits) found.push(`${section} is wider than the screen`);
      }
      expect(found).to.deep.equal([]);
      expect(alice.complaints).to.deep.equal([]);
      await alice.close();
    });
  }

  it('does what operators do by the keyboard alone', async () => {
    const { bob } = here;
    const alice = await visitor(here.alice.node, here.alice);
    const { page } = alice;
    await alice.open('/app/admin/people');
    await page.getByLabel('Name or e-mail').focus();
    await page.keyboard.type(bob.username);
    await page.keyboard.press('Enter');
    const rows = page.locator('.people > li');
    await until(async () => (await rows.count()) === 1);
    await rows.getByRole('button', { name: 'Account' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Tier').waitFor();
    await dialog.getByRole('button', { name: 'Sign out everywhere' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Sessions and tokens that have ended: 1').waitFor();
    expect((await bob.get('/api/auth/me')).status).to.equal(401);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    await alice.go('/app/admin/jobs');
    const first = page.getByRole('button', { name: 'Run again', exact: true }).first();
    await first.focus();
    await page.keyboard.press('Enter');
    await until(async () => (await page.getByRole('button', { name: 'Run again', exact: true }).count()) === 1);

    await alice.go('/app/admin/trials');
    await page.getByRole('button', { name: 'Send a mail' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('SMTP_URL is not set').waitFor();

    await alice.go('/app/admin/settings');
    await page.locator('main').getByLabel('Search').focus();
    await page.keyboard.type('jwt_secret');
    await until(async () => (await page.locator('.settings-in-force > li').count()) === 1);
    expect(await page.locator('.settings-in-force').innerText()).not.to.contain('a secret for tests only');

    await alice.go('/app/admin/log');
    await page.getByText('signed', { exact: false }).first().waitFor();
    expect(await page.locator('.log > li').first().innerText()).to.match(/ran dead jobs again/);
    await alice.close();
  });
});
