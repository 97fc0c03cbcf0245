import path from 'node:path';
import { build } from 'esbuild';
import { madeOnce, makeAsset } from '../infrastructure/asset.ts';
import { bundled } from './bundle.ts';

const folder = path.join(import.meta.dirname, '../client');
const source = path.join(folder, 'index.ts');

/** The typed client with its dependencies, as one module for browsers. */
export const clientModule = madeOnce(async () => {
  const { files } = await bundled({ entryPoints: [source] });
  return makeAsset('client.js', Buffer.from(files[0]?.contents ?? []));
});

/**
 * The typed client as the package exports it, and its store for Node: plain JavaScript, since Node takes no TypeScript from
 * node_modules. The package manager installs its dependencies.
 */
export async function writeClientPackage(outdir: string): Promise<void> {
  await build({
    entryPoints: [source, path.join(folder, 'file-store.ts')],
    outdir,
    bundle: true,
    packages: 'external',
    platform: 'neutral',
    format: 'esm',
    target: ['es2022'],
    logLevel: 'warning',
    // The store alone is for Node.
    external: ['node:*'],
  });
}
