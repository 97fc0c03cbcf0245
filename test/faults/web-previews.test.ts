// nodes: own

import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { until } from '../rig/until.ts';
import type { Loose } from '../world/person.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

/** A document of one empty page. */
const pdf = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>`;
/** A green point. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Half a second of silence. */
function wav(): Buffer {
  const data = Buffer.alloc(4000, 128);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  for (const [value, at] of [
    [16, 16],
    [8000, 24],
    [8000, 28],
  ] as const)
    head.writeUInt32LE(value, at);
  for (const [value, at] of [
    [1, 20],
    [1, 22],
    [1, 32],
    [8, 34],
  ] as const)
    head.writeUInt16LE(value, at);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

describe('what files contain, in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;
  let base: string;
  let folder: string;

  before(async () => {
    here = await webWorld();
    alice = await here.visit(here.alice);
    base = `/api/servers/${here.server.id}/workspace`;
    folder = mkdtempSync(path.join(tmpdir(), 'parley-dropped-'));
    mkdirSync(path.join(folder, 'site/pages'), { recursive: true });
    writeFileSync(path.join(folder, 'site/index.html'), '<h1>dropped</h1>');
    writeFileSync(path.join(folder, 'site/pages/one.txt'), 'one');
  });
  after(async () => {
    await here.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const paths = async (): Promise<string[]> => {
    const all = (await here.bob.get(`${base}/search?query=.`)).body;
    return all.map((node: Loose) => node.path).sort();
  };

  async function upload(name: string, bytes: Uint8Array | string): Promise<Loose> {
    const form = new FormData();
    form.append('file', new File([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)], name));
    const headers = { authorization: `Bearer ${here.bob.token}` };
    const answer = await fetch(`${here.bob.node.url}${base}/upload`, { method: 'POST', body: form, headers });
    return answer.json();
  }

  const dialog = () => alice.page.getByRole('dialog');
  const show = (name: string) => alice.page.getByRole('button', { name, exact: true }).click();
  async function act(of: string, action: string): Promise<void> {
    await alice.page.getByRole('button', { name: `Actions for ${of}`, exact: true }).click();
    await alice.page.getByRole('menuitem', { name: action }).click();
  }

  it('comes with its folders when a folder is dropped, and when one is chosen', async () => {
    const { page } = alice;
    await alice.open(`/app/s/${here.server.id}/files`);
    const drop = page.locator('.drop');
    await drop.getByText('This folder is empty', { exact: true }).waitFor();
    const box = await drop.boundingBox();
    const control = await page.context().newCDPSession(page);
    const data = { items: [], files: [path.join(folder, 'site')], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await control.send('Input.dispatchDragEvent', { type, x: (box?.x ?? 0) + 200, y: (box?.y ?? 0) + 200, data });
    }
    const dropped = ['/site/index.html', '/site/pages/one.txt'];
    await until(async () => (await paths()).join() === dropped.join());
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Upload a folder' }).click();
    await (await chooser).setFiles(path.join(folder, 'site'));
    const chosen = ['/site (1)/index.html', '/site (1)/pages/one.txt'];
    await until(async () => (await paths()).join() === [...chosen, ...dropped].join());
    await page.getByRole('link', { name: 'site (1)' }).waitFor();
  });

  it('is shown as what it is: Markdown, pictures, documents, sound and video', async () => {
    const { page } = alice;
    await upload('a notes.md', '# Plans\n\n- **first**\n- second');
    await upload('b point.png', png);
    await upload('c paper.pdf', pdf);
    await upload('d silence.wav', wav());
    await upload('e bytes.bin', randomBytes(50));
    // One goes on to the next file in the list as it is then.
    await page.getByRole('button', { name: 'e bytes.bin', exact: true }).waitFor();
    await show('a notes.md');
    await dialog().getByRole('heading', { name: 'Plans' }).waitFor();
    expect(await dialog().locator('strong').innerText()).to.equal('first');
    await dialog().getByRole('button', { name: 'Next file' }).click();
    const picture = dialog().getByRole('img', { name: 'b point.png' });
    await until(() => picture.evaluate((img) => 'naturalWidth' in img && img.naturalWidth === 1));
    await page.keyboard.press('ArrowRight');
    await dialog().getByRole('heading', { name: 'c paper.pdf' }).waitFor();
    const hasViewer = await page.evaluate<boolean>('navigator.pdfViewerEnabled');
    if (hasViewer) await dialog().locator('iframe.document').waitFor();
    else await dialog().getByRole('button', { name: 'Open in a new tab' }).waitFor();
    await dialog().getByRole('button', { name: 'Next file' }).click();
    const sound = dialog().locator('audio');
    await until(() => sound.evaluate((player) => 'duration' in player && Number(player.duration) > 0.4));
    expect(await dialog().getByRole('button', { name: 'Next file' }).isDisabled()).to.equal(true);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  it('is saved by Ctrl+S, and can be read as it will be shown', async () => {
    const { page } = alice;
    await act('a notes.md', 'Edit');
    const text = page.getByLabel('Content of a notes.md');
    await text.fill('# Other plans');
    await page.getByRole('button', { name: 'Preview' }).click();
    await dialog().getByRole('heading', { name: 'Other plans' }).waitFor();
    await page.getByRole('button', { name: 'Go on writing' }).click();
    await text.press('Control+s');
    await page.getByText('a notes.md is saved.').waitFor();
    await page.getByText('Everything is saved.').waitFor();
    await page.keyboard.press('Escape');
  });

  it('is there as it was before, to look at, to restore and to delete', async () => {
    const { page } = alice;
    await act('a notes.md', 'Earlier versions');
    const rows = dialog().locator('.file-versions > li');
    await until(async () => (await rows.count()) === 2);
    await rows.first().getByText('Current version').waitFor();
    await rows.nth(1).locator('.name').click();
    await dialog().getByRole('heading', { name: 'Plans', exact: true }).waitFor();
    await dialog().getByRole('button', { name: 'Restore' }).click();
    await until(async () => (await rows.count()) === 3);
    await rows
      .nth(2)
      .getByRole('button', { name: /^Actions for the version/ })
      .click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete this version?' }).getByRole('button', { name: 'Delete' }).click();
    await until(async () => (await rows.count()) === 2);
    await page.keyboard.press('Escape');
    await show('a notes.md');
    await dialog().getByRole('heading', { name: 'Plans', exact: true }).waitFor();
    await page.keyboard.press('Escape');
  });

  it('is replaced by what comes under its name, if that is wanted, and kept as a version', async () => {
    const { page } = alice;
    const again = { name: 'e bytes.bin', mimeType: 'application/octet-stream', buffer: Buffer.from('newer bytes') };
    await page.locator('input[type=file]').setInputFiles(again);
    await dialog().getByRole('button', { name: 'Replace' }).click();
    await page.getByText('11 B').waitFor();
    await page.locator('input[type=file]').setInputFiles(again);
    await dialog().getByRole('button', { name: 'Keep both' }).click();
    await page.getByRole('button', { name: 'e bytes (1).bin', exact: true }).waitFor();
  });

  it('is written over only by those who know that somebody else has saved it', async () => {
    const { page } = alice;
    await act('a notes.md', 'Edit');
    const text = page.getByLabel('Content of a notes.md');
    await text.fill('mine');
    const [{ id }] = (await here.bob.get(`${base}/search?query=notes`)).body;
    await here.bob.patch(`${base}/files/${id}`, { content: 'his' });
    await text.press('Control+s');
    await page.getByRole('alert').getByText('Someone else has saved this file').waitFor();
    await page.getByRole('button', { name: 'Save over it' }).click();
    await page.getByText('Everything is saved.').waitFor();
    await page.keyboard.press('Escape');
    const versions = (await here.bob.get(`${base}/files/${id}/versions`)).body;
    expect((await here.bob.get(`${base}/files/${id}?version=${versions[1].version}`)).body.content).to.equal('his');
  });

  it('is found by what it says, in all folders, with a way to it', async () => {
    const { page } = alice;
    const { id } = (await here.bob.post(`${base}/folders`, { name: 'deep' })).body;
    await here.bob.post(`${base}/files`, { name: 'hidden.txt', content: 'the needle in the hay', parentId: id });
    const field = page.getByRole('searchbox', { name: 'Search all files' });
    await field.fill('needle');
    const found = page.locator('.found-files > li');
    await found.getByText('hidden.txt').waitFor();
    expect(await found.locator('mark').innerText()).to.equal('needle');
    await found.getByRole('link', { name: 'deep' }).waitFor();
    await field.fill('nowhere at all');
    await page.getByText('Nothing was found for “nowhere at all”.').waitFor();
    await field.press('Escape');
    await page.getByRole('link', { name: 'deep', exact: true }).waitFor();
  });

  it('is moved by dragging, onto a folder and onto one above', async () => {
    const { page } = alice;
    await page.getByRole('button', { name: 'e bytes.bin', exact: true }).waitFor();
    const row = (name: string) => page.locator('.files-list > li', { hasText: name });
    await page.getByRole('checkbox', { name: 'Choose e bytes.bin' }).check();
    await page.getByRole('checkbox', { name: 'Choose e bytes (1).bin' }).check();
    await row('e bytes (1).bin').dragTo(row('deep'));
    await page.getByRole('button', { name: 'e bytes.bin', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'deep', exact: true }).click();
    await page.getByRole('button', { name: 'e bytes (1).bin', exact: true }).waitFor();
    await row('hidden.txt').dragTo(page.locator('.crumbs a').first());
    await page.getByRole('button', { name: 'hidden.txt', exact: true }).waitFor({ state: 'detached' });
    expect(await paths()).to.include.members(['/hidden.txt', '/deep/e bytes.bin', '/deep/e bytes (1).bin']);
  });

  it('can be dragged out of the page by a link of its own', async () => {
    const { page } = alice;
    await alice.go(`/app/s/${here.server.id}/files`);
    const row = page.locator('.files-list > li', { hasText: 'hidden.txt' });
    await row.waitFor();
    await row.dispatchEvent('pointerdown', { button: 0, pointerType: 'mouse' });
    const data = () =>
      page.evaluate<string>(`(() => {
        const dataTransfer = new DataTransfer();
        const rows = [...document.querySelectorAll('.files-list > li')];
        const row = rows.find((one) => one.textContent.includes('hidden.txt'));
        row.dispatchEvent(new DragEvent('dragstart', { dataTransfer, bubbles: true }));
        return dataTransfer.getData('DownloadURL');
      })()`);
    await until(async () => (await data()) !== '');
    const [, mime, name, url = ''] = /^([^:]+):([^:]+):(.*)$/.exec(await data()) ?? [];
    expect([mime, name]).to.deep.equal(['text/plain', 'hidden.txt']);
    expect(await (await fetch(url)).text()).to.equal('the needle in the hay');
  });

  it('fits a small screen, and does nothing that the browser complains of', async () => {
    const { page } = alice;
    await page.setViewportSize({ width: 320, height: 640 });
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    const cut = `[...document.querySelectorAll('dialog[open], dialog[open] footer, .page .body')]
      .filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.className)`;
    await alice.open(`/app/s/${here.server.id}/files`);
    for (const [name, action] of [
      ['a notes.md', 'Show'],
      ['a notes.md', 'Edit'],
      ['a notes.md', 'Earlier versions'],
    ] as const) {
      await act(name, action);
      await dialog().waitFor();
      expect(await page.evaluate<number>(overflow), action).to.equal(0);
      expect(await page.evaluate<string[]>(cut), action).to.deep.equal([]);
      await page.keyboard.press('Escape');
    }
    expect(alice.complaints).to.deep.equal([]);
  });
});
