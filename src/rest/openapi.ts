import { z } from 'zod';
import { contentHeaders } from '../contract/call.ts';
import { type ErrorCode, errorCodes } from '../contract/error-codes.ts';
import { AppError } from '../contract/errors.ts';
import {
  byStatus,
  errorExample,
  errorSchema,
  errorWith,
  generalErrors,
  tokenErrors,
  withCompanions,
} from '../contract/schema/error-schema.ts';
import { Examples } from '../contract/schema/examples.ts';
import { headline } from '../contract/schema/headline.ts';
import { type JsonSchema, type JsonSchemas, jsonSchemas, resolved } from '../contract/schema/json-schemas.ts';
import { idExample } from '../contract/schema.ts';
import { scopesOfCall } from '../contract/scopes.ts';
import type { Route } from './route.ts';
import { deliverySchemas, signatureParameters, type WebhookDelivery, webhooks } from './webhook-documents.ts';

/** The OpenAPI 3.1 document of the routes: everything in it is read from their declarations. */
export function openApiDocument(routes: Route[], deliveries: WebhookDelivery[], version: string): object {
  const schemas = jsonSchemas(new Map([...schemasOf(routes), ...deliverySchemas(deliveries)]));
  const document = { schemas, examples: new Examples(schemas) };
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = documentPath(route);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, document) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Parley', version, description },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map((route) => route.tag))].sort().map((name) => ({ name })),
    paths,
    webhooks: webhooks(deliveries, document),
    components: {
      schemas: schemas.components,
      parameters: { IdempotencyKey: idempotencyKey, ...signatureParameters },
      examples: errorExamples(routes),
      headers,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An access, agent or personal token.' },
      },
    },
  };
}

const description = `REST for everything that Parley does; its events are described in [/api/asyncapi.json](/api/asyncapi.json).

**Signing in.** Create an account or sign in, and send the \`accessToken\` of the response as
\`Authorization: Bearer …\`. Renew it with \`POST /api/auth/refresh\`. Bots use their agent token, scripts a personal access
token.

**Responses** are JSON and carry \`X-Request-Id\`. Ids are UUIDs, times are ISO 8601 in UTC. Unknown fields of a request
are ignored. Lists of messages run newest first.

**Errors** are \`{ ok: false, error, code, requestId }\`: \`error\` is a sentence for people, \`code\` is stable and for
programs.

**Retries.** A POST with an \`Idempotency-Key\` may be sent again: nothing is done twice, and the first response is
returned again.`;

/** The inputs for the parts of an operation. */
interface Parts {
  schemas: JsonSchemas;
  examples: Examples;
}

const text = { schema: { type: 'string' } };
const headers = {
  RequestId: { description: "The request's own X-Request-Id, or one that was made for it.", ...text },
  Replayed: { description: '`true`: the response to an earlier request with the same key.', ...text },
  HasMore: { description: 'Whether there is more after this page.', schema: { enum: ['true', 'false'] } },
  RetryAfter: { description: 'Whole seconds.', schema: { type: 'integer' } },
  RateLimit: {
    description: 'What is left of the limit, and the seconds until it resets: `"name";r=29;t=60`.',
    ...text,
  },
  RateLimitPolicy: { description: 'The limit and its window in seconds: `"name";q=30;w=60`.', ...text },
};
const quota = {
  RateLimit: { $ref: '#/components/headers/RateLimit' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
};

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'The same caller with the same key at the same address gets the first response again, for 24 hours.',
  schema: { type: 'string', maxLength: 255 },
};

/** Refusals by their codes; operations refer to them. */
function errorExamples(routes: Route[]): Record<string, object> {
  const codes = new Set(routes.filter((route) => !route.errorForm).flatMap(errorsOf));
  const describe = (code: ErrorCode) => ({ summary: errorCodes[code][1], value: errorExample(code) });
  return Object.fromEntries([...codes].sort().map((code) => [code, describe(code)]));
}

