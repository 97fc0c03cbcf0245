import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { expect } from 'chai';
import { raw } from '../rest/raw.ts';
import { until } from '../rig/until.ts';
import { bot } from '../world/bot.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Answer, type Loose, type Person, request } from '../world/person.ts';
import { register } from '../world/world.ts';
import { type Behaviour, counts, delta, json, type Provider, provider, stream } from './provider.ts';

const messages = [{ role: 'user', content: 'Hello?' }];

describe('the model proxy', () => {
  let models: Provider;
  let cluster: Cluster;
  let owner: Person;
  /** The node that the runtime talks to; the token was minted on another one, where there is one. */
  let url: string;
  let token: string;

  const nodeAt = (index: number) => {
    const node = cluster.nodes[index % cluster.nodes.length];
    if (!node) throw new Error('no node');
    return node;
  };
  const call = (path: string, body?: unknown, key = token): Promise<Answer> =>
    request({ url }, body === undefined ? 'GET' : 'POST', `/api/ai/v1${path}`, body, {
      authorization: `Bearer ${key}`,
    });
  const ask = (more: object = {}) => call('/chat/completions', { model: 'small', messages, ...more });

  before(async () => {
    models = await provider();
    cluster = await startCluster({
      settings: {
        modelUpstream: { url: models.url, key: 'the-key', models: ['small', 'org/large'] },
        modelProxy: { answerTimeoutMs: 2500, idleTimeoutMs: 2500, maxAnswerBytes: 100_000 },
      },
    });
    owner = await register(nodeAt(0));
    url = nodeAt(1).url;
    const minted = await owner.post('/api/ai/tokens', { runtimeId: 'runtime-1', templateSlug: 'chatty' });
    expect(minted.status).to.equal(201);
    expect(minted.body).to.include({ runtimeId: 'runtime-1', templateSlug: 'chatty', models: null });
    token = minted.body.token;
    expect(token).to.match(/^smp_/);
  });
  after(async () => {
    await cluster.stop();
    await models.close();
  });

  it('lists the models that are offered, and shows one, slashes and all', async () => {
    const list = await call('/models');
    expect(list.body.object).to.equal('list');
    expect(list.body.data.map((model: { id: string }) => model.id)).to.deep.equal(['small', 'org/large']);
    expect((await call('/models/org/large')).body).to.include({ id: 'org/large', object: 'model' });
    const unknown = await call('/models/huge');
    expect(unknown.status).to.equal(404);
    expect(unknown.body.error).to.include({ type: 'invalid_request_error', code: 'MODEL_NOT_FOUND' });
  });

  it('passes a question and its answer on as they are, with the key of the operator', async () => {
    const reply = {
      id: 'c1',
      choices: [{ message: { content: 'Yes?' } }],
      usage: { prompt_tokens: 7, completion_tokens: 3 },
    };
    models.behave((response) => json(response, reply));
    const answer = await ask({ temperature: 0.5, tools: [] });
    expect([answer.status, answer.body]).to.deep.equal([200, reply]);
    const asked = models.asked.at(-1);
    expect(asked?.path).to.equal('/v1/chat/completions');
    expect(asked?.headers.authorization).to.equal('Bearer the-key');
    expect(asked?.body).to.deep.equal({ model: 'small', messages, temperature: 0.5, tools: [] });
    const withKey = await request(
      { url },
      'POST',
      '/api/ai/v1/embeddings',
      { model: 'small', input: 'a' },
      { 'x-api-key': token },
    );
    expect(withKey.status).to.equal(200);
    expect(models.asked.at(-1)?.path).to.equal('/v1/embeddings');
  });

  it('passes events on one by one, and asks for the count without telling who did not ask', async () => {
    let go = () => {};
    const told = new Promise<void>((resolve) => {
      go = resolve;
    });
    models.behave(async (response) => {
      const say = stream(response);
      say(delta('Hel'));
      await told;
      say(delta('lo'));
      say(counts(11, 5));
      say('[DONE]');
      response.end();
    });
    const before = await used();
    const answer = await fetch(`${url}/api/ai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'small', messages, stream: true }),
    });
    expect(answer.headers.get('content-type')).to.match(/^text\/event-stream/);
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    // The first one is here while the provider still holds back the second.
    const first = await reader?.read();
    expect(first?.value).to.equal(`data: ${JSON.stringify(delta('Hel'))}\n\n`);
    go();
    let rest = '';
    for (let piece = await reader?.read(); piece?.value; piece = await reader?.read()) rest += piece.value;
    expect(rest).to.equal(`data: ${JSON.stringify(delta('lo'))}\n\ndata: [DONE]\n\n`);
    expect(models.asked.at(-1)?.body.stream_options).to.deep.equal({ include_usage: true });
    await until(async () => (await used()).promptTokens === before.promptTokens + 11);
    const asking = await ask({ stream: true, stream_options: { include_usage: true } });
    expect(asking.body).to.contain('"prompt_tokens":11');
  });

  it('passes an event of several lines on as one', async () => {
    models.behave((response) => {
      stream(response)('{"choices":\ndata: []}');
      response.end('data: [DONE]\n\n');
    });
    expect((await ask({ stream: true })).body).to.equal('data: {"choices":\ndata: []}\n\ndata: [DONE]\n\n');
  });

  it('lets the provider know at once when the caller goes away', async () => {
    models.behave((response) => stream(response)(delta('a long story')));
    const { abandoned } = models;
    const leaving = new AbortController();
    const answer = await fetch(`${url}/api/ai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'small', messages, stream: true }),
      signal: leaving.signal,
    });
    await answer.body?.getReader().read();
    leaving.abort();
    await until(() => models.abandoned > abandoned, { timeout: 2000, message: 'the provider goes on' });
    // Also while the provider has not said a word yet.
    models.behave(() => {});
    const impatient = new AbortController();
    const unanswered = fetch(`${url}/api/ai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'small', messages }),
      signal: impatient.signal,
    }).catch(() => 'left');
    const asked = models.asked.length;
    await until(() => models.asked.length > asked);
    impatient.abort();
    expect(await unanswered).to.equal('left');
    await until(() => models.abandoned > abandoned + 1, { timeout: 2000, message: 'the provider goes on' });
  });

  it('tells why the provider refuses a request in its words, as far as they are plain', async () => {
    const refuse = async (error: unknown, status = 400) => {
      models.behave((response) => json(response, { error }, status));
      const answer = await ask();
      expect(answer.status).to.equal(400);
      return answer.body.error;
    };
    const said = {
      message: 'The context is too long.',
      type: 'invalid_request_error',
      code: 'context_length_exceeded',
      param: 'messages[0].content',
    };
    expect(await refuse(said)).to.deep.equal(said);
    expect(await refuse({ ...said, code: 'model_not_found', type: 'not_found_error' }, 404)).to.deep.equal({
      ...said,
      code: 'model_not_found',
      type: 'not_found_error',
    });
    const ours = { type: 'invalid_request_error', code: 'MODEL_REQUEST_REFUSED', param: null };
    const { message } = said;
    for (const strange of [null, 400, '', 'two\nlines', 'x'.repeat(201), '\u202ereversed', { a: 1 }]) {
      expect(await refuse({ message, type: strange, code: strange, param: strange })).to.deep.equal({
        message,
        ...ours,
      });
    }
    const silent = { message: 'The model does not take this request.', ...ours };
    expect(await refuse({ message: 7, code: 'busy' })).to.deep.equal({ ...silent, code: 'busy' });
    for (const nothing of [undefined, 'no', []]) expect(await refuse(nothing)).to.deep.equal(silent);
  });

  it('tells nobody the key, whatever the provider says', async () => {
    const said = {
      message: 'Wrong key: Bearer the-key',
      type: 'the-key',
      code: 'invalid_api_key',
      param: 'key=the-key',
    };
    for (const error of [said, { ...said, message: 'dGhlLWtleQ==' }, { message: 'THE-KEY' }]) {
      for (const status of [400, 401, 404, 422]) {
        models.behave((response) => json(response, { error }, status));
        const answer = await ask();
        expect(JSON.stringify(answer.body)).not.to.match(/the-key|dGhlLWtleQ/i);
      }
    }
    models.behave((response) => json(response, { error }, 200));
    const error = { message: 'the-key is used up', code: 'quota' };
    expect((await ask()).body).to.deep.equal({ error: { ...error, message: '[removed] is used up' } });
    models.behave((response) => {
      const say = stream(response);
      say('{"error": {"message": "the\\u002dkey is used up"}}');
      say('[DONE]');
      response.end();
    });
    const events = await fetch(`${url}/api/ai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'small', messages, stream: true }),
    });
    expect(await events.text())
      .to.contain('[removed] is used up')
      .and.not.contain('the-key');
  });

  it('tells each failure of the provider in its own way', async () => {
    const failures: [Behaviour, number, string][] = [
      [(response) => json(response, { error: 'no' }, 500), 502, 'MODEL_PROXY_UPSTREAM_ERROR'],
      [(response) => json(response, { error: { message: 'bad key the-key' } }, 401), 502, 'MODEL_PROXY_UPSTREAM_ERROR'],
      [(response) => json(response, {}, 403), 502, 'MODEL_PROXY_UPSTREAM_ERROR'],
      [(response) => json(response, '{"half":'), 502, 'MODEL_PROXY_UPSTREAM_ERROR'],
      [(response) => json(response, '[1]'), 502, 'MODEL_PROXY_UPSTREAM_ERROR'],
      [(response) => json(response, `"${'x'.repeat(200_000)}"`), 502, 'MODEL_PROXY_UPSTREAM_ERROR'],
      [(response) => response.destroy(), 502, 'MODEL_PROXY_UPSTREAM_ERROR'],
      [(response) => json(response, {}, 302, { location: 'http://127.0.0.1:1/' }), 502, 'MODEL_PROXY_UPSTREAM_ERROR'],
      [(response) => json(response, { error: { message: 'too long' } }, 400), 400, 'MODEL_REQUEST_REFUSED'],
    ];
    for (const [behaviour, status, code] of failures) {
      models.behave(behaviour);
      const answer = await ask();
      expect([answer.status, answer.body.error?.code]).to.deep.equal([status, code]);
      expect(JSON.stringify(answer.body)).to.not.contain('the-key');
    }
    const silences: Behaviour[] = [
      () => {},
      (response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
    ];
    const waiting: Promise<Answer>[] = [];
    for (const silence of silences) {
      const before = models.asked.length;
      models.behave(silence);
      waiting.push(ask());
      await until(() => models.asked.length > before);
    }
    for (const answer of await Promise.all(waiting)) {
      expect([answer.status, answer.body.error?.code]).to.deep.equal([504, 'MODEL_PROXY_TIMEOUT']);
      expect(JSON.stringify(answer.body)).to.not.contain('the-key');
    }
    models.behave((response) => json(response, {}, 429, { 'retry-after': '7' }));
    const busy = await ask();
    expect([busy.status, busy.headers.get('retry-after')]).to.deep.equal([429, '7']);
    expect(busy.body.error).to.include({ type: 'rate_limit_error', code: 'RATE_LIMITED' });
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
    models.behave((response) => json(response, {}, 429, { 'retry-after': inAnHour }));
    expect(Number((await ask()).headers.get('retry-after'))).to.be.within(3000, 3600);
  });

  it('ends a stream that breaks with an error among its events', async () => {
    const endings: [(response: Parameters<Parameters<Provider['behave']>[0]>[0]) => void, string][] = [
      [(response) => response.destroy(), 'MODEL_PROXY_UPSTREAM_ERROR'],
      [(response) => response.end(), 'MODEL_PROXY_UPSTREAM_ERROR'],
      [(response) => response.end('data: {"half":\n\n'), 'MODEL_PROXY_UPSTREAM_ERROR'],
      [() => {}, 'MODEL_PROXY_TIMEOUT'],
    ];
    for (const [ending, code] of endings) {
      models.behave((response) => {
        stream(response)(delta('so far'));
        setTimeout(() => ending(response), 20);
      });
      const answer = await ask({ stream: true });
      const events = String(answer.body).trim().split('\n\n');
      expect(events[0]).to.equal(`data: ${JSON.stringify(delta('so far'))}`);
      const last = JSON.parse(events.at(-1)?.slice('data: '.length) ?? '');
      expect(last.error.code).to.equal(code);
      expect(answer.body).to.not.contain('[DONE]');
    }
    models.behave((response) => json(response, {}));
    expect((await ask({ stream: true })).body.error.code).to.equal('MODEL_PROXY_UPSTREAM_ERROR');
  });

  it('answers what it refuses itself in the same form', async () => {
    for (const [answer, status, code] of [
      [await call('/models', undefined, 'smp_nonsense'), 401, 'ACCESS_TOKEN_INVALID'],
      [await request({ url }, 'GET', '/api/ai/v1/models'), 401, 'AUTH_TOKEN_MISSING'],
      [await call('/chat/completions', { model: 'small' }), 400, 'VALIDATION_FAILED'],
      [await call('/chat/completions', '{'), 400, 'MALFORMED_JSON'],
      [await ask({ model: 'huge' }), 404, 'MODEL_NOT_FOUND'],
      [await raw(nodeAt(1), 'POST', '/api/ai/v1/responses'), 404, 'ROUTE_NOT_FOUND'],
      [await raw(nodeAt(1), 'GET', '/API/ai/v1'), 404, 'ROUTE_NOT_FOUND'],
      [await raw(nodeAt(1), 'GET', '/api/ai/v1/chat/completions'), 405, 'METHOD_NOT_ALLOWED'],
    ] as const) {
      expect(answer.status).to.equal(status);
      expect(answer.body.error).to.include({ code });
      expect(answer.body.error).to.have.keys('message', 'type', 'code', 'param');
    }
  });

  it('lets nobody in for a body, whatever is in it, and reads none of strangers', async () => {
    for (const path of ['/chat/completions', '/embeddings']) {
      for (const body of [{}, '{', { model: 'small', messages }]) {
        expect((await call(path, body, 'smp_nonsense')).body.error.code).to.equal('ACCESS_TOKEN_INVALID');
        expect((await request({ url }, 'POST', `/api/ai/v1${path}`, body)).body.error.code).to.equal(
          'AUTH_TOKEN_MISSING',
        );
      }
      const headers = { 'content-type': 'application/json', 'content-length': '1000' };
      const sending = httpRequest(`${url}/api/ai/v1${path}`, { method: 'POST', headers });
      sending.flushHeaders();
      // The answer is here, and the body never comes.
      const [answer] = await once(sending, 'response');
      expect(answer.statusCode).to.equal(401);
      sending.once('error', () => {}).destroy();
    }
  });

  it('takes access tokens of those who may deploy, and no others', async () => {
    expect((await call('/models', undefined, owner.token)).status).to.equal(200);
    const robot = await bot(owner);
    expect((await call('/models', undefined, robot.token)).status).to.equal(403);
    const { body } = await owner.post('/api/tokens', { name: 'mine', scope: 'user:write' });
    expect((await call('/models', undefined, body.token)).body.error.code).to.equal('ACCESS_TOKEN_INVALID');
  });

  it('counts what was used, by day, token and model', async () => {
    const usage = (await owner.get('/api/ai/usage')).body;
    const [item] = usage.items.filter((found: Loose) => found.model === 'small');
    expect(item).to.include.keys('day', 'tokenId', 'model', 'requests', 'promptTokens', 'completionTokens');
    expect(item.promptTokens).to.be.greaterThan(0);
    expect(usage.total.requests).to.be.greaterThan(3);
    const other = await register(nodeAt(0));
    expect((await other.get('/api/ai/usage')).body).to.deep.equal({
      items: [],
      total: { requests: 0, promptTokens: 0, completionTokens: 0 },
    });
  });

  async function used(): Promise<Loose> {
    return (await owner.get('/api/ai/usage')).body.total;
  }
});

