// nodes: own

import { expect } from 'chai';
import type { Route } from '../../src/rest/route.ts';
import { type Answer, request } from '../world/person.ts';
import { type World, world } from '../world/world.ts';
import { raw } from './raw.ts';
import { codeIn, expectError } from './verdict.ts';

const json = { 'content-type': 'application/json' };

describe('the door of REST', () => {
  let here: World;
  let routes: Route[];
  let bearer: { authorization: string };

  before(async () => {
    here = await world();
    routes = here.alice.node.endpoints.routes;
    bearer = { authorization: `Bearer ${here.alice.token}` };
  });
  after(() => here.close());

  const messages = () => `/api/channels/${here.channel.id}/messages`;
  const post = (body: string | Buffer, headers = {}): Promise<Answer> =>
    raw(here.alice.node, 'POST', messages(), { body, headers: { ...bearer, ...json, ...headers } });

  /** A path to each route, with ids that are ids. */
  const address = (route: Route) => route.path.replace(/[:*]\w+/g, '019a9d3e-7a3c-7b1e-9c55-3f0d7a1c2b4d');

  describe('with a body', () => {
    it('that is no JSON says MALFORMED_JSON', async () => {
      for (const body of ['{', "{'content':'x'}", 'content=x', '{"content":"x"}}', 'NaN']) {
        const answer = await post(body);
        expectError(answer, 'MALFORMED_JSON');
      }
      expectError(await post(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])), 'MALFORMED_JSON');
    });

    it('that is JSON but no object says so', async () => {
      for (const body of ['[]', '[{"content":"x"}]', '"x"', '1', 'true', 'null']) {
        const answer = await post(body);
        expectError(answer, 'VALIDATION_FAILED');
        expect(answer.body.error, body).to.equal('The request: must be an object.');
      }
    });

    it('of wrong types, or without what is needed, names each field', async () => {
      const { body } = await here.alice.post(messages(), { content: 7, replyToId: 'x', nonce: ['n'] });
      expectError(await here.alice.post(messages(), {}), 'VALIDATION_FAILED');
      expect(body.issues.map((issue: { path: string }) => issue.path)).to.have.members([
        'content',
        'replyToId',
        'nonce',
      ]);
    });

    it('of 16 000 characters is taken, of one more not', async () => {
      expect((await here.alice.post(messages(), { content: 'x'.repeat(16_000) })).status).to.equal(201);
      expectError(await here.alice.post(messages(), { content: 'x'.repeat(16_001) }), 'VALIDATION_FAILED');
      // Lengths count UTF-16 units (contract §13).
      expect((await here.alice.post(messages(), { content: '👍'.repeat(8000) })).body.content).to.have.lengthOf(16_000);
      expectError(await here.alice.post(messages(), { content: '👍'.repeat(8001) }), 'VALIDATION_FAILED');
    });

    it('with U+0000 or a lone surrogate anywhere is refused', async () => {
      for (const bad of ['\0', 'x\0', '\ud800', 'x\udc00x']) {
        expectError(await here.alice.post(messages(), { content: bad }), 'VALIDATION_FAILED');
        expectError(await here.alice.post(messages(), { content: 'x', metadata: { [bad]: 1 } }), 'VALIDATION_FAILED');
        expectError(
          await here.alice.post(messages(), { content: 'x', metadata: { a: [{ b: bad }] } }),
          'VALIDATION_FAILED',
        );
      }
    });

    it('keeps text byte for byte, composed or not', async () => {
      const content = ' e\u0301 \u202e ﬁ \u{1F469}\u200d\u{1F469}\r\n';
      const { body } = await here.alice.post(messages(), { content });
      expect(body.content).to.equal(content);
      expect((await here.bob.get(`/api/messages/${body.id}`)).body.content).to.equal(content);
    });

    it('ignores fields that nobody knows', async () => {
      const { status, body } = await post(
        '{"content":"plain","id":"x","seq":99,"authorId":"x","isPinned":true,"constructor":{"a":1},"toString":1}',
      );
      expect(status).to.equal(201);
      expect(body).to.include({ content: 'plain', authorId: here.alice.id, isPinned: false });
    });

    it('that would change the prototype of objects changes none: inside it is refused by name, as on sockets', async () => {
      for (const metadata of ['{"__proto__":{"a":1}}', '{"b":[{"__proto__":1}]}']) {
        const answer = await post(`{"content":"x","metadata":${metadata}}`);
        expectError(answer, 'VALIDATION_FAILED');
        expect(answer.body.error).to.match(/^metadata\..*__proto__: must not be a key\.$/);
      }
      const { status, body } = await post('{"content":"x","__proto__":{"nonce":"n","isPinned":true}}');
      expect([status, body.nonce, body.isPinned]).to.deep.equal([201, undefined, false]);
    });

    it('with a number that is too large to be kept is refused, rather than kept as null', async () => {
      for (const number of ['1e999', '-1e999']) {
        const answer = await post(`{"content":"x","metadata":{"sum":[${number}]}}`);
        expectError(answer, 'VALIDATION_FAILED');
        expect(answer.body.error).to.equal('metadata.sum.0: is too large a number.');
      }
      expect((await post('{"content":"x","metadata":{"sum":1e308}}')).body.metadata).to.deep.equal({ sum: 1e308 });
    });

    it('that is no UTF-8 says so, and is not taken for something else', async () => {
      const broken = (before: string, after: string) =>
        Buffer.concat([Buffer.from(before), Buffer.of(0xe9), Buffer.from(after)]);
      const answer = await post(broken('{"content":"caf', '"}'));
      expectError(answer, 'MALFORMED_JSON');
      expect(answer.body.error).to.equal('The body is not valid UTF-8.');
      expect((await post('\ufeff{"content":"café \ufffd"}')).body.content).to.equal('café \ufffd');
      const form = '--b\r\ncontent-disposition: form-data; name="parentId"\r\n\r\n';
      const headers = { ...bearer, 'content-type': 'multipart/form-data; boundary=b' };
      const upload = await raw(here.alice.node, 'POST', '/api/media/upload', {
        body: broken(form, '\r\n--b--'),
        headers,
      });
      expectError(upload, 'MALFORMED_MULTIPART');
      expect(upload.body.error).to.equal('The body is not valid UTF-8.');
    });

    it('that is too large says BODY_TOO_LARGE, whatever its length claims', async () => {
      const large = JSON.stringify({ content: 'x', metadata: { a: 'x'.repeat(2 * 1024 * 1024) } });
      expectError(await post(large), 'BODY_TOO_LARGE');
      expectError(await post(large, { 'transfer-encoding': 'chunked' }), 'BODY_TOO_LARGE');
      expect((await here.alice.post(messages(), { content: 'still here' })).status).to.equal(201);
    });

    it('that is packed small and is large inside says BODY_TOO_LARGE', async () => {
      const { gzipSync } = await import('node:zlib');
      const bomb = gzipSync(JSON.stringify({ content: 'x', metadata: { a: 'x'.repeat(64 * 1024 * 1024) } }));
      expectError(await post(bomb, { 'content-encoding': 'gzip' }), 'BODY_TOO_LARGE');
      expectError(await post('{}', { 'content-encoding': 'nonsense' }), 'UNSUPPORTED_MEDIA_TYPE');
    });

    it('of another type says UNSUPPORTED_MEDIA_TYPE', async () => {
      const body = '{"content":"x"}';
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'x']) {
        expectError(await post(body, { 'content-type': type }), 'UNSUPPORTED_MEDIA_TYPE');
      }
      for (const type of ['application/json; charset=utf-8', 'application/vnd.parley+json', 'APPLICATION/JSON']) {
        expect((await post(body, { 'content-type': type })).status, type).to.equal(201);
      }
    });

    it('that is empty counts as an empty object, with a JSON type too', async () => {
      const path = `/api/servers/${here.server.id}/join`;
      const carol = { authorization: `Bearer ${here.carol.token}` };
      for (const headers of [
        json,
        {},
        { ...json, 'content-length': '0' },
        { ...json, 'transfer-encoding': 'chunked' },
      ]) {
        const answer = await raw(here.carol.node, 'POST', path, { headers: { ...carol, ...headers } });
        expectError(answer, 'INVITE_CODE_REQUIRED');
      }
    });
  });

  describe('at an address', () => {
    it('that does not exist says ROUTE_NOT_FOUND, to anyone', async () => {
      for (const path of [
        '/api/nothing',
        '/api',
        '/api/',
        '/api/channels',
        '/nothing',
        '/api/auth/me/x',
        '/api//auth/me',
      ]) {
        expectError(await raw(here.alice.node, 'GET', path), 'ROUTE_NOT_FOUND');
      }
      expectError(await raw(here.alice.node, 'POST', '/api/nothing', { body: '{', headers: json }), 'ROUTE_NOT_FOUND');
    });

    it('with a method that it does not know says METHOD_NOT_ALLOWED and names those it knows', async () => {
      const takers = new Set(routes.filter((route) => route.otherMethods?.includes('REPORT')).map(address));
      for (const path of new Set(routes.map(address)).difference(takers)) {
        const { status, headers, body } = await raw(here.alice.node, 'REPORT', path);
        expect(status, path).to.equal(405);
        expect(codeIn(body)).to.equal('METHOD_NOT_ALLOWED');
        const named = (headers.get('allow') ?? '').split(', ');
        const known = routes.filter((route) => address(route) === path).map((route) => route.method);
        expect(named, path).to.include.members(known);
      }
      const answer = await here.alice.delete(messages());
      expectError(answer, 'METHOD_NOT_ALLOWED');
      expect(answer.headers.get('allow')).to.contain('POST').and.to.contain('GET').and.not.to.contain('DELETE');
    });

    it('whose values are words of other paths is found as if they were any others', async () => {
      const missing = {
        '/api/servers/members': 'SERVER_NOT_FOUND',
        '/api/channels/messages/messages': 'CHANNEL_NOT_FOUND',
      };
      for (const [path, code] of Object.entries(missing)) {
        for (const spelled of [path, `${path}/`, path.replace('/api', '/API')]) {
          expectError(await raw(here.alice.node, 'GET', spelled, { headers: bearer }), code);
        }
      }
    });

    it('whose percent-encoding is broken is not found', async () => {
      for (const id of ['%', '%zz', '%ff', '%c3%28', '%ed%a0%80', '%00', 'x%00', '%2e%2e%2f', '%252f']) {
        for (const path of [`/api/servers/${id}`, `/api/channels/${id}`, `/api/messages/${id}`, `/api/${id}`]) {
          const answer = await raw(here.alice.node, 'GET', path, { headers: bearer });
          expect(answer.status, path).to.equal(404);
          expectError(answer);
        }
      }
    });

    it('with an id that is none, or of nothing, is not found', async () => {
      const ids = [
        'x',
        '1',
        '-1',
        'null',
        'undefined',
        here.channel.id.slice(1),
        `${here.channel.id}0`,
        `{${here.channel.id}}`,
      ];
      for (const id of [...ids, '00000000-0000-0000-0000-000000000000', crypto.randomUUID()]) {
        expectError(await here.alice.get(`/api/channels/${id}`), 'CHANNEL_NOT_FOUND');
        expectError(await here.alice.get(`/api/messages/${id}`), 'MESSAGE_NOT_FOUND');
        expectError(await here.alice.get(`/api/servers/${id}`), 'SERVER_NOT_FOUND');
      }
    });

    it('takes an id in capitals for the same one', async () => {
      const { status, body } = await here.alice.get(`/api/channels/${here.channel.id.toUpperCase()}`);
      expect(status).to.equal(200);
      expect(body.id).to.equal(here.channel.id);
      expect((await here.alice.get(`/api/servers/${here.server.id.toUpperCase()}`)).body.id).to.equal(here.server.id);
    });

    it('of absurd length is refused and the node goes on', async () => {
      const { status } = await raw(here.alice.node, 'GET', `/api/servers/${'x'.repeat(10_000)}`, { headers: bearer });
      expect(status).to.equal(404);
      const answer = await raw(here.alice.node, 'GET', `/api/servers/${'x'.repeat(100_000)}`).catch(() => ({
        status: 431,
      }));
      expect(answer.status).to.equal(431);
      expect((await request(here.alice.node, 'GET', '/healthz')).status).to.equal(200);
    });
  });

  describe('with a query', () => {
    it('of values that do not fit names them', async () => {
      for (const query of [
        'limit=0',
        'limit=101',
        'limit=x',
        'limit=1.5',
        'limit=',
        'limit=-1',
        'around=x',
        'include=y',
      ]) {
        expectError(await here.alice.get(`${messages()}?${query}`), 'VALIDATION_FAILED');
      }
    });

    it('with U+0000, broken encoding or a value twice is a bad request, never a failure', async () => {
      for (const query of [
        'cursor=%00',
        'cursor=%ff',
        'cursor=%',
        'limit=1&limit=2',
        'cursor=a&cursor=b',
        'cursor[a]=1',
      ]) {
        const answer = await raw(here.alice.node, 'GET', `${messages()}?${query}`, { headers: bearer });
        expect([200, 400], query).to.include(answer.status);
        if (answer.status === 400) expectError(answer);
      }
      expectError(await here.alice.get(`${messages()}?cursor=%00`), 'VALIDATION_FAILED');
    });

    it('ignores names that nobody knows', async () => {
      expect((await here.alice.get(`${messages()}?colour=blue&__proto__=x&constructor=y`)).status).to.equal(200);
    });
  });

  describe('with an Idempotency-Key', () => {
    it('that is too long says so', async () => {
      const answer = await here.alice.post(messages(), { content: 'x' }, { 'idempotency-key': 'k'.repeat(256) });
      expectError(answer, 'VALIDATION_FAILED');
    });
  });

  describe('for callers', () => {
    it('without a token says AUTH_TOKEN_MISSING at every route that needs one, before it looks at anything else', async () => {
      for (const route of routes.filter((each) => each.auth === 'required')) {
        for (const authorization of [undefined, '', 'Basic dXNlcjpwYXNz', 'Bearer', here.alice.token]) {
          const body = route.body ? '{' : undefined;
          // Node gives the body of a DELETE no length by itself.
          const framed = body === undefined ? {} : { 'content-length': body.length };
          const headers = { ...json, ...framed, ...(authorization === undefined ? {} : { authorization }) };
          const answer = await raw(here.alice.node, route.method, address(route), { headers, body });
          if (!route.errorForm) expectError(answer);
          expect([answer.status, codeIn(answer.body)]).to.deep.equal([401, 'AUTH_TOKEN_MISSING']);
        }
      }
    });

    it('with a token that is none says ACCESS_TOKEN_INVALID', async () => {
      const [head, body] = here.alice.token.split('.');
      const unsigned = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
      const tokens = [
        'x',
        'a.b.c',
        `${head}.${body}.`,
        `${unsigned}.${body}.`,
        `${here.alice.token}x`,
        'x'.repeat(5000),
      ];
      for (const token of tokens) {
        for (const route of routes.filter((each) => each.auth === 'required').slice(0, 5)) {
          const authorization = `Bearer ${token}`;
          expectError(
            await raw(here.alice.node, route.method, address(route), { headers: { authorization } }),
            'ACCESS_TOKEN_INVALID',
          );
        }
      }
    });

    it('takes the scheme in any case', async () => {
      for (const scheme of ['bearer', 'BEARER', 'Bearer  ']) {
        const headers = { authorization: `${scheme} ${here.alice.token}` };
        expect((await raw(here.alice.node, 'GET', '/api/auth/me', { headers })).status, scheme).to.equal(200);
      }
    });
  });

  it('lets no cache keep its answers, errors neither', async () => {
    for (const path of ['/api/auth/me', messages(), '/api/servers/discover', '/api/nothing', '/api/channels/x']) {
      expect((await here.alice.get(path)).headers.get('cache-control'), path).to.equal('no-store');
    }
  });

  describe('echoes', () => {
    it('a request id of sane form, on successes and errors alike', async () => {
      for (const [path, id] of [
        ['/api/auth/me', 'trace-1:a.b_c'],
        ['/api/nothing', 'x'.repeat(128)],
      ] as const) {
        const { headers, body } = await here.alice.get(path, { 'x-request-id': id });
        expect(headers.get('x-request-id')).to.equal(id);
        if (body.ok === false) expect(body.requestId).to.equal(id);
      }
    });

    it('no request id of another form, but makes its own', async () => {
      for (const id of ['x'.repeat(129), 'a b', '<script>', '"', 'a,b', 'ü']) {
        const answer = await raw(here.alice.node, 'GET', '/api/nothing', {
          headers: { 'x-request-id': Buffer.from(id).toString('latin1') },
        });
        expect(answer.headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
        expectError(answer, 'ROUTE_NOT_FOUND');
      }
      const ids = await Promise.all([1, 2, 3].map(() => here.alice.get('/api/auth/me')));
      expect(new Set(ids.map(({ headers }) => headers.get('x-request-id'))).size).to.equal(3);
    });
  });
});