/** Every code that a route can answer with: its own, and those that its declaration implies. */
export function errorsOf(route: Route): ErrorCode[] {
  const errors = [...withCompanions(route.errors ?? []), ...generalErrors];
  errors.push(...Object.values(route.params ?? {}).map((param) => param.missing));
  if (route.body || route.file) errors.push('BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (route.file) errors.push('MALFORMED_MULTIPART');
  else if (route.body) errors.push('MALFORMED_JSON');
  if (route.auth === 'required' || route.auth === 'optional') errors.push(...tokenErrors);
  if (route.auth === 'required' && route.method !== 'GET') errors.push('ACCESS_CHANGED');
  if (route.auth === 'required') errors.push('AUTH_TOKEN_MISSING');
  if (route.auth !== 'none' && scopesOfCall(route).length > 0) errors.push('INSUFFICIENT_PAT_SCOPE');
  if (route.confirmed) errors.push('CONFIRMATION_REQUIRED');
  return [...new Set(errors)];
}

/** `/a/:id/*rest` as OpenAPI writes it: `/a/{id}/{rest}`. */
export function documentPath(route: Route): string {
  return route.path.replace(/[:*](\w+)/g, '{$1}');
}

const nameOf = (route: Route, part: 'query' | 'body' | 'headers' | 'answer') => `${route.method} ${route.path} ${part}`;

function schemasOf(routes: Route[]) {
  const schemas = new Map([
    ['Error', errorSchema],
    ...routes.map((route) => [nameOf(route, 'answer'), route.answer] as const),
  ]);
  for (const route of routes) {
    if (route.query) schemas.set(nameOf(route, 'query'), route.query);
    if (route.body) schemas.set(nameOf(route, 'body'), route.body);
    if (route.headers) schemas.set(nameOf(route, 'headers'), route.headers);
  }
  return schemas;
}

function operation(route: Route, parts: Parts): object {
  return {
    operationId: operationId(route),
    ...headline(route.summary),
    tags: [route.tag],
    security: securityOf(route),
    parameters: [
      ...pathParameters(route),
      ...parametersIn(route, 'query', parts),
      ...parametersIn(route, 'headers', parts),
      ...idempotencyParameter(route),
    ],
    ...requestBody(route, parts),
    responses: { ...successes(route, parts), ...refusals(route) },
  };
}

/** `getChannelsByIdMessages`: made of method and path, so it is unique and stays. */
function operationId(route: Route): string {
  const words = route.path.replace(/^\/api/, '').replace(/[:*](\w+)/g, (_, name: string) => `by-${name}`);
  const camel = words.replace(/[^A-Za-z0-9]+(\w?)/g, (_, letter: string) => letter.toUpperCase());
  return route.method.toLowerCase() + camel;
}

function securityOf(route: Route): object[] {
  if (route.auth === 'none') return [];
  const bearer = { bearer: scopesOfCall(route) };
  return route.auth === 'required' ? [bearer] : [{}, bearer];
}

function pathParameters(route: Route): object[] {
  return Object.entries(route.params ?? {}).map(([name, param]) => {
    const schema =
      param.form === 'uuid' ? { type: 'string', format: 'uuid', examples: [idExample] } : { type: 'string' };
    // OpenAPI has no such parameter; this marks it for programs that read the document.
    const tail = route.path.endsWith(`*${name}`) ? { 'x-multi-segment': true } : {};
    return { name, in: 'path', required: true, description: param.description, schema, ...tail };
  });
}

function requestBody(route: Route, { schemas, examples }: Parts): object {
  const body = route.body && schemas.of(nameOf(route, 'body'));
  if (route.file) return { requestBody: { required: true, content: { 'multipart/form-data': formOf(route, body) } } };
  if (!body) return {};
  const required = (resolved(body, schemas).required ?? []).length > 0;
  const text = route.orText ? { 'text/plain': { schema: { type: 'string' } } } : {};
  const content = { 'application/json': { schema: body, example: examples.of(body) }, ...text };
  return { requestBody: { required, content } };
}

function formOf(route: Route, fields: JsonSchema | undefined): object {
  const file = { type: 'string', format: 'binary', description: route.file };
  const schema = { type: 'object', properties: { file }, required: ['file'] };
  return { schema: fields ? { allOf: [schema, fields] } : schema };
}

function parametersIn(route: Route, part: 'query' | 'headers', { schemas }: Parts): object[] {
  if (!route[part]) return [];
  const { properties, required = [] } = resolved(schemas.of(nameOf(route, part)), schemas);
  if (!properties) throw new Error(`The ${part} of ${route.method} ${route.path} are not described as an object.`);
  const place = part === 'query' ? 'query' : 'header';
  return Object.entries(properties).map(([name, schema]) => {
    const description = typeof schema === 'object' ? schema.description : undefined;
    return { name, in: place, required: required.includes(name), ...(description ? { description } : {}), schema };
  });
}

function idempotencyParameter(route: Route): object[] {
  const keyed = route.method === 'POST' && route.auth !== 'none';
  return keyed ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : [];
}

function successes(route: Route, { schemas, examples }: Parts): Record<string, object> {
  const schema = schemas.of(nameOf(route, 'answer'));
  const example = schema.type === 'string' ? {} : { example: examples.of(schema) };
  const content = {
    [route.produces ?? 'application/json']: { schema, ...example },
    ...(route.streams ? { 'text/event-stream': { schema: { type: 'string' } } } : {}),
  };
  const replayed = route.method === 'POST' ? { 'Idempotency-Replayed': { $ref: '#/components/headers/Replayed' } } : {};
  const more = route.paged ? { 'X-Has-More': { $ref: '#/components/headers/HasMore' } } : {};
  const left = route.limit ? quota : {};
  const withId = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' }, ...replayed, ...more, ...left };
  const repeats = route.mayExist || route.recognise !== undefined;
  const statuses = new Set([route.status ?? 200, ...(repeats ? [200] : []), ...(route.mayWait ? [202] : [])]);
  const waiting = (status: number) => (status === 202 ? 'It waits for a decision.' : 'It was there already.');
  const describe = (status: number) => (status === (route.status ?? 200) ? 'Done.' : waiting(status));
  const whole = [...statuses].map((status) => [status, { description: describe(status), headers: withId, content }]);
  const elsewhere = (route.redirects ?? []).map((status) => [
    status,
    { description: 'A redirect to `Location`.', headers: withId },
  ]);
  const refused = route.refusalPage
    ? { [route.refusalPage]: { description: 'A page that says why.', headers: withId } }
    : {};
  return {
    ...(route.headers === contentHeaders ? { 302: { description: inBucket, headers: withId } } : {}),
    ...Object.fromEntries([...whole, ...elsewhere]),
    ...refused,
    ...(route.headers === contentHeaders ? parts(withId, content) : {}),
  };
}

const inBucket = 'Its bytes are elsewhere for some seconds, where files are in a bucket (`S3_REDIRECTS`).';

/** The responses to a request for content, besides the whole of it (contentReply). */
const parts = (headers: object, content: object) => ({
  206: { description: 'The requested part; `Content-Range` says which.', headers, content },
  304: { description: 'It is what you have.', headers },
  416: { description: 'There is no such part; `Content-Range` has the total length.', headers },
});

function refusals(route: Route): Record<string, object> {
  const entries = [...byStatus(errorsOf(route))].map(([status, codes]) => {
    const description = codes.map((code) => `\`${code}\`: ${errorCodes[code][1]}`).join('\n\n');
    const again =
      status === 429 || status === 503 ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } : {};
    const left = codes.includes('RATE_LIMITED') ? quota : {};
    const withId = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' }, ...again, ...left };
    return [status, { description, headers: withId, content: { 'application/json': refusal(route, codes) } }];
  });
  return Object.fromEntries(entries);
}

function refusal({ errorForm }: Route, codes: ErrorCode[]): object {
  if (!errorForm) {
    const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
    return { schema: errorWith(codes), examples: Object.fromEntries(examples) };
  }
  const examples = codes.map((code) => [code, { value: errorForm.body(new AppError(code)) }]);
  return { schema: z.toJSONSchema(errorForm.schema(codes)), examples: Object.fromEntries(examples) };
}
