import Router from '@koa/router';
import type { Context } from 'koa';
import { AppError } from '../errors.ts';
import { answer, type DoorServices } from './answer.ts';
import { BodyReader } from './body.ts';
import type { Route } from './route.ts';

type Run = ReturnType<Router['routes']>;

interface Area {
  router: Router;
  run: Run;
}

/** Of routes whose number of segments is open. */
const anyLength = '*';
/** Of routes that begin with anything. */
const anywhere = '';

/** The beginning of a path and the number of its segments, by which routes are kept apart: `/api/channels 4`. */
function areasOf(path: string): { exact: string; open: string } {
  const segments = path.toLowerCase().split('/');
  const length = segments.at(-1) === '' ? segments.length - 1 : segments.length;
  const beginning = `/${segments[1] ?? ''}/${segments[2] ?? ''} `;
  return { exact: `${beginning}${length - 1}`, open: beginning + anyLength };
}

/** The area of a declared path. */
function areaOf(path: string): string {
  if (/^(?:\/[^/]+)?\/[:*]/.test(path)) return anywhere;
  const { exact, open } = areasOf(path);
  return path.includes('*') ? open : exact;
}

/**
 * All routes, in routers by what their paths look like: a router compares a path with its routes one by one, and there
 * are hundreds. Fixed paths come before those with parameters, so `/servers/discover` is never an id.
 */
export class MountedRoutes {
  private readonly areas = new Map<string, Area>();

  constructor(routes: Route[], services: DoorServices) {
    const bodies = new BodyReader(services);
    for (const route of [...routes].sort(bySpecificity)) {
      // Declared is the tail alone; the address without it is the same route.
      const path = route.path.replace(/\/\*(\w+)$/, '{/*$1}');
      const { router } = this.open(areaOf(route.path));
      router.register(path, [route.method], (context) => answer(route, context, services, bodies));
    }
  }

  readonly middleware = (context: Parameters<Run>[0], next: () => Promise<unknown>): Promise<unknown> => {
    const areas = this.at(context.path);
    const enter = (at: number): Promise<unknown> => {
      const area = areas[at];
      return area ? area.run(context, () => enter(at + 1)) : next();
    };
    return enter(0);
  };

  /** The methods of the routes at a path. */
  methods(path: string): string[] {
    const layers = this.at(path).flatMap(({ router }) => router.match(path, 'GET').path);
    return [...new Set(layers.flatMap((layer) => layer.methods))];
  }

  private open(name: string): Area {
    const known = this.areas.get(name);
    if (known) return known;
    const router = new Router();
    const area = { router, run: router.routes() };
    this.areas.set(name, area);
    return area;
  }

  private at(path: string): Area[] {
    const { exact, open } = areasOf(path);
    const found: Area[] = [];
    for (const name of [exact, open, anywhere]) {
      const area = this.areas.get(name);
      if (area) found.push(area);
    }
    return found;
  }
}

function bySpecificity(a: Route, b: Route): number {
  const key = (route: Route) =>
    route.path
      .split('/')
      .map((segment) => (segment.startsWith('*') ? '2' : segment.startsWith(':') ? '1' : '0'))
      .join('');
  return key(a) < key(b) ? -1 : 1;
}

/** Answers where there is no route, or none for the method. @throws AppError ROUTE_NOT_FOUND, METHOD_NOT_ALLOWED */
export function refuseRest(routes: MountedRoutes): (context: Context) => never {
  return (context) => {
    const methods = routes.methods(context.path);
    if (methods.length === 0) throw new AppError('ROUTE_NOT_FOUND');
    throw new AppError('METHOD_NOT_ALLOWED', { headers: { Allow: methods.join(', ') } });
  };
}
