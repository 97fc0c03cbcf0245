// nodes: own

import { expect } from 'chai';
import type { Route } from '../../src/rest/route.ts';
import { shareOf } from '../rig/long.ts';
import { sharedCluster } from '../world/nodes.ts';
import { type Answer, type Person, request } from '../world/person.ts';
import { type World, world } from '../world/world.ts';
import { nastyBodies, nastyTexts, nastyValues } from './nasty.ts';
import { fieldsOf, paramFor, type Samples, sampleFor, samplesOf } from './samples.ts';
import { expectDeclared } from './verdict.ts';

/** One request to a route; parts that are left out are as they should be. */
interface Attempt {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

const cluster = await sharedCluster();
const routes = cluster.nodes[0]?.endpoints.routes ?? [];

describe('every route answers nonsense in an orderly way', () => {
  for (const [at, route] of routes.entries()) {
    it(`${route.method} ${route.path}`, async () => {
      const { here, samples } = await (route.method === 'GET' ? placeToRead() : newPlace());
      // Each route has other ones of the values: on some of them every value is tried.
      const attempts = [{}, ...shareOf(attemptsAt(route, samples), 6, at)];
      await judge(route, here, samples, attempts);
      const { alice, bob } = here;
      expect((await request(alice.node, 'GET', '/readyz')).status).to.equal(200);
      // The caller may have signed out or left by now; others go on as before.
      expect((await bob.get('/api/auth/me')).body.id).to.equal(bob.id);
    });
  }
});

/** Where requests go to. */
interface Place {
  here: World;
  samples: Samples;
}

async function newPlace(): Promise<Place> {
  const here = await world(cluster);
  return { here, samples: await samplesOf(here) };
}

let read: Promise<Place> | undefined;

/** The same one for all that only read, since it stays as it is. */
function placeToRead(): Promise<Place> {
  read ??= newPlace();
  return read;
}

const atOnce = 8;

async function judge(route: Route, { alice, bob }: World, samples: Samples, attempts: Attempt[]): Promise<void> {
  const callers = [alice, alice.on(bob.node)];
  const waiting = attempts.entries();
  const work = async () => {
    for (const [i, attempt] of waiting) {
      const caller = callers[i % callers.length] ?? alice;
      const answer = await send(route, caller, samples, attempt);
      try {
        expectDeclared(route, answer);
      } catch (error) {
        const told = `${JSON.stringify(attempt)?.slice(0, 300)} → ${answer.status} ${JSON.stringify(answer.body)}`;
        throw new Error(`${told.slice(0, 1000)}: ${error instanceof Error ? error.message : error}`);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

function send(route: Route, caller: Person, samples: Samples, attempt: Attempt): Promise<Answer> {
  const params = { ...paramsFor(route, samples), ...attempt.params };
  const path = route.path.replace(/[:*](\w+)/g, (_, name: string) => encode(params[name] ?? 'x'));
  const query = { ...(route.query ? sampleFor(route.query, samples) : {}), ...attempt.query };
  const search = Object.entries(query).map(([name, value]) => `${name}=${encode(String(value))}`);
  const body = attempt.body ?? (route.body ? sampleFor(route.body, samples) : undefined);
  const token = { authorization: `Bearer ${caller.token}` };
  return request(caller.node, route.method, `${path}${search.length ? '?' : ''}${search.join('&')}`, body, token);
}

/** Percent-encodes also what has no UTF-8, as bytes that are none. Empty and dots would be other paths. */
function encode(text: string): string {
  if (text === '') return '%20';
  if (/^\.+$/.test(text)) return text.replaceAll('.', '%252e');
  return text.isWellFormed() ? encodeURIComponent(text) : '%ed%a0%80';
}

function paramsFor(route: Route, samples: Samples): Record<string, string> {
  const given = Object.entries(route.params ?? {});
  return Object.fromEntries(given.map(([name, param]) => [name, paramFor(name, param, samples)]));
}

function attemptsAt(route: Route, samples: Samples): Attempt[] {
  const inPath = Object.keys(route.params ?? {}).flatMap((name) =>
    nastyTexts.map((text) => ({ params: { [name]: text.slice(0, 2000) } })),
  );
  return [...inPath, ...queries(route, samples), ...bodies(route, samples)];
}

function queries(route: Route, samples: Samples): Attempt[] {
  const { query } = route;
  if (!query) return [];
  const names = fieldsOf(query).map(({ name }) => name);
  // Waiting is no nonsense; it only takes long.
  const short = (given: Record<string, unknown>) => !(Number(given.wait) > 0);
  const base = sampleFor(query, samples);
  const one = names.flatMap((name) => nastyTexts.map((text) => ({ [name]: text.slice(0, 2000) })));
  const all = nastyTexts.map((text) => Object.fromEntries(names.map((name) => [name, text.slice(0, 500)])));
  const telling = one.filter((given) => query.safeParse({ ...base, ...given }).success);
  return [...telling, ...all].filter(short).map((query) => ({ query }));
}

/** Values that the schema lets through go one by one, since they get furthest; the others all together. */
function bodies(route: Route, samples: Samples): Attempt[] {
  const { body } = route;
  if (!body) return route.method === 'GET' ? [] : nastyBodies.slice(0, 3).map((text) => ({ body: text }));
  const names = fieldsOf(body).map(({ name }) => name);
  const passing = names.flatMap((name) =>
    nastyValues
      .filter((value) => body.safeParse({ ...sampleFor(body, samples), [name]: value }).success)
      .map((value) => ({ body: { ...sampleFor(body, samples), [name]: value } })),
  );
  const all = nastyValues.map((value) => ({ body: Object.fromEntries(names.map((name) => [name, value])) }));
  return [...passing, ...all, ...nastyBodies.map((text) => ({ body: text }))];
}
