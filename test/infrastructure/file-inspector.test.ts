// nodes: own

import { expect } from 'chai';
import { inspectFile } from '../../src/infrastructure/file-inspector.ts';
import { randomOf, seedOfRun } from '../rig/random.ts';

const box = (type: string, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat([Buffer.from(type), ...content]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(body.length + 4);
  return Buffer.concat([size, body]);
};
const u32 = (...values: number[]) => {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, 4 * i);
  return bytes;
};
/** A HEIC picture with so many sizes; readers look for the largest. */
const heic = (sizes: number) => {
  const ispe = Array.from({ length: sizes }, () => box('ispe', u32(0, 30, 20)));
  const meta = box('meta', u32(0), box('iprp', box('ipco', ...ispe)));
  return Buffer.concat([box('ftyp', Buffer.from('heic'), u32(0), Buffer.from('mif1heic')), meta]);
};

const base64 = (text: string) => Buffer.from(text, 'base64');
/** Small pictures of 3 by 2 pixels, or 1 by 1, in the formats that are looked at, as programs have written them. */
const pictures: Record<string, Buffer> = {
  'image/png': base64(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  ),
  'image/gif': base64('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'),
  'image/jpeg': base64(
    '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/wAALCAABAAEBAREA/8wABgAQEAX/2gAIAQEAAD8A0s8g/9k=',
  ),
  'image/webp': base64('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA'),
  'image/bmp': Buffer.concat([
    Buffer.from('424d3a000000000000003600000028000000010000000100000001001800', 'hex'),
    Buffer.alloc(32),
  ]),
  'image/tiff': Buffer.from('49492a000800000002000001030001000000010000000101030001000000010000000000000000', 'hex'),
  'image/heic': heic(1),
};

describe('what an upload says about itself', () => {
  it('is its type, and the size of a picture', async () => {
    for (const [mime, bytes] of Object.entries(pictures)) {
      const { mime: found, width, height } = await inspectFile(bytes);
      const size = mime === 'image/heic' ? [30, 20] : [1, 1];
      expect([found, width, height], mime).to.deep.equal([mime, ...size]);
    }
    expect(await inspectFile(Buffer.from('only text'))).to.deep.equal({ mime: null, width: null, height: null });
  });

  it('is looked for beside the event loop, and not for long; the next one is looked at again', async () => {
    let turns = 0;
    const counting = setInterval(() => turns++, 5);
    const slow = inspectFile(heic(100_000));
    const begun = performance.now();
    const facts = await slow;
    const waited = performance.now() - begun;
    clearInterval(counting);
    expect(facts.width === null || facts.width === 30).to.equal(true);
    // A loop that was held would have counted a turn or two.
    expect(turns).to.be.at.least(Math.floor(waited / 100));
    expect((await inspectFile(pictures['image/png'] ?? Buffer.alloc(0))).width).to.equal(1);
  });

  it('is never a failure, whatever has become of a picture', async () => {
    const seed = seedOfRun();
    const below = randomOf(seed);
    for (const [mime, whole] of Object.entries(pictures)) {
      for (let round = 0; round < 60; round++) {
        const bytes = Buffer.from(whole);
        const changes = 1 + below(8);
        for (let i = 0; i < changes; i++) {
          bytes[below(bytes.length)] = below(3) === 0 ? 0xff : below(256);
        }
        const cut = below(3) === 0 ? bytes.subarray(0, below(bytes.length)) : bytes;
        const { width, height } = await inspectFile(cut);
        expect((width === null) === (height === null), `${mime} with seed ${seed}`).to.equal(true);
        for (const pixels of [width, height]) {
          if (pixels !== null) expect(pixels, `${mime} with seed ${seed}`).to.be.within(1, 1_000_000);
        }
      }
    }
  });
});
