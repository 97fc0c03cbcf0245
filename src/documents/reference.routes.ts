import { AppError } from '../errors.ts';
import { assetHeaders, assetReply } from '../rest/content.ts';
import { RawReply, type Route, rawAnswer, route, textParam } from '../rest/route.ts';
import { reference } from './reference.ts';

const tag = 'Documents';

/** Scripts and connections are our own alone. Styles may stand in the page: Scalar sets them on each element. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The documents for people: a page that shows them, and its files. */
export function referenceRoutes(): Route[] {
  return [
    route({
      method: 'GET',
      path: '/docs',
      summary: 'The API documents, to read and to try out.',
      tag,
      auth: 'none',
      answer: rawAnswer,
      produces: 'text/html',
      handle: async () => new RawReply(200, pageHeaders, (await reference()).page),
    }),
    route({
      method: 'GET',
      path: '/docs/assets/:asset',
      summary: 'A script of that page.',
      tag,
      auth: 'none',
      params: { asset: textParam('ROUTE_NOT_FOUND', 'Name of the file.') },
      headers: assetHeaders,
      answer: rawAnswer,
      produces: 'text/javascript',
      errors: ['ROUTE_NOT_FOUND'],
      async handle({ params, headers }) {
        const asset = (await reference()).assets.get(params.asset);
        if (!asset) throw new AppError('ROUTE_NOT_FOUND');
        return assetReply(asset, headers);
      },
    }),
  ];
}

const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': contentSecurityPolicy,
  // The page names its files by their hashes: an old page would ask for files that are gone.
  'Cache-Control': 'no-cache',
};
