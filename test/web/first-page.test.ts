// nodes: own

import { expect } from 'chai';
import { webBundle } from '../../src/web/bundle.ts';
import { serviceWorker } from '../../src/web/installed.ts';

describe('the first page of the web client', () => {
  const linked = async (tag: RegExp): Promise<string[]> =>
    [...(await webBundle()).page.matchAll(/<(?:link|script) [^>]*\/app\/assets\/([^"]+)"/g)]
      .filter(([text]) => tag.test(text))
      .map(([, name = '']) => name);
  const first = () => linked(/modulepreload|type="module"/);
  const later = () => linked(/prefetch/);

  it('needs at most 150 kB of compressed scripts, in a few files', async () => {
    const { assets } = await webBundle();
    const names = await first();
    const bytes = names.reduce((sum, name) => sum + (assets.get(name)?.gzip.length ?? 0), 0);
    expect(bytes).to.be.within(50_000, 150_000);
    expect(names.length).to.be.within(1, 12);
  });

  it('asks for what it is to show by a script so small that it is there before the others', async () => {
    const { assets } = await webBundle();
    const [name = '', ...more] = await linked(/async/);
    expect(more).to.deep.equal([]);
    const script = assets.get(name);
    expect(script?.gzip.length).to.be.below(1000);
    // It is no module, which would wait for the page.
    expect(String(script?.bytes)).to.not.match(/\b(?:import|export)\b/);
  });

  it('loads at the start what the first script imports, and nothing else', async () => {
    const { assets } = await webBundle();
    const names = await first();
    const imported = new Set(names.slice(-1));
    for (const name of imported) {
      const text = String(assets.get(name)?.bytes);
      for (const [, file = ''] of text.matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)) imported.add(file);
    }
    expect([...imported].sort()).to.deep.equal([...names].sort());
  });

  it('leaves to later what it does not show, and to whoever needs it a language or a library', async () => {
    const { assets } = await webBundle();
    const parts = await later();
    for (const page of ['Settings', 'Manage', 'Admin', 'Files', 'Apps', 'Later', 'Discover', 'Friends']) {
      expect(parts.filter((name) => name.startsWith(`${page}-`)).length, page).to.equal(1);
    }
    const named = [...(await first()), ...(await linked(/async/)), ...parts];
    const others = [...assets.keys()].filter((name) => name.endsWith('.js') && !named.includes(name));
    const kinds = others.map((name) => name.replace(/-[^-]+$/, '')).sort();
    expect(kinds).to.deep.equal([
      'ar',
      'de',
      'drop',
      'es',
      'esm',
      'fr',
      'highlight',
      'ja',
      'jszip.min',
      'qr',
      'words-de',
      'words-es',
      'words-fr',
      'words-ja',
    ]);
  });

  it('is kept with all its parts for when there is no connection', async () => {
    const worker = String(await serviceWorker());
    for (const name of [...(await first()), ...(await linked(/async/)), ...(await later())]) {
      expect(worker).to.contain(name);
    }
  });
});
