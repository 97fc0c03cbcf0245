import { assetHeaders, calls, rawAnswer, textParam } from './call.ts';

const page = { method: 'GET', auth: 'none', answer: rawAnswer, produces: 'text/html' } as const;
const icon = { ...page, produces: 'image/svg+xml' } as const;

/** The web client, and its files. */
export const pageCalls = calls('Pages', {
  getRoot: { ...page, path: '/', summary: 'Leads to the web client.', status: 302, produces: 'text/plain' },
  getWebClient: { ...page, path: '/app', summary: 'The web client.' },
  getWebClientPage: {
    ...page,
    path: '/app/*page',
    summary: 'The web client, at one of its places.',
    params: { page: textParam('ROUTE_NOT_FOUND', 'A place in the web client.') },
  },
  getStage: {
    ...page,
    path: '/app/stage',
    summary: 'A frame of the web client in which the home pages of servers are shown.',
  },
  getIcon: { ...icon, path: '/app/icon.svg', summary: 'The icon of the web client.' },
  getManifest: {
    ...page,
    path: '/app/manifest.webmanifest',
    summary: 'What makes the web client an app that can be installed.',
    produces: 'application/manifest+json',
  },
  getAppIcon: {
    ...page,
    path: '/app/icons/:icon',
    summary: 'An icon of the installed web client.',
    params: { icon: textParam('ROUTE_NOT_FOUND', 'Name of the file.') },
    produces: 'image/png',
    errors: ['ROUTE_NOT_FOUND'],
  },
  getServiceWorker: {
    ...page,
    path: '/app/sw.js',
    summary: 'The service worker of the web client: it shows pushes, and starts the page without a connection.',
    produces: 'text/javascript',
  },
  getFavicon: {
    ...icon,
    path: '/favicon.ico',
    summary: 'The same, where browsers look for it that are shown no page.',
  },
  getAsset: {
    ...page,
    path: '/app/assets/:asset',
    summary: 'A script or style of the web client.',
    params: { asset: textParam('ROUTE_NOT_FOUND', 'Name of the file.') },
    headers: assetHeaders,
    produces: 'text/javascript',
    errors: ['ROUTE_NOT_FOUND'],
  },
  getClientModule: {
    ...page,
    path: '/client.js',
    summary: 'The typed client as a module for browsers: `import { Parley } from "/client.js"`.',
    headers: assetHeaders,
    produces: 'text/javascript',
  },
});

/** A page that works by itself, independent of the web client. */
export const resetPageCalls = calls('Pages', {
  getResetPage: {
    ...page,
    path: '/app/reset-password',
    summary: 'Where a mailed link leads: set a new password.',
  },
});
