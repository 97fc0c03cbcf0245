import { AppError } from '../contract/errors.ts';
import { withNonce } from '../infrastructure/page-nonce.ts';
import { assetHeaders, assetReply } from '../rest/content.ts';
import { RawReply, type Route, rawAnswer, route, textParam } from '../rest/route.ts';
import { webBundle } from './bundle.ts';
import { clientModule } from './client-module.ts';
import { contentPolicy, stagePage, stagePolicy } from './content-policy.ts';

const tag = 'Pages';
const page = textParam('ROUTE_NOT_FOUND', 'A place in the web client.');
const asset = textParam('ROUTE_NOT_FOUND', 'Name of the file.');

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#5b5bd6"/><path d="M8 9h16a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-8l-5 4v-4H8a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2z" fill="#fff"/></svg>`;

/**
 * The web client: one page for all addresses under /app, and its files.
 * @param appsOrigin where apps are served, when it is another one
 */
export function appRoutes(appsOrigin: string | null): Route[] {
  return [...placeRoutes(appsOrigin), ...fileRoutes()];
}

function placeRoutes(appsOrigin: string | null): Route[] {
  const general = contentPolicy(appsOrigin);
  const sendPage = async () => {
    const { page, policy } = withNonce((await webBundle()).page, general);
    // The page refers to files by their hashes: an old page would request files that are gone.
    const headers = { 'Content-Type': html, 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' };
    return new RawReply(200, headers, page);
  };
  const shared = { tag, auth: 'none', answer: rawAnswer, method: 'GET', produces: 'text/html' } as const;
  return [
    route({
      ...shared,
      path: '/',
      summary: 'Leads to the web client.',
      status: 302,
      produces: 'text/plain',
      handle: async () => new RawReply(302, { Location: '/app' }),
    }),
    route({ ...shared, path: '/app', summary: 'The web client.', handle: sendPage }),
    route({
      ...shared,
      path: '/app/*page',
      summary: 'The web client, at one of its places.',
      params: { page },
      handle: sendPage,
    }),
    route({
      ...shared,
      path: '/app/stage',
      summary: 'A frame of the web client in which the home pages of servers are shown.',
      handle: async () => new RawReply(200, stageHeaders, stagePage),
    }),
  ];
}

const html = 'text/html; charset=utf-8';
const stageHeaders = {
  'Content-Type': html,
  'Content-Security-Policy': stagePolicy,
  'Cache-Control': 'no-cache',
  // The policy decides who may show it in a frame.
  'X-Frame-Options': null,
};

function fileRoutes(): Route[] {
  return [
    iconRoute('/app/icon.svg', 'The icon of the web client.'),
    iconRoute('/favicon.ico', 'The same, where browsers look for it that are shown no page.'),
    route({
      tag,
      auth: 'none',
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
    clientRoute(),
  ];
}

function iconRoute(path: string, summary: string): Route {
  const headers = { 'Content-Type': 'image/svg+xml', 'Cache-Control': 'public, max-age=86400' };
  return route({
    tag,
    auth: 'none',
    answer: rawAnswer,
    method: 'GET',
    path,
    summary,
    produces: 'image/svg+xml',
    handle: async () => new RawReply(200, headers, icon),
  });
}

function clientRoute(): Route {
  return route({
    tag,
    auth: 'none',
    answer: rawAnswer,
    method: 'GET',
    path: '/client.js',
    summary: 'The typed client as a module for browsers: `import { Parley } from "/client.js"`.',
    headers: assetHeaders,
    produces: 'text/javascript',
    handle: async ({ headers }) => assetReply(await clientModule(), headers, 'max-age=300'),
  });
}
