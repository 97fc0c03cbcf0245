import { AppError } from '../errors.ts';
import { assetHeaders, assetReply } from '../rest/content.ts';
import { RawReply, type Route, rawAnswer, route, textParam } from '../rest/route.ts';
import { webBundle } from './bundle.ts';
import { clientModule } from './client-module.ts';

const tag = 'Pages';
const page = textParam('ROUTE_NOT_FOUND', 'A place in the web client.');
const asset = textParam('ROUTE_NOT_FOUND', 'Name of the file.');

/** No script, style or connection but our own, and no text that becomes HTML by accident (Trusted Types). */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' https: blob:",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#5b5bd6"/><path d="M8 9h16a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-8l-5 4v-4H8a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2z" fill="#fff"/></svg>`;

/** The web client: one page for all addresses under /app, and its files. */
export function appRoutes(): Route[] {
  return [
    route({
      tag,
      entrance: 'anyone',
      answer: rawAnswer,
      method: 'GET',
      path: '/',
      summary: 'Leads to the web client.',
      produces: 'text/html',
      handle: async () => new RawReply(302, { Location: '/app' }),
    }),
    route({
      tag,
      entrance: 'anyone',
      answer: rawAnswer,
      method: 'GET',
      path: '/app',
      summary: 'The web client.',
      produces: 'text/html',
      handle: sendPage,
    }),
    route({
      tag,
      entrance: 'anyone',
      answer: rawAnswer,
      method: 'GET',
      path: '/app/*page',
      summary: 'The web client, at one of its places.',
      params: { page },
      produces: 'text/html',
      handle: sendPage,
    }),
    route({
      tag,
      entrance: 'anyone',
      answer: rawAnswer,
      method: 'GET',
      path: '/app/icon.svg',
      summary: 'The icon of the web client.',
      produces: 'image/svg+xml',
      handle: async () =>
        new RawReply(200, { 'Content-Type': 'image/svg+xml', 'Cache-Control': 'public, max-age=86400' }, icon),
    }),
    route({
      tag,
      entrance: 'anyone',
      answer: rawAnswer,
      method: 'GET',
      path: '/app/assets/:asset',
      summary: 'A script or style of the web client.',
      params: { asset },
      headers: assetHeaders,
      produces: 'text/javascript',
      errors: ['ROUTE_NOT_FOUND'],
      async handle({ params, headers }) {
        const found = (await webBundle()).assets.get(params.asset);
        if (!found) throw new AppError('ROUTE_NOT_FOUND');
        return assetReply(found, headers);
      },
    }),
    route({
      tag,
      entrance: 'anyone',
      answer: rawAnswer,
      method: 'GET',
      path: '/client.js',
      summary: 'The typed client as a module for browsers: `import { Parley } from "/client.js"`.',
      headers: assetHeaders,
      produces: 'text/javascript',
      handle: async ({ headers }) => assetReply(await clientModule(), headers, 'max-age=300'),
    }),
  ];
}

async function sendPage(): Promise<RawReply> {
  return new RawReply(200, pageHeaders, (await webBundle()).page);
}

const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': contentSecurityPolicy,
  // The page names its files by their hashes: an old page would ask for files that are gone.
  'Cache-Control': 'no-cache',
};
