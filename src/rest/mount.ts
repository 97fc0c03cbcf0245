import Router from '@koa/router';
import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import type { ErrorForm } from '../contract/call.ts';
import { AppError } from '../contract/errors.ts';
import { answer, type RouteServices } from './answer.ts';
import { BodyReader } from './body.ts';
import type { Route } from './route.ts';

type Run = ReturnType<Router['routes']>;

/** The routes that paths of one shape can match. */
interface Area {
  router: Router;
  run: Run;
}

/** How many areas are cached: more than valid requests need, and a bound for invalid ones. */
const maxAreas = 1000;

/**
 * All routes. A router compares a path with its routes one by one, and there are hundreds, so each path shape gets a router
 * with only those that it can match by its fixed segments. Fixed paths precede those with parameters, so
 * `/servers/discover` is never taken for an id.
 */
export class MountedRoutes {
  private readonly all = new Router();
  /** Routes that serve user content, not this site's own. */
  private readonly userContent = new Router();
  /** The fixed segments of all routes. */
  private readonly words = new Set<string>();
  private readonly errorForms: Set<ErrorForm>;
  /** By the shape of their paths: `/api/channels/:/messages`. */
  private readonly areas = new LRUCache<string, Area>({ max: maxAreas });

  constructor(routes: Route[], services: RouteServices) {
    const bodies = new BodyReader(services);
    this.errorForms = new Set(routes.flatMap(({ errorForm }) => errorForm ?? []));
    for (const route of [...routes].sort(bySpecificity)) {
      // The tail is optional: the address without it is the same route.
      const path = route.path.replace(/\/\*(\w+)$/, '{/*$1}');
      const methods = [route.method, ...(route.otherMethods ?? [])];
      this.all.register(path, methods, (context) => answer(route, context, services, bodies));
      if (route.userContent) this.userContent.register(path, methods, () => {});
      for (const segment of route.path.split('/')) if (!isOpen(segment)) this.words.add(segment.toLowerCase());
    }
  }

  readonly middleware = (context: Parameters<Run>[0], next: () => Promise<unknown>): Promise<unknown> =>
    this.at(context.path).run(context, next);

  /** Whether a path leads to user content. */
  isUserContent(path: string): boolean {
    return this.userContent.match(path, 'GET').path.length > 0;
  }

  /** The methods of the routes at a path. */
  methods(path: string): string[] {
    const layers = this.at(path).router.match(path, 'GET').path;
    return [...new Set(layers.flatMap((layer) => layer.methods))];
  }

  /** The error format at a path without a route; undefined: that of contract §2. */
  errorForm(path: string): ErrorForm | undefined {
    const folder = `${path.toLowerCase()}/`;
    return [...this.errorForms].find(({ base }) => folder.startsWith(`${base}/`));
  }

  private at(path: string): Area {
    const shape = shapeOf(path, this.words);
    const name = shape.join('/');
    const known = this.areas.get(name);
    if (known) return known;
    const router = new Router();
    router.stack = this.all.stack.filter((layer) => mayMean(shape, String(layer.path)));
    const area = { router, run: router.routes() };
    this.areas.set(name, area);
    return area;
  }
}

const isOpen = (segment: string): boolean => segment.startsWith(':') || segment.startsWith('*');

/** More segments than any route declares; further ones can only belong to a tail. */
const maxSegments = 12;

/** A path's fixed segments, with placeholders for its values: `/api/channels/:/messages`. */
function shapeOf(path: string, words: Set<string>): string[] {
  return segmentsOf(path).map((segment) => (words.has(segment) ? segment : ':'));
}

/** A trailing slash is ignored. */
function segmentsOf(path: string): string[] {
  const segments = path.toLowerCase().split('/', maxSegments);
  if (segments.at(-1) === '') segments.pop();
  return segments;
}

/** Whether a path of this shape can match a route. @param path as the router has it, with an open tail as `{/*name}` */
function mayMean(shape: string[], path: string): boolean {
  const [fixed = '', tail] = path.split('{');
  const segments = segmentsOf(fixed);
  const fits = tail === undefined ? shape.length === segments.length : shape.length >= segments.length;
  return fits && segments.every((segment, at) => isOpen(segment) || segment === shape[at]);
}

function bySpecificity(a: Route, b: Route): number {
  const key = (route: Route) =>
    route.path
      .split('/')
      .map((segment) => (segment.startsWith('*') ? '2' : segment.startsWith(':') ? '1' : '0'))
      .join('');
  return key(a) < key(b) ? -1 : 1;
}

/** Refuses a path without a route, or without one for the method. @throws AppError ROUTE_NOT_FOUND, METHOD_NOT_ALLOWED */
export function refuseRest(routes: MountedRoutes): (context: Context) => never {
  return (context) => {
    context.state.errorForm = routes.errorForm(context.path);
    const methods = routes.methods(context.path);
    if (methods.length === 0) throw new AppError('ROUTE_NOT_FOUND');
    throw new AppError('METHOD_NOT_ALLOWED', { headers: { Allow: methods.join(', ') } });
  };
}
