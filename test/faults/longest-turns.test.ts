// nodes: own
// alone

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import type { z } from 'zod';
import type { JsonSchema } from '../../src/contract/schema/json-schemas.ts';
import type { Route } from '../../src/rest/route.ts';
import { fieldsOf, paramFor, type Samples, sampleFor, samplesOf } from '../rest/samples.ts';
import { shareOf } from '../rig/long.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { until } from '../rig/until.ts';
import { NodeProcess, siteEnvironment } from '../world/node-process.ts';
import { migrated, sharedCluster } from '../world/nodes.ts';
import { type Listener, request } from '../world/person.ts';
import { type World, worldOn } from '../world/world.ts';

/** Bytes of JSON that a request may carry, with room for what is around a value. */
const largestBody = 2 * 1024 * 1024 - 1000;
/** What is tried this often counts with its best turn: a processor shared with others is late now and then. */
const tries = 3;
/** Milliseconds of processor time that a turn may take on a slow machine, twice what it may take here (contract §13). */
const longestTurn = 100;

const cluster = await sharedCluster();
const { routes = [], handlers = [] } = cluster.nodes[0]?.endpoints ?? {};
const meter = path.resolve(import.meta.dirname, '../rig/turn-meter.ts');

/** What took how long. */
interface Turn {
  what: string;
  ms: number;
}

describe('the turns of the event loop', () => {
  let database: TestDatabase;
  let node: NodeProcess;
  let here: World<NodeProcess, { nodes: NodeProcess[] }>;
  let samples: Samples;
  let mouth: Listener;
  const dataDir = mkdtempSync(path.join(tmpdir(), 'parley-turns-'));
  const turns: Turn[] = [];

  before(async () => {
    database = await createDatabase(migrated);
    const env = siteEnvironment(database.url, null, dataDir);
    node = await NodeProcess.start({ ...env, NODE_OPTIONS: `--import=${meter}` });
  });
  after(async () => {
    here?.close();
    await node.stop();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function renew(): Promise<void> {
    here?.close();
    here = await worldOn({ nodes: [node] });
    samples = await samplesOf(here);
    mouth = await here.alice.connect();
  }

  /** The longest turn since this was last asked. */
  async function longestSince(): Promise<number> {
    const isTold = (line: string) => line.startsWith('{"longestTurnMs"');
    const count = node.lines.filter(isTold).length;
    node.signal('SIGUSR2');
    await until(() => node.lines.filter(isTold).length > count);
    return JSON.parse(node.lines.findLast(isTold) ?? '{}').longestTurnMs;
  }

  async function measure(what: string, act: () => Promise<unknown>): Promise<void> {
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < tries; i++) {
      await longestSince();
      await act();
      least = Math.min(least, await longestSince());
      if (least < longestTurn / 4) break;
    }
    turns.push({ what, ms: least });
  }

  it('are short, whatever a request says', async () => {
    for (const [at, route] of routes.entries()) {
      // Each has its own account: some end sessions.
      if (route.method !== 'GET' || here === undefined) await renew();
      for (const body of bodiesOf(route.body, samples, at)) {
        await measure(`${route.method} ${route.path}`, () => send(route, here, samples, body));
      }
    }
  });

  it('are short, whatever an event says', async () => {
    await renew();
    for (const [at, handler] of handlers.entries()) {
      for (const payload of bodiesOf(handler.payload, samples, at)) {
        if (!mouth.socket.connected) mouth = await here.alice.connect();
        await measure(handler.event, () => mouth.emit(handler.event, payload).catch(() => {}));
      }
    }
  });

  it('are short for what is no request at all', async () => {
    const token = { authorization: `Bearer ${here.alice.token}` };
    const post = (body: string) => request(node, 'POST', `/api/channels/${here.channel.id}/messages`, body, token);
    for (const [what, body] of Object.entries(nonsense())) await measure(what, () => post(body));
  });

  it('are told', () => {
    const worst = turns.sort((one, other) => other.ms - one.ms).slice(0, 10);
    for (const { what, ms } of worst) process.stdout.write(`${ms.toFixed(1).padStart(10)} ms  ${what}\n`);
    expect(worst.filter(({ ms }) => ms > longestTurn)).to.deep.equal([]);
  });
});

function send(route: Route, { alice }: World<NodeProcess, unknown>, samples: Samples, body: unknown): Promise<unknown> {
  const params = Object.entries(route.params ?? {});
  const given = new Map(params.map(([name, param]) => [name, encodeURIComponent(paramFor(name, param, samples))]));
  const at = route.path.replace(/[:*](\w+)/g, (_, name: string) => given.get(name) ?? 'x');
  const query = route.query ? Object.entries(sampleFor(route.query, samples)) : [];
  const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, String(value)]));
  const token = { authorization: `Bearer ${alice.token}` };
  return request(alice.node, route.method, `${at}?${search}`, body, token).catch(() => {});
}

