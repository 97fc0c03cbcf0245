import path from 'node:path';
import { type BuildOptions, build, type OutputFile, stop } from 'esbuild';
import { type Asset, madeOnce, makeAsset, nonceMark } from '../infrastructure/asset.ts';

let underWay = 0;

/**
 * Bundles scripts for browsers in memory. esbuild runs in a process of its own, which is stopped when nothing is being built:
 * otherwise it would use 40 MB and wake up each second.
 */
export async function bundled(options: BuildOptions): Promise<OutputFile[]> {
  underWay++;
  try {
    const { outputFiles = [] } = await build({
      bundle: true,
      write: false,
      minify: true,
      format: 'esm',
      target: ['es2022'],
      logLevel: 'silent',
      ...options,
    });
    return outputFiles;
  } finally {
    underWay--;
    if (underWay === 0) await stop();
  }
}

/** The web client, ready to be served. */
export interface Bundle {
  /** With placeholders for a nonce. */
  page: string;
  /** By name. */
  assets: Map<string, Asset>;
}

const source = path.join(import.meta.dirname, 'app');

/** The bundle of this process; building it takes about a fifth of a second. */
export const webBundle = madeOnce(makeBundle);

async function makeBundle(): Promise<Bundle> {
  const files = await bundled({
    entryPoints: { app: path.join(source, 'main.tsx') },
    outdir: source,
    entryNames: '[name]-[hash]',
    // Dynamic imports become files of their own.
    splitting: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const assets = new Map<string, Asset>();
  for (const file of files) {
    // The scripts import each other by these names, which contain hashes.
    assets.set(path.basename(file.path), await makeAsset(file.path, Buffer.from(file.contents)));
  }
  return { page: pageWith([...assets.keys()]), assets };
}

function pageWith(names: string[]): string {
  const script = names.find((name) => /^app-.*\.js$/.test(name));
  const style = names.find((name) => name.endsWith('.css'));
  const shared = names.filter((name) => name.startsWith('chunk-'));
  const preloads = shared.map((name) => `<link rel="modulepreload" nonce="${nonceMark}" href="/app/assets/${name}">\n`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="#e9ebf0">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#16181d">
<title>Parley</title>
<link rel="icon" href="/app/icon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/app/icons/apple.png">
<link rel="manifest" href="/app/manifest.webmanifest">
<link rel="stylesheet" nonce="${nonceMark}" href="/app/assets/${style}">
${preloads.join('')}<script type="module" nonce="${nonceMark}" src="/app/assets/${script}"></script>
</head>
<body>
<div id="app"><p class="coming">Loading…</p></div>
<noscript>Parley needs JavaScript.</noscript>
</body>
</html>
`;
}
