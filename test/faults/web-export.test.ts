// nodes: own

import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import JSZip from 'jszip';
import { dataFolder } from '../accounts/mailbox.ts';
import { query } from '../world/sql.ts';
import { type WebWorld, webWorld } from '../world/visitor.ts';

const folder = dataFolder();

describe('the export of an account in the web client', () => {
  let here: WebWorld;
  before(async () => {
    here = await webWorld({ settings: { dataDir: folder.dataDir } });
  });
  after(() => here.close());

  it('is begun in the settings, after a proof, and saved once it is ready', async () => {
    await here.alice.say(here.channel.id, 'a message of mine');
    const alice = await here.visit(here.alice);
    const { page } = alice;
    await alice.open('/app/settings/account');
    const old = `UPDATE sessions SET created_at = now() - interval '1 day' WHERE user_id = $1`;
    await query(here.cluster.databaseUrl, old, [here.alice.id]);
    await page.getByRole('button', { name: 'Start an export' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.getByLabel('Password').fill('correct horse');
    await dialog.getByRole('button', { name: 'Confirm', exact: true }).click();
    const button = page.getByRole('button', { name: 'Download' });
    await button.waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    expect(download.suggestedFilename()).to.match(/^account-[\d-]{10}\.zip$/);
    const zip = await JSZip.loadAsync(readFileSync(await download.path()));
    expect(await zip.file(`pages/messages-${here.channel.id}.html`)?.async('string')).to.contain('a message of mine');
    expect(alice.complaints).to.deep.equal([]);
    await alice.close();
  });
});
