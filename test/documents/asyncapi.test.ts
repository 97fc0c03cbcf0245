// nodes: own

import specifications from '@asyncapi/specs';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { catalogue } from '../../src/contract/catalogue.ts';
import { errorsOf } from '../../src/gateway/asyncapi.ts';
import { type Loose, request } from '../world/person.ts';
import { type World, world } from '../world/world.ts';
import { compiled, target, valuesOf } from './document.ts';

describe('the AsyncAPI document', () => {
  let here: World;
  let document: Loose;

  before(async () => {
    here = await world();
    const { status, body } = await request(here.alice.node, 'GET', '/api/asyncapi.json');
    expect(status).to.equal(200);
    document = body;
  });
  after(() => here.close());

  const operations = (action: string): Loose[] =>
    Object.values<Loose>(document.operations).filter((operation) => operation.action === action);
  const messagesOf = (operation: Loose): Loose[] =>
    operation.messages.map((reference: Loose) => target(document, target(document, reference.$ref).$ref));

  it('has every event that clients may send, and no other', () => {
    const names = operations('receive')
      .flatMap(messagesOf)
      .map((message) => message.name);
    const handled = here.alice.node.endpoints.handlers.map((handler) => handler.event);
    expect(names.sort()).to.deep.equal(handled.sort());
  });

  it('has every event of the catalogue, in its room, and no other', () => {
    const described = operations('send').map((operation) => {
      const [message] = messagesOf(operation);
      return `${operation.channel.$ref} ${message.name} ${operation['x-durable']}`;
    });
    const declared = catalogue.map(({ name, room, durable }) => `#/channels/${room} ${name} ${durable}`);
    expect(described.sort()).to.deep.equal(declared.sort());
  });

  it('is an AsyncAPI 3 document whose references all lead somewhere', () => {
    expect(document.asyncapi).to.match(/^3\.\d+\.\d+$/);
    expect(document.info).to.include.keys('title', 'version');
    for (const reference of valuesOf(document, '$ref')) {
      expect(target(document, reference), reference).to.be.an('object');
    }
    expect(document.channels).to.have.all.keys('calls', 'channel', 'user', 'socket');
    for (const name of Object.keys(document.operations)) expect(name).to.match(/^[\w.-]+$/);
    for (const part of ['schemas', 'messages']) {
      for (const name of Object.keys(document.components[part])) expect(name).to.match(/^[\w.-]+$/);
    }
    for (const channel of Object.values<Loose>(document.channels)) {
      const inAddress = [...channel.address.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      expect(Object.keys(channel.parameters ?? {})).to.have.members(inAddress);
    }
  });

  it('is what the specification demands, by its own schema', () => {
    const ajv = new Ajv({ strict: false, meta: false, validateSchema: false, unicodeRegExp: false });
    formats.default(ajv);
    const validate = ajv.compile(specifications.schemas['3.0.0']);
    validate(document);
    expect(validate.errors).to.equal(null);
  });

  it('shows an example of each payload and ack, and each of them fits its schema', () => {
    for (const [name, message] of Object.entries<Loose>(document.components.messages)) {
      expect(message.examples, name).to.be.an('array').and.not.empty;
      for (const { payload } of message.examples) {
        const fits = compiled(message.payload, document);
        expect(fits(payload), `${name}: ${JSON.stringify(payload)} ${JSON.stringify(fits.errors)}`).to.equal(true);
      }
    }
  });

  it('shows the bare id where it may come for an object that has nothing else', async () => {
    const ear = await here.alice.connect();
    for (const event of ['channel:join', 'channel:leave', 'thread:join', 'thread:leave']) {
      const { payload } = document.components.messages[`client.${event.replace(':', '.')}`];
      const fits = compiled(payload, document);
      expect(
        [here.channel.id, {}, 7, 'general'].map((value) => fits(value)),
        event,
      ).to.deep.equal([true, false, false, false]);
    }
    expect(await ear.emit('channel:join', here.channel.id)).to.include({ ok: true, channelId: here.channel.id });
    ear.close();
  });

  it('has operations that use only messages of their own channel', () => {
    for (const operation of Object.values<Loose>(document.operations)) {
      expect(['send', 'receive']).to.include(operation.action);
      for (const { $ref } of operation.messages) expect($ref).to.contain(`${operation.channel.$ref}/messages/`);
      for (const { $ref } of operation.reply?.messages ?? []) {
        expect($ref).to.contain(`${operation.reply.channel.$ref}/messages/`);
      }
    }
  });

  it('has only JSON Schemas that compile', () => {
    for (const schema of Object.values(document.components.schemas)) compiled(schema, document);
    for (const message of Object.values<Loose>(document.components.messages)) compiled(message.payload, document);
  });

  it('describes the ack of every event, with all its errors', () => {
    for (const handler of here.alice.node.endpoints.handlers) {
      const operation = document.operations[`on.${handler.event.replaceAll(':', '.')}`];
      const [ack] = messagesOf(operation.reply);
      const codes = [...valuesOf(ack.payload, 'enum')].flat();
      expect(codes, handler.event).to.include.members(errorsOf(handler));
      expect(operation['x-errors']).to.have.members(errorsOf(handler));
    }
  });

  it('says that a heartbeat may be null, which is what clients make of nothing', () => {
    const heartbeat = compiled(document.components.messages['client.agent.heartbeat'].payload, document);
    for (const payload of [null, {}, { status: 'error' }]) expect(heartbeat(payload)).to.equal(true);
    expect(heartbeat({ status: 'stopped' })).to.equal(false);
  });

  it('tells the truth about an event and an ack', async () => {
    const { alice, channel } = here;
    const ear = await alice.listen(channel.id);
    const ack = await ear.emit('message:send', { channelId: channel.id, content: 'as documented' });
    const { messages } = document.components;
    expect(compiled(messages['client.message.send.ack'].payload, document)(ack)).to.equal(true);
    const refused = await ear.emit('message:send', { channelId: channel.id });
    expect(compiled(messages['client.message.send.ack'].payload, document)(refused)).to.equal(true);
    const event = await ear.next('message:new');
    const schema = compiled(messages['server.message.new'].payload, document);
    expect(schema(event)).to.equal(true);
    expect(schema({ ...event, eventSeq: undefined })).to.equal(false);
  });
});
