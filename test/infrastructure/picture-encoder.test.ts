// nodes: own

import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { AppError } from '../../src/contract/errors.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { PictureEncoder } from '../../src/infrastructure/picture-encoder.ts';
import { Slots } from '../../src/infrastructure/slots.ts';
import { halves } from '../pictures/samples.ts';

const log = createLog('silent');
const limits = { maxPixels: 36_000_000, timeoutMs: 10_000, waiting: 3 };
const codeOf = (error: AppError) => error.code;

/** The processes of this one that decode pictures. */
function decoders(): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const isOurs = new RegExp(`^PPid:\\s+${process.pid}$`, 'm').test(readFileSync(`/proc/${pid}/status`, 'utf8'));
      return isOurs && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('picture-encoder-process');
    } catch {
      return false;
    }
  });
}

describe('the encoder of pictures', () => {
  let large: Buffer;
  let small: Buffer;
  let encoder: PictureEncoder;
  before(async () => {
    large = await (await halves(5000, 5000)).png({ compressionLevel: 9 }).toBuffer();
    small = await (await halves(20, 20)).png().toBuffer();
  });
  afterEach(() => encoder.close());

  it('ends a process that takes too long, and goes on with another', async () => {
    const settings = { ...limits };
    encoder = new PictureEncoder(settings, log);
    await encoder.encode(small, 'square');
    const [first] = decoders();
    settings.timeoutMs = 20;
    expect(await encoder.encode(large, 'square').catch(codeOf)).to.equal('PICTURE_INVALID');
    settings.timeoutMs = limits.timeoutMs;
    expect((await encoder.encode(small, 'square')).large).to.include({ width: 20, height: 20 });
    expect(decoders()).to.have.lengthOf(1);
    expect(decoders()).to.not.include(first);
    expect(encoder.counters).to.include({ encoded: 2, refused: 1, killed: 1 });
  });

  it('survives the death of its process', async () => {
    encoder = new PictureEncoder(limits, log);
    await encoder.encode(small, 'square');
    for (const pid of decoders()) process.kill(Number(pid), 'SIGKILL');
    await encoder.encode(small, 'square').catch(codeOf);
    expect((await encoder.encode(small, 'square')).small).to.include({ width: 20, height: 20 });
  });

  it('lets a few wait, one after the other, and no more', async () => {
    encoder = new PictureEncoder(limits, log);
    const all = await Promise.all(Array.from({ length: 5 }, () => encoder.encode(small, 'square').catch(codeOf)));
    expect(all.filter((one) => one === 'SERVER_BUSY')).to.have.lengthOf(1);
    expect(decoders()).to.have.lengthOf(1);
  });

  it('gives its process nothing of the environment that is a secret', async () => {
    process.env.PARLEY_TEST_SECRET = 'hidden';
    encoder = new PictureEncoder(limits, log);
    await encoder.encode(small, 'square');
    const [pid] = decoders();
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
    delete process.env.PARLEY_TEST_SECRET;
    expect(environment).to.contain('PATH=').and.not.contain('hidden');
  });
});

describe('slots', () => {
  it('run so many at once, the others in order, and refuse the rest', async () => {
    const slots = new Slots(2, 2);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const start = (index: number) =>
      slots.run(() => {
        begun.push(index);
        return new Promise<void>((resolve) => ends.push(resolve));
      });
    const running = [0, 1, 2, 3].map(start);
    expect(await start(4).catch(codeOf)).to.equal('SERVER_BUSY');
    expect([begun, slots.waiting]).to.deep.equal([[0, 1], 2]);
    for (let index = 0; index < 4; index++) {
      ends[index]?.();
      await running[index];
      await new Promise(setImmediate);
    }
    expect(begun).to.deep.equal([0, 1, 2, 3]);
    await slots.run(async () => {});
  });
});
