import path from 'node:path';
import { build } from 'esbuild';
import { madeOnce, makeAsset } from '../infrastructure/asset.ts';

const source = path.join(import.meta.dirname, '../client/index.ts');

/** The typed client as one module for browsers, with all that it needs in it. */
export const clientModule = madeOnce(async () => {
  const { outputFiles } = await build({
    entryPoints: [source],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: ['es2022'],
    logLevel: 'silent',
  });
  return makeAsset('client.js', Buffer.from(outputFiles[0]?.contents ?? []));
});

/**
 * The typed client as the package exports it: plain JavaScript, since Node takes no TypeScript from node_modules.
 * What it needs is left to the package manager.
 */
export async function writeClientPackage(file: string): Promise<void> {
  await build({
    entryPoints: [source],
    outfile: file,
    bundle: true,
    packages: 'external',
    platform: 'neutral',
    format: 'esm',
    target: ['es2022'],
    logLevel: 'warning',
  });
}