describe('tokens of runtimes', () => {
  let cluster: Cluster;
  let owner: Person;

  before(async () => {
    cluster = await startCluster({
      settings: {
        rateLimits: true,
        // All test clusters count this machine's address together.
        rates: { modelProxy: { points: 3, seconds: 60 }, auth: { points: 1000, seconds: 60 } },
        modelUpstream: { url: 'http://127.0.0.1:9/v1', key: null, models: ['small', 'large'] },
      },
    });
    const [node] = cluster.nodes;
    if (!node) throw new Error('no node');
    owner = await register(node);
  });
  after(() => cluster.stop());

  const models = (token: string, node = cluster.nodes.at(-1)) =>
    request({ url: node?.url ?? '' }, 'GET', '/api/ai/v1/models', undefined, { authorization: `Bearer ${token}` });

  it('may be held to some models', async () => {
    const { body } = await owner.post('/api/ai/tokens', { runtimeId: 'r', models: ['large'] });
    const list = await models(body.token);
    expect(list.body.data.map((model: { id: string }) => model.id)).to.deep.equal(['large']);
  });

  it('are listed without the token itself, and end when they are deleted, on every node', async () => {
    const { body } = await owner.post('/api/ai/tokens', { runtimeId: 'r2' });
    expect((await models(body.token)).status).to.equal(200);
    const listed = (await owner.get('/api/ai/tokens')).body;
    expect(listed[0]).to.include({ id: body.id, runtimeId: 'r2' });
    expect(JSON.stringify(listed)).to.not.contain('smp_');
    const other = await register(owner.node);
    expect((await other.delete(`/api/ai/tokens/${body.id}`)).status).to.equal(404);
    expect((await owner.delete(`/api/ai/tokens/${body.id}`)).status).to.equal(200);
    for (const node of cluster.nodes) {
      const refused = await models(body.token, node);
      expect([refused.status, refused.body.error.code]).to.deep.equal([401, 'ACCESS_TOKEN_INVALID']);
    }
  });

  it('are limited together for each person, over all nodes', async () => {
    const [node] = cluster.nodes;
    if (!node) throw new Error('no node');
    const [owner, other] = [await register(node), await register(node)];
    const first = (await owner.post('/api/ai/tokens', { runtimeId: 'a' })).body.token;
    const second = (await owner.post('/api/ai/tokens', { runtimeId: 'b' })).body.token;
    for (let i = 0; i < 3; i++)
      expect((await models(i % 2 ? second : first, cluster.nodes[i % cluster.nodes.length])).status).to.equal(200);
    expect((await models(second)).status).to.equal(429);
    const refused = await models(first);
    expect(refused.status).to.equal(429);
    expect(refused.headers.get('retry-after')).to.match(/^\d+$/);
    expect(refused.body.error.type).to.equal('rate_limit_error');
    const { token } = (await other.post('/api/ai/tokens', { runtimeId: 'c' })).body;
    expect((await models(token)).status).to.equal(200);
  });

  it('are for those who may deploy', async () => {
    const [node] = cluster.nodes;
    if (!node) throw new Error('no node');
    const robot = await bot(owner);
    expect((await robot.post('/api/ai/tokens', { runtimeId: 'r' })).status).to.equal(403);
    expect((await owner.post('/api/ai/tokens', {})).status).to.equal(400);
    expect((await owner.post('/api/ai/tokens', { runtimeId: 'r', expiresInDays: 366 })).status).to.equal(400);
  });

  it('open nothing but the proxy: every other route refuses them', async () => {
    const { token } = (await owner.post('/api/ai/tokens', { runtimeId: 'r3' })).body;
    const [node] = cluster.nodes;
    if (!node) throw new Error('no node');
    const guarded = node.endpoints.routes.filter(({ auth }) => auth === 'required' || auth === 'optional');
    expect(guarded.length).to.be.greaterThan(50);
    for (const { method, path } of guarded) {
      const address = path.replace(/[:*]\w+/g, '019a9d3e-7a3c-7b1e-9c55-3f0d7a1c2b4d');
      for (const credential of [token, token.slice('smp_'.length)]) {
        const headers = { authorization: `Bearer ${credential}`, 'x-api-key': credential };
        const refused = await request(node, method, address, undefined, headers);
        const code = refused.body.error?.data?.code ?? refused.body.code;
        expect([refused.status, code], `${method} ${path}`).to.deep.equal([401, 'ACCESS_TOKEN_INVALID']);
      }
    }
    const late = owner.dial({ reconnection: false, auth: { token } });
    const refusal = await new Promise<Error>((resolve) => late.socket.once('connect_error', resolve));
    expect(refusal.message).to.equal('Invalid token');
    owner.hangUp();
  });
});

describe('a proxy without a provider', () => {
  it('says so', async () => {
    const cluster = await startCluster({ nodes: 1 });
    try {
      const [node] = cluster.nodes;
      if (!node) throw new Error('no node');
      const owner = await register(node);
      const answer = await owner.post('/api/ai/v1/chat/completions', { model: 'small', messages });
      expect([answer.status, answer.body.error.code]).to.deep.equal([503, 'MODEL_PROXY_NOT_CONFIGURED']);
    } finally {
      await cluster.stop();
    }
  });
});
