import path from 'node:path';
import { type BuildOptions, build, type OutputFile, stop } from 'esbuild';
import { type Asset, madeOnce, makeAsset } from '../infrastructure/asset.ts';
import { nonceMark } from '../infrastructure/page-nonce.ts';

let underWay = 0;

/**
 * Bundles scripts for browsers in memory. esbuild works in a process of its own, which is ended as soon as nothing is being
 * made: it would stay as long as the node, with 40 MB and a wake-up each second.
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
  /** With marks for a nonce. */
  page: string;
  assets: Map<string, Asset>;
}

const source = path.join(import.meta.dirname, 'app');

/** The bundle of this process; making it takes about a fifth of a second. */
export const webBundle = madeOnce(makeBundle);

async function makeBundle(): Promise<Bundle> {
  const files = await bundled({
    entryPoints: { app: path.join(source, 'main.tsx') },
    outdir: source,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const assets = new Map<string, Asset>();
  for (const file of files) {
    const asset = await makeAsset(file.path, Buffer.from(file.contents));
    assets.set(asset.name, asset);
  }
  return { page: pageWith([...assets.keys()]), assets };
}

function pageWith(names: string[]): string {
  const script = names.find((name) => name.endsWith('.js'));
  const style = names.find((name) => name.endsWith('.css'));
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
<link rel="stylesheet" nonce="${nonceMark}" href="/app/assets/${style}">
<script type="module" nonce="${nonceMark}" src="/app/assets/${script}"></script>
</head>
<body>
<div id="app"><p class="coming">Loading…</p></div>
<noscript>Parley needs JavaScript.</noscript>
</body>
</html>
`;
}
