import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Asset, madeOnce, makeAsset } from '../../infrastructure/asset.ts';
import { nonceMark } from '../../infrastructure/page-nonce.ts';

/** The page that shows the API documents, and the files that it needs. */
interface Reference {
  page: string;
  assets: Map<string, Asset>;
}

/** The one file of Scalar's that needs no other; it lies beside what its package exports. */
const scalar = path.join(
  path.dirname(fileURLToPath(import.meta.resolve('@scalar/api-reference'))),
  'browser/standalone.js',
);

/** Nothing is fetched from elsewhere, and nothing told: what the package would do of that is turned off here. */
const configuration = {
  sources: [
    { title: 'REST', slug: 'rest', url: '/api/openapi.json', default: true },
    { title: 'Events', slug: 'events', url: '/api/asyncapi.json' },
  ],
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
};

/** Scalar checks its data with zod, which tries whether it may make code of text; the policy of the page refuses that. */
const before = 'globalThis.__zod_globalConfig = { jitless: true };\n';

/** The reference; it is put together when the first one asks for it. */
export const reference = madeOnce(async (): Promise<Reference> => {
  const start = `Scalar.createApiReference('#reference', ${JSON.stringify(configuration)});\n`;
  const assets = await Promise.all([
    makeAsset('before.js', Buffer.from(before)),
    makeAsset('scalar.js', await readFile(scalar)),
    makeAsset('start.js', Buffer.from(start)),
  ]);
  return { page: pageWith(assets), assets: new Map(assets.map((asset) => [asset.name, asset])) };
});

function pageWith(scripts: Asset[]): string {
  const tags = scripts.map(({ name }) => `<script defer nonce="${nonceMark}" src="/docs/assets/${name}"></script>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Parley API</title>
<link rel="icon" href="/app/icon.svg" type="image/svg+xml">
${tags.join('\n')}
</head>
<body>
<div id="reference"></div>
<noscript>Without JavaScript, read <a href="/api/openapi.json">the routes</a> and
<a href="/api/asyncapi.json">the events</a> as they are.</noscript>
</body>
</html>
`;
}
