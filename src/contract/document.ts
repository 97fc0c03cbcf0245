import { z } from 'zod';
import { assetHeaders, calls, rawAnswer, textParam } from './call.ts';

const tag = 'Documents';
const part = z.record(z.string(), z.unknown());

export const documentCalls = calls(tag, {
  getOpenApi: {
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This document: all routes, as OpenAPI 3.1.',
    auth: 'none',
    answer: z.object({
      openapi: z.string(),
      info: part,
      servers: z.array(part),
      tags: z.array(part),
      paths: part,
      webhooks: part,
      components: part,
    }),
  },
  getAsyncApi: {
    method: 'GET',
    path: '/api/asyncapi.json',
    summary: 'All events of the sockets, both ways, as AsyncAPI 3.',
    auth: 'none',
    answer: z.object({
      asyncapi: z.string(),
      info: part,
      defaultContentType: z.string(),
      channels: part,
      operations: part,
      components: part,
    }),
  },
});

/** The documents for people: a page that shows them, and its files. */
export const referenceCalls = calls(tag, {
  getReference: {
    method: 'GET',
    path: '/docs',
    summary: 'The API documents, to read and to try out.',
    auth: 'none',
    answer: rawAnswer,
    produces: 'text/html',
  },
  getReferenceAsset: {
    method: 'GET',
    path: '/docs/assets/:asset',
    summary: 'A script of that page.',
    auth: 'none',
    params: { asset: textParam('ROUTE_NOT_FOUND', 'Name of the file.') },
    headers: assetHeaders,
    answer: rawAnswer,
    produces: 'text/javascript',
    errors: ['ROUTE_NOT_FOUND'],
  },
});
