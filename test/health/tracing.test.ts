// nodes: own

import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { expect } from 'chai';
import { openTracing } from '../../src/infrastructure/tracing.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { until } from '../rig/until.ts';
import { keptLog } from '../world/kept-log.ts';
import { startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { world } from '../world/world.ts';

interface Received {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  attributes: Record<string, unknown>;
}

/** A collector of OpenTelemetry that keeps the spans it is sent. */
async function startCollector() {
  const spans: Received[] = [];
  const services = new Set<unknown>();
  const state = { refuses: false };
  const take = async (request: IncomingMessage) => {
    const body: Loose = await json(request);
    for (const { resource, scopeSpans } of body.resourceSpans) {
      services.add(valuesOf(resource.attributes)['service.name']);
      for (const { name, traceId, spanId, parentSpanId, attributes } of scopeSpans.flatMap(
        (scope: Loose) => scope.spans,
      ))
        spans.push({ name, traceId, spanId, parentSpanId, attributes: valuesOf(attributes) });
    }
  };
  const server = createServer((request, response) => {
    take(request).then(() => {
      response.statusCode = state.refuses ? 400 : 200;
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const stop = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
  return { spans, services, state, url: `http://127.0.0.1:${port}/v1/traces`, stop };
}

function valuesOf(attributes: Loose): Record<string, unknown> {
  const entries: Loose[] = attributes;
  return Object.fromEntries(entries.map(({ key, value }) => [key, Object.values(value)[0]]));
}

describe('tracing', () => {
  let collector: Awaited<ReturnType<typeof startCollector>>;
  before(async () => {
    collector = await startCollector();
  });
  after(() => collector.stop());

  it('is off unless the environment names a collector', () => {
    const base = { NODE_ENV: 'test', JWT_SECRET: 'some secret for the tests of settings' };
    const urlOf = (more: Record<string, string>) => loadSettings({ ...base, ...more }).tracesUrl;
    expect(urlOf({})).to.equal(null);
    expect(urlOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/' })).to.equal('http://c:4318/v1/traces');
    expect(urlOf({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c/x' })).to.equal('http://c/x');
    expect(urlOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_SDK_DISABLED: 'true' })).to.equal(null);
    expect(() => urlOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' })).to.throw(/OTEL_EXPORTER_OTLP_ENDPOINT/);
  });

  it('loads nothing while it is off: one file knows the packages, and it is loaded on demand alone', () => {
    const src = path.resolve(import.meta.dirname, '../../src');
    const files = globSync('**/*.ts', { cwd: src });
    const holding = (pattern: RegExp) =>
      files.filter((file) => pattern.test(readFileSync(path.join(src, file), 'utf8')));
    expect(holding(/from '@opentelemetry\//)).to.deep.equal(['infrastructure/otlp.ts']);
    expect(holding(/from '[./\w]*\/otlp\.ts'/)).to.deep.equal([]);
    expect(holding(/import\('\.\/otlp\.ts'\)/)).to.deep.equal(['infrastructure/tracing.ts']);
  });

  it('shows requests, events, batches and statements, without a value of theirs', async () => {
    const cluster = await startCluster({ nodes: 1, settings: { tracesUrl: collector.url } });
    const { alice, channel, close } = await world(cluster);
    const traceId = 'af7651916cd43dd8448eb211c80319c0';
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    await alice.post(`/api/channels/${channel.id}/messages`, { content: 'the words of a message' }, headers);
    const socket = await alice.listen(channel.id);
    await socket.emit('message:send', { channelId: channel.id, content: 'the words of a message' });
    close();
    // What is left is sent when the node ends.
    await cluster.stop();
    await until(() => collector.spans.some(({ name }) => name === 'message:send'));
    const { spans } = collector;
    const request = spans.find((span) => span.traceId === traceId && span.name.startsWith('POST'));
    expect(request?.name).to.equal('POST /api/channels/:channelId/messages');
    expect(request?.parentSpanId).to.equal('b7ad6b7169203331');
    expect(request?.attributes).to.include({ 'http.response.status_code': 201, 'http.request.method': 'POST' });
    const batch = spans.find(({ name }) => name === 'write batch');
    expect(batch?.attributes['parley.batch.size']).to.equal(1);
    const texts = spans.flatMap(({ parentSpanId, attributes }) =>
      parentSpanId === batch?.spanId ? [String(attributes['db.query.text'])] : [],
    );
    expect(texts.join('\n')).to.match(/INSERT INTO messages/i);
    expect([...collector.services]).to.deep.equal(['parley']);
    const told = JSON.stringify(spans);
    for (const secret of ['the words of a message', alice.username, alice.token]) expect(told).not.to.contain(secret);
  });

  it('says once when its collector takes nothing, and when it does again', async () => {
    const { log, messages } = keptLog();
    process.env.OTEL_BSP_SCHEDULE_DELAY = '20';
    const tracing = await openTracing({ tracesUrl: collector.url }, 'a node', log);
    delete process.env.OTEL_BSP_SCHEDULE_DELAY;
    const send = async () => {
      const { length } = collector.spans;
      await tracing.span({ name: 'work', kind: 'internal' }, async () => {});
      await until(() => collector.spans.length > length);
    };
    await send();
    collector.state.refuses = true;
    for (let i = 0; i < 3; i++) await send();
    await until(() => messages.length === 1);
    collector.state.refuses = false;
    await send();
    await until(() => messages.length === 2);
    await tracing.close();
    expect(messages).to.deep.equal([
      'Traces do not arrive at their collector; they are thrown away until they do.',
      'Traces arrive at their collector again.',
    ]);
  });
});
