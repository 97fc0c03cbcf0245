import type { Actor } from '../contract/actor.ts';
import type { Call } from '../contract/call.ts';
import { invalid, validated } from '../contract/schema/validation.ts';
import { requireScopes, scopesOfCall } from '../contract/scopes.ts';
import type { RateLimits } from '../infrastructure/rate-limits.ts';
import { type RouteServices, readParams, type SentReply, toReply } from './answer.ts';
import { limitCall } from './limits.ts';
import { type AnyRequest, JsonPieces, JsonText, RawReply, type Route, type Surroundings } from './route.ts';

/** What a call within a request is made with. */
export interface GivenInputs {
  /** Path parameters, as they would be in an address. */
  params: Record<string, string>;
  /** The fields of the query and of the body. */
  fields: Record<string, unknown>;
}

/** The request that calls are made within, by whoever sent it. */
export type OuterRequest = Surroundings & { actor: Actor };

interface Services extends Pick<RouteServices, 'used'> {
  limits: RateLimits;
}

/** In UTF-16 units. */
const maxWhole = 4 * 1024 * 1024;

const addressOf = ({ method, path }: Pick<Route, 'method' | 'path'>) => `${method} ${path}`;

/**
 * Makes calls of REST within a request of another protocol: each is limited, checked and handled by its own route, as part
 * of that request and for its caller.
 */
export class InnerCalls {
  private readonly routes: Map<string, Route>;
  private readonly services: Services;

  constructor(routes: Route[], services: Services) {
    this.routes = new Map(routes.map((route) => [addressOf(route), route]));
    this.services = services;
  }

  /** @throws AppError as the call by itself would answer */
  async run(call: Pick<Call, 'method' | 'path'>, given: GivenInputs, outer: OuterRequest): Promise<SentReply> {
    const route = this.routes.get(addressOf(call));
    // Their users show more than what a token alone proves, or what they send are bytes.
    if (!route || route.confirmed || route.receive)
      throw new Error(`${addressOf(call)} cannot be called within a request.`);
    const { actor } = outer;
    await limitCall(this.services.limits, route, actor);
    if (actor.scopes) requireScopes(actor.scopes, scopesOfCall(route));
    if (route.method !== 'GET' && !route.byItself) this.services.used(actor);
    const result = await route.handle(requestOf(route, given, outer));
    if (result instanceof RawReply) throw new Error(`${addressOf(call)} does not answer with a record.`);
    return toReply(route, result instanceof JsonPieces ? await wholeOf(result) : result, actor);
  }
}

/** What is sent in pieces over REST is made whole here, up to a size. @throws AppError VALIDATION_FAILED beyond it */
async function wholeOf({ pieces, closed }: JsonPieces): Promise<JsonText> {
  const parts: string[] = [];
  let size = 0;
  try {
    for await (const piece of pieces) {
      size += piece.length;
      if (size > maxWhole) throw invalid([{ path: '', message: 'has too long an answer', code: 'too_big' }]);
      parts.push(piece);
    }
  } finally {
    closed();
  }
  return new JsonText(parts.join(''));
}

/** The request that the route's handler sees. Repeats are not recognised, but by what the call itself offers. */
function requestOf(route: Route, { params, fields }: GivenInputs, outer: OuterRequest): AnyRequest {
  const { actor, host, ip, userAgent, deviceName, language, requestId, raw, signal } = outer;
  return {
    ...{ actor, host, ip, userAgent, deviceName, language, requestId, raw, signal },
    params: readParams(route, params),
    query: route.query && validated(route.query, fields),
    body: route.body && validated(route.body, fields),
    headers: route.headers && validated(route.headers, {}),
    file: undefined,
    caller: undefined,
    idempotencyKey: null,
  };
}
