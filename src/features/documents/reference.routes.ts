import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { referenceCalls } from '../../contract/document.ts';
import { AppError } from '../../contract/errors.ts';
import { type Asset, madeOnce, makeAsset, nonceMark, withNonce } from '../../infrastructure/asset.ts';
import { assetReply } from '../../rest/content.ts';
import { RawReply, type Route, serve } from '../../rest/route.ts';

/** The page that shows the API documents, and the files that it needs. */
interface Reference {
  page: string;
  assets: Map<string, Asset>;
}

/**
 * This is the only package with few dependencies that has Scalar's page as one script: as a text in the plugin for
 * Fastify, which is read here, not run. The hash is that of `dist/browser/standalone.js` of @scalar/api-reference of
 * the same version.
 */
const scalarPackage = '@scalar/fastify-api-reference';
const scalarHash = 'bf091006bdc3af6067af77c2f534812e3e633e94a94e87138069f570f33b762c';

const scalarStart = 'var standalone_default = ';

/** @returns Scalar's script, byte for byte as published; any other is refused. */
async function scalarScript(): Promise<Buffer> {
  // Latin-1 maps each byte to a letter: four megabytes take half as long as with decoding and encoding.
  const plugin = await readFile(fileURLToPath(import.meta.resolve(scalarPackage)), 'latin1');
  const line = plugin.split('\n').find((each) => each.startsWith(scalarStart)) ?? `${scalarStart}"";`;
  // JSON knows all escapes in it, but requires escapes for control characters that JavaScript allows as they are.
  const escaped = line
    .slice(scalarStart.length, -1)
    .replace(/[^ -\xff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
  await nextTurn();
  const script = Buffer.from(z.string().parse(JSON.parse(escaped)), 'latin1');
  const hash = createHash('sha256').update(script).digest('hex');
  if (hash !== scalarHash) throw new Error(`${scalarPackage} holds another script than the one expected: ${hash}.`);
  return script;
}

/** Turns off all that the package would fetch from other sites or report to them. */
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

/** Scalar checks its data with zod, which tests whether it may compile text; the policy of the page refuses that. */
const before = 'globalThis.__zod_globalConfig = { jitless: true };\n';

/** The reference; the first request builds it. */
const reference = madeOnce(async (): Promise<Reference> => {
  const start = `Scalar.createApiReference('#reference', ${JSON.stringify(configuration)});\n`;
  const assets = await Promise.all([
    makeAsset('before.js', Buffer.from(before)),
    makeAsset('scalar.js', await scalarScript()),
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

/** Allows only the page's own scripts, connections to this site, and inline styles: Scalar sets them on elements. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `script-src 'nonce-${nonceMark}'`,
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'none'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function referenceRoutes(): Route[] {
  return serve(referenceCalls, {
    async getReference() {
      const { page, policy } = withNonce((await reference()).page, contentSecurityPolicy);
      return new RawReply(200, { ...pageHeaders, 'Content-Security-Policy': policy }, page);
    },
    async getReferenceAsset({ params, headers }) {
      const asset = (await reference()).assets.get(params.asset);
      if (!asset) throw new AppError('ROUTE_NOT_FOUND');
      return assetReply(asset, headers);
    },
  });
}

const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  // The page names its files by their hashes: an old page would request files that are gone.
  'Cache-Control': 'no-cache',
};
