// nodes: own

import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { errorCodes } from '../../src/contract/error-codes.ts';
import { documentPath, errorsOf } from '../../src/rest/openapi.ts';
import { type Loose, request } from '../world/person.ts';
import { type World, world } from '../world/world.ts';
import { compiled, examplesIn, target, valuesOf } from './document.ts';

const methods = ['get', 'put', 'post', 'delete', 'patch', 'options'];

describe('the OpenAPI document', () => {
  let here: World;
  let document: Loose;

  before(async () => {
    here = await world();
    const { status, body } = await request(here.alice.node, 'GET', '/api/openapi.json');
    expect(status).to.equal(200);
    document = body;
  });
  after(() => here.close());

  const operations = (): Loose[] =>
    Object.entries(document.paths).flatMap(([path, item]: Loose) =>
      Object.entries(item).map(([method, operation]: Loose) => ({ path, method, ...operation })),
    );

  it('has every route that is mounted, itself too, and no other', () => {
    const mounted = here.alice.node.endpoints.routes.map(
      (route) => `${route.method.toLowerCase()} ${documentPath(route)}`,
    );
    const described = operations().map(({ method, path }) => `${method} ${path}`);
    expect(described.sort()).to.deep.equal([...new Set(mounted)].sort());
    expect(mounted).to.have.lengthOf(described.length);
    expect(document.paths).to.have.property('/api/openapi.json');
  });

  it('is an OpenAPI 3.1 document whose references all lead somewhere', () => {
    expect(document.openapi).to.match(/^3\.1\.\d+$/);
    expect(document.info).to.include.keys('title', 'version');
    for (const reference of valuesOf(document, '$ref')) {
      expect(target(document, reference), reference).to.be.an('object');
    }
    for (const name of Object.keys(document.components.schemas)) expect(name).to.match(/^[\w.-]+$/);
    for (const item of Object.values<Loose>(document.paths)) expect(methods).to.include.members(Object.keys(item));
  });

  it('is what the specification demands, by its own schema', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect(errors).to.equal(undefined);
    expect(valid).to.equal(true);
  });

  it('shows an example of each JSON body, answer and error, and each of them fits its schema', () => {
    const misfits: string[] = [];
    for (const { operationId, requestBody, responses } of operations()) {
      const answers = Object.values<Loose>(responses);
      const contents = [requestBody, ...answers].flatMap((each) => each?.content?.['application/json'] ?? []);
      const described = contents.filter(({ schema }) => schema.format !== 'binary');
      for (const content of described) {
        const examples = examplesIn(content, document);
        if (examples.length === 0) misfits.push(`${operationId} has none`);
        const fits = compiled(content.schema, document);
        for (const example of examples) {
          if (!fits(example)) misfits.push(`${operationId} ${JSON.stringify(example)} ${JSON.stringify(fits.errors)}`);
        }
      }
    }
    expect(misfits).to.deep.equal([]);
  });

  it('shows what may be text as text, and what a field is by its own kind', () => {
    const agent = document.paths['/api/agents'].post.responses['201'].content['application/json'].example;
    expect(agent.token).to.match(/^ey/);
    const message = document.paths['/api/messages/{id}'].get.responses['200'].content['application/json'].example;
    const [{ token, range }] = message.mentions;
    expect(message.content.slice(range.start, range.end)).to.equal(token);
    expect(message.author).to.include({ username: 'alice', isBot: false });
    expect(message.nonce).to.be.a('string');
  });

  it('shows bodies of messages and accounts that can be sent as they stand', () => {
    const example = (path: string) => document.paths[path].post.requestBody.content['application/json'].example;
    expect(example('/api/channels/{channelId}/messages')).to.have.all.keys('content', 'nonce');
    expect(example('/api/auth/register')).to.have.all.keys('email', 'password', 'username', 'displayName');
    const { newPassword, confirmPassword } = example('/api/auth/password-reset/complete');
    expect(confirmPassword).to.equal(newPassword);
  });

  it('names each operation once, and groups it under a tag that is listed', () => {
    const names = operations().map((operation) => operation.operationId);
    expect(new Set(names).size).to.equal(names.length);
    const tags = document.tags.map((tag: Loose) => tag.name);
    for (const operation of operations()) {
      expect(operation.operationId).to.match(/^[a-z][A-Za-z0-9]*$/);
      expect(operation.summary).to.be.a('string').and.not.empty;
      expect(tags).to.include.members(operation.tags);
    }
  });

  it('declares exactly the parameters that are in the path, and each parameter once', () => {
    for (const { path, operationId, parameters } of operations()) {
      const given: Loose[] = parameters.map((each: Loose) => (each.$ref ? target(document, each.$ref) : each));
      const inPath = given.filter((each) => each.in === 'path');
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      expect(inPath.map((each) => each.name)).to.have.members(named, operationId);
      expect(path).not.to.match(/[:*]/);
      for (const each of inPath) expect(each.required).to.equal(true);
      for (const each of given) expect(each.schema, `${operationId} ${each.name}`).to.be.an('object');
      const keys = given.map((each) => `${each.in} ${each.name}`);
      expect(new Set(keys).size).to.equal(keys.length);
    }
  });

  it('says what becomes of ranges and of what is known already, where these are heeded', () => {
    const heeding = operations().filter(({ parameters }) => parameters.some(({ name }: Loose) => name === 'range'));
    expect(heeding.map(({ path }) => path)).to.include('/api/media/{id}');
    for (const { operationId, responses } of heeding) {
      expect(responses, operationId).to.include.keys('200', '206', '304', '416');
    }
  });

  it('names the headers that say how much of a limit is left', () => {
    const named = (response: Loose) => Object.keys(response.headers).filter((name) => name.startsWith('RateLimit'));
    const limited = document.paths['/api/auth/login'].post.responses;
    for (const status of ['200', '429']) {
      expect(named(limited[status]), status).to.deep.equal(['RateLimit', 'RateLimit-Policy']);
    }
    expect(named(document.paths['/api/auth/me'].get.responses['200'])).to.deep.equal([]);
  });

  it('says that a model answers as JSON or in a stream', () => {
    const { content } = document.paths['/api/ai/v1/chat/completions'].post.responses[200];
    expect(content).to.have.keys('application/json', 'text/event-stream');
  });

  it('says where a folder of an app leads to its address with a slash, and an app to its own host', () => {
    const { get } = document.paths['/api/servers/{serverId}/apps/{appId}/serve/{path}'];
    expect(get.responses).to.include.keys('200', '301', '302');
    expect(document.paths['/api/app-proxy/{appId}/{path}'].get.responses).to.include.keys('200', '302');
  });

  it('shows other spellings of fields, and rules that no JSON Schema can say', () => {
    const field = (method: string, path: string, name: string) =>
      document.paths[path][method].requestBody.content['application/json'].schema.properties[name].description;
    for (const [method, path] of [
      ['post', '/api/agents'],
      ['patch', '/api/agents/{id}'],
    ] as const) {
      expect(field(method, path, 'name')).to.contain('3 to 32 letters');
      expect(field(method, path, 'username')).to.contain('`name`');
    }
    expect(field('post', '/api/auth/login', 'email')).to.contain('username');
    expect(field('post', '/api/messages/{id}/reactions', 'emoji')).to.contain('colons');
  });

  it('has only JSON Schemas that compile', () => {
    for (const schema of Object.values(document.components.schemas)) compiled(schema, document);
    for (const schema of valuesOf(document.paths, 'schema')) compiled(schema, document);
  });

  it('lists with every operation what it answers: one success at least, and each error under its own status', () => {
    for (const route of here.alice.node.endpoints.routes) {
      const operation = document.paths[documentPath(route)][route.method.toLowerCase()];
      const { responses } = operation;
      expect(responses, operation.operationId).to.include.keys(String(route.status ?? 200), '429', '500', '503');
      for (const code of errorsOf(route)) {
        const codes = [...valuesOf(responses[errorCodes[code][0]], 'enum')].flat();
        expect(codes, `${operation.operationId} ${code}`).to.include(code);
      }
      for (const response of Object.values<Loose>(responses)) expect(response.description).to.be.a('string');
      const needsToken = route.auth === 'required';
      expect(operation.security.length === 1 && 'bearer' in operation.security[0]).to.equal(needsToken);
    }
  });

  it('knows the error codes of the registry, and the Idempotency-Key of each POST that knows its caller', () => {
    const { description } = document.components.schemas.Error.properties.code;
    for (const code of Object.keys(errorCodes)) expect(description).to.contain(`\`${code}\``);
    for (const route of here.alice.node.endpoints.routes) {
      const { parameters } = document.paths[documentPath(route)][route.method.toLowerCase()];
      const keyed = parameters.some((each: Loose) => each.$ref === '#/components/parameters/IdempotencyKey');
      expect(keyed).to.equal(route.method === 'POST' && route.auth !== 'none');
    }
  });

  it('tells the truth about a message, and would notice a lie', async () => {
    const message = await here.alice.say(here.channel.id, 'as documented');
    const schema = compiled({ $ref: '#/components/schemas/Message' }, document);
    expect(schema(message)).to.equal(true);
    expect(schema({ ...message, seq: 'one' })).to.equal(false);
    const { author: _, ...anonymous } = message;
    expect(schema(anonymous)).to.equal(false);
  });

  it('describes what webhooks get: every durable event, signed', async () => {
    const names = Object.keys(document.webhooks);
    expect(names).to.include.members(['message:new', 'agent:policy-changed', 'events:lost', 'webhook:test']);
    expect(names).to.not.include.members(['message:typing', 'message:stream']);
    const { post } = document.webhooks['message:new'];
    const headers = post.parameters.map((each: Loose) => target(document, each.$ref).name);
    expect(headers).to.deep.equal(['webhook-id', 'webhook-timestamp', 'webhook-signature']);
    expect(post.requestBody.content['application/json'].example.data).to.include.keys('content', 'eventSeq');
    const schema = compiled(post.requestBody.content['application/json'].schema, document);
    const data = { ...(await here.alice.say(here.channel.id, 'as sent')), eventSeq: 1 };
    const envelope = { timestamp: data.createdAt, agentId: data.id, room: `channel:${here.channel.id}`, seq: 1, data };
    expect(schema({ type: 'message:new', ...envelope })).to.equal(true);
    expect(schema({ type: 'message:old', ...envelope })).to.equal(false);
    for (const found of valuesOf(document.webhooks, 'schema')) compiled(found, document);
  });

  it('is the same on each request', async () => {
    const again = await request(here.bob.node, 'GET', '/api/openapi.json');
    expect(again.body).to.deep.equal(document);
    expect(again.headers.get('content-type')).to.contain('application/json');
  });
});