/** As the schema has it, and with everything as large as it may be. @param at which one of those with bodies it is */
function bodiesOf(schema: z.ZodType | undefined, samples: Samples, at: number): unknown[] {
  if (!schema) return [undefined];
  const base = sampleFor(schema, samples);
  return [base, ...largestOf(schema, at).map((large) => ({ ...base, ...large }))];
}

/** Each field by itself at its largest, or in a short run some of them, and all together. */
function largestOf(schema: z.ZodType, at: number): Record<string, unknown>[] {
  const fields = fieldsOf(schema);
  const each = fields.map(({ name, schema }) => ({ [name]: largest(schema, largestBody) }));
  const all = Object.fromEntries(
    fields.map(({ name, schema }) => [name, largest(schema, largestBody / fields.length)]),
  );
  return [...shareOf(each, 4, at), all];
}

function largest(schema: JsonSchema, bytes: number): unknown {
  const { type, enum: values, anyOf = [], items, properties, maxItems, maxLength } = schema;
  if (values) return values.at(-1);
  const [other] = anyOf.filter((option) => option.type !== 'null').slice(-1);
  if (other) return largest(other, bytes);
  if (type === 'integer' || type === 'number') return schema.maximum ?? Number.MAX_SAFE_INTEGER;
  if (type === 'boolean') return true;
  if (type === 'array') {
    const item = largest(typeof items === 'object' && !Array.isArray(items) ? items : {}, Math.min(bytes / 2, 2000));
    const each = Buffer.byteLength(JSON.stringify(item ?? null)) + 1;
    return Array(Math.max(1, Math.min(Number(maxItems ?? 50_000), Math.floor(bytes / each)))).fill(item);
  }
  if (type === 'object' && properties) {
    const fields = Object.entries(properties);
    return Object.fromEntries(
      fields.map(([name, field]) => [name, largest(typeof field === 'object' ? field : {}, bytes / fields.length)]),
    );
  }
  if (type === 'object' || type === undefined) return wide(bytes);
  return '*'.repeat(Math.min(Number(maxLength ?? bytes), Math.floor(bytes)));
}

/** An object with as many fields as fit. */
function wide(bytes: number): Record<string, unknown> {
  const count = Math.min(40_000, Math.floor(bytes / 20));
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`field${i}`, { a: i }]));
}

/** Bodies that are looked at before anything is known of them. */
function nonsense(): Record<string, string> {
  const full = (piece: string) => piece.repeat(Math.floor(largestBody / piece.length));
  return {
    'open brackets': full('['),
    'open objects': full('{"a":'),
    'empty lists': `[${full('[],').slice(0, -1)}]`,
    numbers: `[${full('1,').slice(0, -1)}]`,
    'long numbers': full('1'),
    strings: `[${full('"",').slice(0, -1)}]`,
    'escaped characters': `"${full('\\u0000')}"`,
    quotes: full('"'),
    backslashes: `"${full('\\\\')}"`,
    blanks: full(' '),
    'many keys': `{${Array.from({ length: 120_000 }, (_, i) => `"k${i}":0`).join(',')}}`,
    'the same key': `{${full('"a":0,').slice(0, -1)}}`,
    'keys of a prototype': `{${full('"__proto__":0,').slice(0, -1)}}`,
    'a long text': JSON.stringify({ content: 'x'.repeat(largestBody) }),
    'a text of many bytes': JSON.stringify({ content: '€'.repeat(largestBody / 3) }),
    'mentions of many': JSON.stringify({ content: Array.from({ length: 3000 }, (_, i) => `@u${i}`).join(' ') }),
    'half mentions': JSON.stringify({ content: '<@'.repeat(8000) }),
    'stars in a text': JSON.stringify({ content: '*'.repeat(16_000) }),
  };
}
