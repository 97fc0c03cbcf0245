import { createHash } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'esbuild';

/** A file of the web client, in the forms in which browsers take it. */
export interface Asset {
  /** Holds a hash of the bytes, so it never stands for anything else. */
  name: string;
  type: string;
  bytes: Buffer;
  brotli: Buffer;
  gzip: Buffer;
}

/** The web client, ready to be served. */
export interface Bundle {
  page: string;
  assets: Map<string, Asset>;
}

const source = path.join(import.meta.dirname, 'app');
const types: Record<string, string> = { '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8' };
const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

let made: Promise<Bundle> | undefined;

/** The bundle of this process; it is made when it is first asked for, in about a fifth of a second, and kept. */
export function webBundle(): Promise<Bundle> {
  made ??= makeBundle().catch((error) => {
    made = undefined;
    throw error;
  });
  return made;
}

async function makeBundle(): Promise<Bundle> {
  const result = await build({
    entryPoints: { app: path.join(source, 'main.tsx') },
    outdir: source,
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: ['es2022'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  });
  const assets = new Map<string, Asset>();
  for (const file of result.outputFiles) {
    const asset = await asAsset(file.path, Buffer.from(file.contents));
    assets.set(asset.name, asset);
  }
  return { page: pageWith([...assets.keys()]), assets };
}

async function asAsset(file: string, bytes: Buffer): Promise<Asset> {
  const { name, ext } = path.parse(file);
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  const [brotli, gzipped] = await Promise.all([compressBrotli(bytes, { params }), compressGzip(bytes)]);
  return {
    name: `${name}-${hash}${ext}`,
    type: types[ext] ?? 'application/octet-stream',
    bytes,
    brotli,
    gzip: gzipped,
  };
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
<link rel="stylesheet" href="/app/assets/${style}">
<script type="module" src="/app/assets/${script}"></script>
</head>
<body>
<div id="app"></div>
<noscript>Parley needs JavaScript.</noscript>
</body>
</html>
`;
}
