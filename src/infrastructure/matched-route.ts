import type { Context } from 'koa';

/** The declared path of the route that answered a request: routes are few, unknown paths endless. */
export function matchedRoute(context: Context): string {
  // The router has no public API for it.
  const matched: unknown = Reflect.get(context, '_matchedRoute');
  return typeof matched === 'string' ? matched : 'none';
}
