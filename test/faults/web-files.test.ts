// nodes: own

import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import JSZip from 'jszip';
import type { Route } from 'playwright-core';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('files and apps in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;
  let bob: Visitor;

  before(async () => {
    here = await webWorld();
    [alice, bob] = [await here.visit(here.alice), await here.visit(here.bob)];
  });
  after(() => here.close());

  const names = (one: Visitor) => one.page.locator('.files-list .name').allInnerTexts();
  const shows = (one: Visitor, ...wanted: string[]) => until(async () => (await names(one)).join() === wanted.join());

  async function act(of: string, action: string): Promise<void> {
    await alice.page.getByRole('button', { name: `Actions for ${of}` }).click();
    await alice.page.getByRole('menuitem', { name: action }).click();
  }

  it('come by upload and by drag and drop, folders and all, seen at once by others', async () => {
    const { page } = alice;
    await bob.open(`/app/s/${here.server.id}/files`);
    await alice.open(`/app/s/${here.server.id}/files`);
    const upload = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('first') };
    await page.locator('input[type=file]').setInputFiles(upload);
    await shows(bob, 'a.txt');
    await page.evaluate(`{
      const transfer = new DataTransfer();
      transfer.items.add(new File(['dropped'], 'b.txt', { type: 'text/plain' }));
      document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true }));
    }`);
    await shows(bob, 'a.txt', 'b.txt');
    await page.getByRole('button', { name: 'New', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Folder' }).click();
    await page.getByLabel('Name', { exact: true }).fill('site');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await shows(bob, 'site', 'a.txt', 'b.txt');
  });

  it('wait for their turn where there are more than may be sent in a minute', async () => {
    const { page } = alice;
    let refusals = 0;
    const json = { ok: false, error: 'Too fast.', code: 'RATE_LIMITED', retryAfter: 1 };
    const refuse = async (route: Route) => {
      refusals++;
      await route.fulfill({ status: 429, json });
    };
    await page.route('**/workspace/upload', refuse, { times: 1 });
    const upload = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('text') });
    await page.locator('input[type=file]').setInputFiles([upload('late.txt'), upload('later.txt')]);
    await shows(bob, 'site', 'a.txt', 'b.txt', 'late.txt', 'later.txt');
    expect(refusals).to.equal(1);
    for (const name of ['late.txt', 'later.txt']) {
      await act(name, 'Delete');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    }
    await shows(bob, 'site', 'a.txt', 'b.txt');
  });

  it('are renamed, changed, copied, moved and deleted', async () => {
    const { page } = alice;
    await act('a.txt', 'Rename');
    await page.getByLabel('Name', { exact: true }).fill('index.html');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('button', { name: 'index.html', exact: true }).click();
    await page.getByLabel('Content of index.html').fill('<h1>made here</h1>');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('index.html is saved.').waitFor();
    await page.keyboard.press('Escape');
    await act('index.html', 'Cut');
    await page.getByRole('link', { name: 'site' }).click();
    await page.getByRole('button', { name: 'Paste “index.html”' }).click();
    await shows(alice, 'index.html');
    await act('index.html', 'Copy');
    await page.getByRole('button', { name: 'Paste “index.html”' }).click();
    await shows(alice, 'index (1).html', 'index.html');
    await page.getByRole('checkbox', { name: 'Choose index (1).html' }).check();
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await shows(alice, 'index.html');
  });

  it('keep what was typed into them and not saved, until it is saved or discarded', async () => {
    const { page } = alice;
    const open = () => page.getByRole('button', { name: 'index.html', exact: true }).click();
    const text = page.getByLabel('Content of index.html');
    await open();
    const before = await text.inputValue();
    await text.fill('half a page');
    await page.keyboard.press('Escape');
    await page.reload();
    await open();
    expect(await text.inputValue()).to.equal('half a page');
    await page.getByRole('button', { name: 'Discard the changes' }).click();
    await open();
    expect(await text.inputValue()).to.equal(before);
    await text.fill(`${before}\n`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Discard the changes' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
  });

  it('do not write over what somebody else has saved meanwhile', async () => {
    const { page } = alice;
    const base = `/api/servers/${here.server.id}/workspace`;
    await page.getByRole('button', { name: 'index.html', exact: true }).click();
    const text = page.getByLabel('Content of index.html');
    await text.fill('mine');
    const [file] = (await here.bob.get(`${base}/files/search?query=index.html`)).body;
    await here.bob.patch(`${base}/files/${file.id}`, { content: '<h1>made by Bob</h1>' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('Someone else has saved this file').waitFor();
    expect(await text.inputValue()).to.equal('mine');
    await page.getByRole('button', { name: 'Discard the changes' }).click();
  });

  it('leave as a ZIP', async () => {
    await alice.open(`/app/s/${here.server.id}/files`);
    const coming = alice.page.waitForEvent('download');
    await act('site', 'Download as ZIP');
    const download = await coming;
    expect(download.suggestedFilename()).to.equal('site.zip');
    const zip = await JSZip.loadAsync(await readFile(await download.path()));
    expect(await zip.file('index.html')?.async('string')).to.equal('<h1>made by Bob</h1>');
  });

  it('come as a ZIP, too, which is unpacked into a folder', async () => {
    const { page } = alice;
    const zip = new JSZip();
    zip.file('notes/one.txt', 'first '.repeat(1000));
    zip.file('two.txt', 'second');
    zip.file('../three.txt', 'outside');
    const buffer = await zip.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE' });
    const archive = { name: 'old.zip', mimeType: 'application/zip', buffer };
    await page.locator('input[type=file]').setInputFiles(archive);
    await act('old.zip', 'Unpack');
    await page.getByRole('dialog').getByRole('button', { name: 'Unpack' }).click();
    await page.getByRole('link', { name: 'old', exact: true }).click();
    await shows(alice, 'notes', 'two.txt');
    await page.getByRole('link', { name: 'notes' }).click();
    await shows(alice, 'one.txt');
    await page.getByRole('button', { name: 'one.txt', exact: true }).click();
    expect(await page.getByLabel('Content of one.txt').inputValue()).to.equal('first '.repeat(1000));
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Workspace' }).click();
  });

  it('are in order, also where they are numbered', async () => {
    const base = `/api/servers/${here.server.id}/workspace`;
    const folder = (await here.alice.post(`${base}/folders`, { name: 'pages', parentId: null })).body;
    for (const name of ['page 10', 'page 9', 'Page 1'])
      await here.alice.post(`${base}/files`, { name, content: '', parentId: folder.id });
    await bob.open(`/app/s/${here.server.id}/files/${folder.id}`);
    await shows(bob, 'Page 1', 'page 9', 'page 10');
  });

  it('become apps, which run in a frame without the powers of the page', async () => {
    const { page } = alice;
    await act('site', 'Publish as an app');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.frameLocator('iframe').getByRole('heading', { name: 'made by Bob' }).waitFor();
    await page.getByRole('link', { name: 'All apps' }).click();
    await page.getByRole('button', { name: 'New app' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Thief');
    const script = `<p id="got"></p><script>
      try { got.textContent = 'got ' + parent.localStorage.length; } catch (error) { got.textContent = error.name; }
    </script>`;
    const html = page.getByRole('textbox', { name: 'HTML' });
    await html.fill(script);
    // Escape, too, throws nothing away.
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New app' }).click();
    expect(await html.inputValue()).to.equal(script);
    await page.getByLabel('Name', { exact: true }).fill('Thief');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const got = page.frameLocator('iframe').locator('#got:not(:empty)');
    expect(await got.innerText()).to.equal('SecurityError');
    await page.getByRole('link', { name: 'All apps' }).click();
    await page.getByRole('button', { name: 'Actions for Thief' }).click();
    await page.getByRole('menuitem', { name: 'Archive' }).click();
    await page.getByText('Archived').waitFor();
    await page.getByRole('button', { name: 'New app' }).click();
    expect(await html.inputValue()).to.equal('');
    await page.keyboard.press('Escape');
    await bob.open(`/app/s/${here.server.id}/apps`);
    await bob.page.getByText('site').first().waitFor();
    expect(await bob.page.getByText('Thief').count()).to.equal(0);
    expect([...alice.complaints, ...bob.complaints]).to.deep.equal([]);
  });
});
