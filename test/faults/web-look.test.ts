// nodes: own

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import { halves } from '../pictures/samples.ts';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A colour of the page as the screen has it, and how it stands out from another (WCAG 2). */
const colours = `
  window.shown = (color) => {
    const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  window.contrast = (one, other) => {
    const bright = (color) => {
      const [red, green, blue] = shown(color).map((value) => {
        const part = value / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const [dark, light] = [bright(one), bright(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };`;

describe('the looks of the web client', () => {
  let here: WebWorld;
  let alice: Visitor;

  before(async () => {
    here = await webWorld();
    alice = await here.visit(here.alice, { bypassCSP: true, reducedMotion: 'reduce' });
    await alice.page.addInitScript(axe);
    await alice.page.addInitScript(colours);
  });
  after(() => here.close());

  const conversation = () => `/app/s/${here.server.id}/${here.channel.id}`;
  const computed = (selector: string, property: string): Promise<string> =>
    alice.page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`);
  const theme = () => alice.page.evaluate<string | undefined>('document.documentElement.dataset.theme');

  it('has several pictures of a message in a mosaic of four, with the number of the others, by keys too', async () => {
    const { page } = alice;
    await alice.open(conversation());
    await page.locator('.beginning').waitFor();
    const bytes = await (await halves(300, 200)).png().toBuffer();
    const upload = (at: number) => here.bob.upload(`picture ${at}.png`, Uint8Array.from([...bytes, at]));
    for (const count of [2, 3, 4, 6]) {
      const files = await Promise.all(Array.from({ length: count }, (_, at) => upload(at)));
      const note = await here.bob.upload('note.txt', Uint8Array.from(Buffer.from('plain')));
      const attachments = [...files, note].map(({ id }) => ({ id }));
      await here.bob.say(here.channel.id, `${count} pictures`, { attachments });
      const message = page.locator('article[data-id]', { hasText: `${count} pictures` });
      await message.locator('.mosaic li').nth(1).waitFor();
      expect(await message.locator('.mosaic li').count()).to.equal(Math.min(count, 4));
      expect(await message.locator('.attachments li').count()).to.equal(1);
      const boxes = await Promise.all((await message.locator('.mosaic li').all()).map((tile) => tile.boundingBox()));
      for (const box of boxes) expect(Math.min(box?.width ?? 0, box?.height ?? 0)).to.be.above(60);
    }
    const last = page.locator('article[data-id]', { hasText: '6 pictures' }).locator('.mosaic a').last();
    await last.getByText('2 more pictures').waitFor({ state: 'attached' });
    // Without its address a link cannot have the focus.
    await until(async () => (await last.getAttribute('href')) !== null, { message: 'no link to the picture' });
    await last.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('4 of 6').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('is chosen in the settings by keys, shows at once, and is there before the script of the next page', async () => {
    const { page } = alice;
    await alice.open('/app/settings/appearance');
    const choose = async (group: string, name: string) => {
      await page.getByRole('group', { name: group }).getByRole('radio', { name }).focus();
      await page.keyboard.press('Space');
    };
    await choose('Theme', 'Dark');
    await until(async () => (await theme()) === 'dark');
    expect(await computed('html', 'colorScheme')).to.equal('dark');
    await choose('Clock', '24 hours');
    await page.getByText(/^It is \d\d:\d\d now\.$/).waitFor();
    await choose('Clock', '12 hours');
    await page.getByText(/^It is \d?\d:\d\d\s[AP]M now\.$/).waitFor();
    const [before, entry] = [await computed('html', 'fontSize'), await computed('.list .entry', 'height')];
    await choose('Size of text', 'Very large');
    await choose('Density', 'Compact');
    expect(Number.parseFloat(await computed('html', 'fontSize'))).to.be.above(Number.parseFloat(before));
    expect(Number.parseFloat(await computed('.list .entry', 'height'))).to.be.below(Number.parseFloat(entry) * 1.4);
    await page.route('**/assets/*.js', (route) => route.abort());
    await page.reload();
    expect(await theme()).to.equal('dark');
    expect(await page.evaluate('document.documentElement.dataset.size')).to.equal('huge');
    await page.unroute('**/assets/*.js');
    await alice.open('/app/settings/appearance');
    await choose('Size of text', 'Normal');
    await choose('Density', 'Comfortable');
    await choose('Theme', 'As the device');
    await until(async () => (await theme()) === undefined);
    expect(alice.complaints).to.deep.equal([]);
  });

  it('keeps a server’s colour legible, whatever it is, in the light and in the dark', async () => {
    const { page } = alice;
    await alice.open(`/app/s/${here.server.id}/manage/overview`);
    await page.getByRole('heading', { name: 'Mark and colour' }).waitFor();
    for (const accentColor of ['#ffff00', '#000000', '#ffffff', '#ff0000', '#0000ff', '#00ff00', '#7f7f7f']) {
      await here.alice.patch(`/api/servers/${here.server.id}`, { accentColor, mark: '🌱' });
      await until(() =>
        page.evaluate<boolean>(`document.documentElement.style.getPropertyValue('--seed') === '${accentColor}'`),
      );
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const [onButton, onPage]: number[] = await page.evaluate(`(() => {
          const { color, backgroundColor } = getComputedStyle(document.querySelector('.form .button[type=submit]'));
          const page = getComputedStyle(document.querySelector('.main')).backgroundColor;
          return [contrast(color, backgroundColor), contrast(backgroundColor, page)];
        })()`);
        expect(onButton, `${accentColor} ${colorScheme}`).to.be.above(4.5);
        expect(onPage, `${accentColor} ${colorScheme}`).to.be.above(3);
      }
    }
    await page.emulateMedia({ colorScheme: null });
    await alice.go('/app/friends');
    await until(() => page.evaluate<boolean>(`document.documentElement.style.getPropertyValue('--seed') === ''`));
  });

  it('has nothing that keeps someone out with high contrast, which the device can ask for too', async () => {
    const { page } = alice;
    await page.emulateMedia({ contrast: 'more' });
    await until(async () => (await theme()) === 'contrast');
    const found: string[] = [];
    // Seven to one, where it is high.
    const options = {
      resultTypes: ['violations'],
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'],
      rules: { 'color-contrast-enhanced': { enabled: true } },
    };
    for (const [path, shows] of [
      [conversation(), 'note.txt'],
      ['/app/settings/appearance', 'Density'],
      [`/app/s/${here.server.id}/manage/overview`, 'Mark and colour'],
      ['/app/discover', 'Discover'],
    ] as const) {
      await alice.open(path);
      await page.locator('main').getByText(shows).first().waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const { violations }: { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] } =
          await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`);
        found.push(...violations.map(({ id, nodes }) => `${path} ${colorScheme} ${id} ${nodes[0]?.html}`));
      }
    }
    await page.emulateMedia({ contrast: null, colorScheme: null });
    await until(async () => (await theme()) === undefined);
    expect(found).to.deep.equal([]);
  });

  it('shows what is chosen and what is meant for one where the system forces its colours', async () => {
    const { page } = alice;
    await here.bob.say(here.channel.id, `for you @${here.alice.username}`);
    await alice.open(conversation());
    await page.locator('.message.for-me').waitFor();
    await page.emulateMedia({ forcedColors: 'active' });
    const other = await computed('.list .entry:not([aria-current])', 'backgroundColor');
    expect(await computed('.list .entry[aria-current]', 'backgroundColor')).not.to.equal(other);
    expect(await computed('.message.for-me', 'borderInlineStartWidth')).to.equal('4px');
    expect(await computed('.avatar', 'borderTopStyle')).to.equal('solid');
    await page.emulateMedia({ forcedColors: null });
  });

  it('is printed as what was said, all of it, dark on white', async () => {
    const { page } = alice;
    for (let at = 0; at < 40; at++) await here.bob.say(here.channel.id, `line ${at}`);
    await alice.open(conversation());
    await page.getByText('line 39').hover();
    await page.locator('article .actions').waitFor();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    for (const part of ['.side', '.composer', '.actions']) expect(await computed(part, 'display')).to.equal('none');
    const [whole, shown, brightness]: number[] = await page.evaluate(`(() => {
      const list = document.querySelector('.messages').getBoundingClientRect();
      const back = shown(getComputedStyle(document.querySelector('.main')).backgroundColor);
      return [list.height, document.querySelector('.scroller').getBoundingClientRect().height, Math.min(...back)];
    })()`);
    expect(shown).to.be.at.least(whole ?? 0);
    expect(brightness).to.equal(255);
    await page.emulateMedia({ media: null, colorScheme: null });
  });

  it('ends lines on the widest screen, and has tabs above pages on a tablet', async () => {
    const { page } = alice;
    await page.setViewportSize({ width: 2560, height: 1300 });
    await here.bob.say(here.channel.id, 'word '.repeat(300));
    await alice.open(conversation());
    await page.getByText('word word').waitFor();
    const line = await page.locator('.message .text', { hasText: 'word word' }).boundingBox();
    expect(line?.width).to.be.within(400, 800);
    for (const [width, isRow] of [
      [999, true],
      [1000, false],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await alice.open('/app/settings/appearance');
      const [first, second] = await Promise.all([0, 1].map((at) => page.locator('.tabs .entry').nth(at).boundingBox()));
      expect(first && first.y === second?.y, `${width}`).to.equal(isRow);
    }
    await page.setViewportSize({ width: 320, height: 640 });
    await page.evaluate('document.documentElement.dataset.size = "huge"');
    for (const path of ['/app/settings/appearance', `/app/s/${here.server.id}/manage/overview`, conversation()]) {
      await alice.go(path);
      await page.locator('main :is(h1, .beginning)').first().waitFor();
      const wide: boolean = await page.evaluate(
        'document.documentElement.scrollWidth > document.documentElement.clientWidth',
      );
      expect(wide, path).to.equal(false);
    }
  });
});
