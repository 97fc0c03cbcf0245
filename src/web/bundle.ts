import path from 'node:path';
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin, stop } from 'esbuild';
import { type Asset, madeOnce, makeAsset, nonceMark } from '../infrastructure/asset.ts';

let underWay = 0;

interface Bundled {
  files: OutputFile[];
  metafile: Metafile;
}

/**
 * Bundles scripts for browsers in memory. esbuild runs in a process of its own, which is stopped when nothing is being built:
 * otherwise it would use 40 MB and wake up each second.
 */
export async function bundled(options: BuildOptions): Promise<Bundled> {
  underWay++;
  try {
    const { outputFiles, metafile } = await build({
      bundle: true,
      minify: true,
      format: 'esm',
      target: ['es2022'],
      logLevel: 'silent',
      ...options,
      write: false,
      metafile: true,
    });
    return { files: outputFiles, metafile };
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
/** What esbuild calls the parts of the page that are loaded when they are shown. */
const part = 'part';

/** The bundle of this process; building it takes about a fifth of a second. */
export const webBundle = madeOnce(makeBundle);

async function makeBundle(): Promise<Bundle> {
  const { files, metafile } = await bundled({
    // Names in the bundle do not depend on where this runs.
    absWorkingDir: source,
    entryPoints: { app: './main.tsx', early: './early.ts' },
    outdir: source,
    entryNames: '[name]-[hash]',
    // Dynamic imports become files of their own.
    splitting: true,
    plugins: [sharing],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const assets = new Map<string, Asset>();
  for (const file of files) {
    // The scripts import each other by these names, which contain hashes.
    assets.set(path.basename(file.path), await makeAsset(file.path, Buffer.from(file.contents)));
  }
  return { page: pageWith([...assets.keys()], metafile), assets };
}

/**
 * Has each part of the page that is loaded when it is shown import what the page starts with, which is there by then. So what
 * they share with it is in one file, and not in one for each set of parts that use it: dozens, which the page would have to
 * start with. Browsers ask a server for six files at a time.
 */
const sharing: Plugin = {
  name: 'sharing',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\.tsx$/ }, ({ kind, path: to, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      return { path: path.relative(source, path.join(resolveDir, to)), namespace: part };
    });
    onLoad({ filter: /./, namespace: part }, ({ path: file }) => {
      const first = ['./views/App.tsx', './state/page.ts', './browser.ts'].map((module) => `import '${module}';`);
      return { contents: `${first.join('')} export * from ${JSON.stringify(`./${file}`)};`, resolveDir: source };
    });
  },
};

/** The names of the files that come with what is wanted, and of those that they import at once; these last. */
function filesOf(isWanted: (entry: string) => boolean, { outputs }: Metafile): string[] {
  const entries = Object.entries(outputs).filter(([, { entryPoint = '' }]) => isWanted(entryPoint));
  const found = new Set(entries.map(([file]) => file));
  for (const file of found) {
    for (const { path: to, kind } of outputs[file]?.imports ?? []) if (kind === 'import-statement') found.add(to);
  }
  return [...found].map((file) => path.basename(file));
}

/** The page has its colours and sizes before its script is there (see Look of the web client). */
const withLook =
  "try{Object.assign(document.documentElement.dataset,JSON.parse(localStorage.getItem('parley:look')))}catch{}";

function pageWith(names: string[], metafile: Metafile): string {
  const [script, ...shared] = filesOf((entry) => entry === 'main.tsx', metafile);
  const later = filesOf((entry) => entry.startsWith(`${part}:`), metafile).filter((name) => !shared.includes(name));
  const [early] = filesOf((entry) => entry === 'early.ts', metafile);
  const style = names.find((name) => name.endsWith('.css'));
  const link = (rel: string) => (name: string) =>
    `<link rel="${rel}" nonce="${nonceMark}" href="/app/assets/${name}">\n`;
  const links = shared.map(link('modulepreload'));
  // The page has the other parts fetched once it shows what was asked for (browser.ts).
  const parts = later.map(link('prefetch'));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#0f2f36">
<script nonce="${nonceMark}">${withLook}</script>
<title>Parley</title>
<link rel="icon" href="/app/icon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/app/icons/apple.png">
<link rel="manifest" href="/app/manifest.webmanifest">
<script async nonce="${nonceMark}" src="/app/assets/${early}"></script>
<link rel="stylesheet" nonce="${nonceMark}" href="/app/assets/${style}">
${links.join('')}<script type="module" nonce="${nonceMark}" src="/app/assets/${script}"></script>
</head>
<body>
<div id="app"><p class="coming">Loading…</p></div>
<template id="parts">
${parts.join('')}</template>
<noscript>Parley needs JavaScript.</noscript>
</body>
</html>
`;
}
