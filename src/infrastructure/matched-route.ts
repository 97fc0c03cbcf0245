import type { Context } from 'koa';

/** The path of the route that answered a request, as it is declared: there are few of them, and no end of what is nowhere. */
export function matchedRoute(context: Context): string {
  // The router has no public way to it.
  const matched: unknown = Reflect.get(context, '_matchedRoute');
  return typeof matched === 'string' ? matched : 'none';
}
