import { AppError } from '../contract/errors.ts';
import { pageCalls } from '../contract/page.ts';
import { withNonce } from '../infrastructure/asset.ts';
import { assetReply } from '../rest/content.ts';
import { RawReply, type Route, serve } from '../rest/route.ts';
import { webBundle } from './bundle.ts';
import { clientModule } from './client-module.ts';
import { contentPolicy, stagePage, stagePolicy, workerPolicy } from './content-policy.ts';
import { appIcons, manifest, serviceWorker } from './installed.ts';

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="10" fill="#007a72"/><path fill="#fff" d="M16.8 5.5a8.6 8.6 0 0 0-8.6 8.6v11.7c0 .9 1.1 1.3 1.7.6l3.2-4.54a8.6 8.6 0 1 0 3.7-16.36z"/><circle cx="16.8" cy="14.1" r="3.1" fill="#ff7a59"/></svg>`;

/**
 * The web client: one page for all addresses under /app, and its files.
 * @param appsOrigin where apps are served, when it is another one
 * @param filesOrigin where clients are sent for files, if they are
 */
export function appRoutes(appsOrigin: string | null, filesOrigin: string | null): Route[] {
  const general = contentPolicy(appsOrigin, filesOrigin);
  const sendPage = async () => {
    const { page, policy } = withNonce((await webBundle()).page, general);
    // The page refers to files by their hashes: an old page would request files that are gone.
    const headers = { 'Content-Type': html, 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' };
    return new RawReply(200, headers, page);
  };
  const sendIcon = async () => new RawReply(200, iconHeaders, icon);
  return serve(pageCalls, {
    getRoot: async () => new RawReply(302, { Location: '/app' }),
    getWebClient: sendPage,
    getWebClientPage: sendPage,
    getStage: async () => new RawReply(200, stageHeaders, stagePage),
    getIcon: sendIcon,
    getFavicon: sendIcon,
    getManifest: async () => new RawReply(200, manifestHeaders, manifest),
    async getAppIcon({ params }) {
      const found = appIcons.get(params.icon);
      if (!found) throw new AppError('ROUTE_NOT_FOUND');
      return new RawReply(200, { ...iconHeaders, 'Content-Type': 'image/png' }, found);
    },
    getServiceWorker: async () => new RawReply(200, workerHeaders, await serviceWorker()),
    async getAsset({ params, headers }) {
      const found = (await webBundle()).assets.get(params.asset);
      if (!found) throw new AppError('ROUTE_NOT_FOUND');
      return assetReply(found, headers);
    },
    getClientModule: async ({ headers }) => assetReply(await clientModule(), headers, 'max-age=300'),
  });
}

const html = 'text/html; charset=utf-8';
const stageHeaders = {
  'Content-Type': html,
  'Content-Security-Policy': stagePolicy,
  'Cache-Control': 'no-cache',
  // The policy decides who may show it in a frame.
  'X-Frame-Options': null,
};
const manifestHeaders = { 'Content-Type': 'application/manifest+json', 'Cache-Control': 'public, max-age=86400' };
const workerHeaders = {
  'Content-Type': 'text/javascript; charset=utf-8',
  'Content-Security-Policy': workerPolicy,
  // Browsers compare it with the one that they run: nothing in between may keep an old one.
  'Cache-Control': 'no-cache',
  // Also of the address without a slash at its end.
  'Service-Worker-Allowed': '/app',
};
const iconHeaders = { 'Content-Type': 'image/svg+xml', 'Cache-Control': 'public, max-age=86400' };
