import { referenceCalls } from '../../contract/document.ts';
import { AppError } from '../../contract/errors.ts';
import { nonceMark, withNonce } from '../../infrastructure/page-nonce.ts';
import { assetReply } from '../../rest/content.ts';
import { RawReply, type Route, serve } from '../../rest/route.ts';
import { reference } from './reference.ts';

/** Only the scripts that the page names, and connections to this site. Styles may stand in the page: Scalar sets them on each element. */
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
  // The page names its files by their hashes: an old page would ask for files that are gone.
  'Cache-Control': 'no-cache',
};
