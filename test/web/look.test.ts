// nodes: own

import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { MemoryStore } from '../../src/client/index.ts';
import { Hues, hueCount } from '../../src/web/app/state/hues.ts';
import { lookKey } from '../../src/web/app/state/look.ts';
import { Scope } from '../../src/web/app/state/scope.ts';
import { until } from '../rig/until.ts';
import { Device } from './device.ts';

const url = 'http://localhost:1';
const folder = path.resolve(import.meta.dirname, '../../src/web/app/style');
const styleOf = (file: string) => readFileSync(path.join(folder, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
const style = styleOf('base.css');

/** A colour as `oklch` has it: lightness, chroma, hue. */
type Colour = [lightness: number, chroma: number, hue: number];

const white: Colour = [1, 0, 0];
const colourOf = (text: string): Colour => {
  if (text.startsWith('#ffffff')) return white;
  const [lightness = 0, chroma = 0, hue = 0] = text.match(/[\d.]+/g)?.map(Number) ?? [];
  return [lightness, chroma, hue];
};

function labOf([lightness, chroma, hue]: Colour): [number, number, number] {
  const angle = (hue * Math.PI) / 180;
  return [lightness, chroma * Math.cos(angle), chroma * Math.sin(angle)];
}

/** How bright it is to the eye (WCAG 2, relative luminance), by way of the cones of OKLab. */
function luminanceOf(colour: Colour): number {
  const [l, a, b] = labOf(colour);
  const [long, middle, short] = [
    (l + 0.3963377774 * a + 0.2158037573 * b) ** 3,
    (l - 0.1055613458 * a - 0.0638541728 * b) ** 3,
    (l - 0.0894841775 * a - 1.291485548 * b) ** 3,
  ];
  const inGamut = (value: number) => Math.min(1, Math.max(0, value));
  const red = inGamut(4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short);
  const green = inGamut(-1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short);
  const blue = inGamut(-0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrastOf(one: Colour, other: Colour): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

const hues = Array.from({ length: hueCount }, (_, at) => {
  const rule = new RegExp(`\\.hue${at} \\{\\s+background: ([^;]+);\\s+color: ([^;]+);`).exec(style);
  return { back: colourOf(rule?.[1] ?? ''), letter: colourOf(rule?.[2] ?? '') };
});

const newId = () => crypto.randomUUID();
const huesIn = (store = new MemoryStore()) => {
  const scope = new Scope({ local: store, tab: new MemoryStore(), onStored: () => () => {} });
  return { hues: new Hues(scope), scope };
};

describe('the colours of people without a picture', () => {
  it('can be told apart, each from every other, and letters on them read', () => {
    for (const [at, one] of hues.entries()) {
      expect(contrastOf(one.back, one.letter), `letter ${at}`).to.be.above(4.5);
      for (const other of hues.slice(0, at)) {
        const [from, to] = [labOf(one.back), labOf(other.back)];
        expect(Math.hypot(...from.map((value, i) => value - (to[i] ?? 0))), `${at}`).to.be.above(0.09);
      }
    }
  });

  it('differ for any six people, whatever their ids, and for a team of twelve', () => {
    for (const count of [6, hueCount]) {
      // The same colour by themselves.
      const ids = Array.from({ length: count }, () => newId().replace(/....$/, '0000'));
      const { hues: given } = huesIn();
      expect(new Set(ids.map((id) => given.of(id))).size).to.equal(count);
    }
  });

  it('differ for those who come together from many', () => {
    const { hues: given } = huesIn();
    for (let at = 0; at < 500; at++) given.of(newId());
    const six = Array.from({ length: 6 }, newId);
    expect(new Set(six.map((id) => given.of(id))).size).to.equal(6);
  });

  it('stay while the page is open, and over a reload', async () => {
    const store = new MemoryStore();
    const { hues: given, scope } = huesIn(store);
    const ids = Array.from({ length: 30 }, newId);
    const before = ids.map((id) => given.of(id));
    expect(ids.map((id) => given.of(id))).to.deep.equal(before);
    await until(() => store.getItem('parley:hues') !== null);
    scope.end();
    const { hues: again } = huesIn(store);
    expect(ids.map((id) => again.of(id))).to.deep.equal(before);
  });

  it('do not come from what cannot be one', () => {
    const store = new MemoryStore();
    store.setItem('parley:hues', `${newId()}:99 x:y :3 ${newId()}`);
    const { hues: given } = huesIn(store);
    for (let at = 0; at < 40; at++) expect(given.of(newId())).to.be.within(0, hueCount - 1);
  });
});

describe('how large and close things are', () => {
  it('is kept on the device, for all of its tabs and the next page', async () => {
    const device = new Device(url);
    const [one, other] = [device.open('/app/login'), device.open('/app/login')];
    expect(one.look().shown).to.deep.equal({ density: 'comfortable', size: 'normal' });
    one.page.look.setDensity('compact');
    one.page.look.setSize('large');
    const wanted = { density: 'compact', size: 'large' };
    expect(one.look().shown).to.deep.equal(wanted);
    await until(() => other.page.look.size.peek() === 'large');
    expect(other.look().shown).to.deep.equal(wanted);
    expect(device.open('/app/login').look().shown).to.deep.equal(wanted);
    device.close();
  });

  it('is as usual where what is kept says nothing of use', () => {
    for (const kept of ['', '{', '[1]', 'null', '{"theme":"pink","density":1,"size":{}}']) {
      const device = new Device(url);
      device.local.setItem(lookKey, kept);
      expect(device.open('/app/login').look().shown).to.deep.equal({ density: 'comfortable', size: 'normal' });
      device.close();
    }
  });
});

describe('the styles', () => {
  const files = globSync('*.css', { cwd: folder });

  it('name their colours in one place, so that a theme changes all of them', () => {
    const colour = /#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|oklch|oklab|lab|lch)\((?!from)/i;
    for (const file of files.filter((name) => name !== 'base.css')) {
      const wrong = styleOf(file)
        .split('\n')
        .filter((line) => colour.test(line));
      expect(wrong, file).to.deep.equal([]);
    }
  });

  it('use no custom property that there is not', () => {
    const all = files.map(styleOf).join('\n');
    const named = new Set([...all.matchAll(/(--[\w-]+):/g)].map(([, name]) => name));
    const used = [...all.matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name);
    // It is set on each server's mark.
    expect(used.filter((name) => !named.has(name) && name !== '--own')).to.deep.equal([]);
  });
});
