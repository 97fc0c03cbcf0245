import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { madeOnce } from '../infrastructure/asset.ts';
import { bundled, webBundle } from './bundle.ts';

const sizes = ['192', '512', 'maskable', 'apple', 'badge'] as const;
const colour = '#0f2f36';

/** The icons of the installed app, by name. */
export const appIcons: ReadonlyMap<string, Buffer> = new Map(
  sizes.map((name) => [`${name}.png`, readFileSync(path.join(import.meta.dirname, `icons/${name}.png`))]),
);

/** What browsers need to install the web client (Web Application Manifest). */
export const manifest = JSON.stringify({
  id: '/app',
  name: 'Parley',
  short_name: 'Parley',
  description: 'Talk with your people and agents.',
  start_url: '/app',
  scope: '/app',
  display: 'standalone',
  background_color: colour,
  theme_color: colour,
  categories: ['social', 'productivity'],
  icons: [
    { src: '/app/icon.svg', type: 'image/svg+xml', sizes: 'any' },
    { src: '/app/icons/192.png', type: 'image/png', sizes: '192x192' },
    { src: '/app/icons/512.png', type: 'image/png', sizes: '512x512' },
    { src: '/app/icons/maskable.png', type: 'image/png', sizes: '512x512', purpose: 'maskable' },
  ],
});

/** The service worker. It names the files of the page, so that it is another one for each version of that. */
export const serviceWorker = madeOnce(async () => {
  const { page, assets } = await webBundle();
  // All parts of the page, also those that were never shown. What not everyone needs is kept once it was needed.
  const files = [...assets.keys()].filter((name) => page.includes(name));
  const version = createHash('sha256').update(page).digest('hex').slice(0, 12);
  const icons = ['/app/icon.svg', '/app/icons/192.png', '/app/icons/badge.png'];
  const shell = { version, files: [...files.map((name) => `/app/assets/${name}`), ...icons] };
  const { files: scripts } = await bundled({
    entryPoints: [path.join(import.meta.dirname, 'service-worker/worker.ts')],
    // Not every browser takes modules here.
    format: 'iife',
    define: { SHELL: JSON.stringify(shell) },
  });
  return Buffer.from(scripts[0]?.contents ?? []);
});
