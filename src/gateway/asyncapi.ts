import type { ErrorCode } from '../contract/error-codes.ts';
import type { EventRoom, EventSpec } from '../contract/event.ts';
import {
  errorExample,
  errorSchema,
  errorWith,
  generalErrors,
  tokenErrors,
  withCompanions,
} from '../contract/schema/error-schema.ts';
import { Examples } from '../contract/schema/examples.ts';
import { headline } from '../contract/schema/headline.ts';
import { type JsonSchema, type JsonSchemas, jsonSchemas } from '../contract/schema/json-schemas.ts';
import { scopesOfEvent } from '../contract/scopes.ts';
import type { Handler } from './handler.ts';

/** The AsyncAPI 3 document of a node's sockets, generated from the handlers and events that serve them. */
export function asyncApiDocument(handlers: Handler[], events: readonly EventSpec[], version: string): object {
  const schemas = jsonSchemas(schemasOf(handlers, events));
  const parts = { schemas, examples: new Examples(schemas) };
  return {
    asyncapi: '3.0.0',
    info: { title: 'Parley', version, description },
    defaultContentType: 'application/json',
    channels: channels(handlers, events),
    operations: {
      ...Object.fromEntries(handlers.map((handler) => [`on.${component(handler.event)}`, receives(handler)])),
      ...Object.fromEntries(events.map((event) => [`emit.${component(event.name)}`, sends(event)])),
    },
    components: {
      messages: {
        ...Object.fromEntries(handlers.flatMap((handler) => messagesOf(handler, parts))),
        ...Object.fromEntries(events.map((event) => [outgoing(event), messageOf(event, parts)])),
      },
      schemas: schemas.components,
    },
  };
}

const description = `The events of Parley's sockets, in both directions.

**Connecting.** Socket.IO, protocol 5, path \`/socket.io/\`, namespace \`/\`. The handshake carries
\`auth: { token }\` with an access, agent or personal token, and may carry
\`resume: { <channelId>: seq, user: seq }\` to get what was missed. \`ready\` says that the socket is in the rooms that it
belongs to without joining. \`resumed\` follows after what was missed: a channel with \`hasMore\` there has not been entered;
join it from its \`seq\`. This includes all beyond the first 500. Direct messages opened in the meantime are included without
being named; one whose log no longer reaches back far enough is listed with \`recovered: false\`. Direct messages opened earlier
continue from now unless they are named; name one from which nothing has come yet with the \`since\` of its \`dm:created\`.

**Refusals.** A refusal arrives as \`connect_error\` with \`data: { code }\`, after which stock clients do not retry by
themselves. With \`DATABASE_UNAVAILABLE\` or \`INTERNAL_ERROR\` call \`connect()\` again after a second or two; any other code
means that the token is refused. Clients that were connected before are not refused while the database is away: they are let in
when it is back.

**Names.** A message's name is the Socket.IO event, its payload the first argument. Durable events and \`ready\` have a second
one, the offset for Socket.IO's own recovery. Clients for Python and Dart, which do not recover and pass handlers all arguments,
get only the payload; so does any client with \`recover: false\` in \`auth\`.

**Acks.** A client may ask for an ack with every event: either \`{ ok: true, ... }\` or the error object. Without an ack, an
error comes as the event \`error\`.

**Order.** What one socket sends about the same channel, message or thread is handled in the order in which it was sent, whether
or not its client waits for the acks. Events waiting behind one that fails with \`DATABASE_UNAVAILABLE\` or \`SERVER_BUSY\` fail
with it, so that they do not overtake its retry.

**Durable events** (\`x-durable\`) carry \`eventSeq\`, their number in the log of their room: 1, 2, 3, … They come once each and
in this order, across reconnects too.`;

/** What messages are built with. */
interface Parts {
  schemas: JsonSchemas;
  examples: Examples;
}

/** Every code that the ack of an event can carry. */
export function errorsOf(handler: Handler): ErrorCode[] {
  const general: ErrorCode[] = [...generalErrors, ...tokenErrors, 'ACCESS_CHANGED', 'MALFORMED_JSON'];
  const scope: ErrorCode[] = scopesOfEvent(handler).length > 0 ? ['INSUFFICIENT_PAT_SCOPE'] : [];
  return [...new Set([...withCompanions(handler.errors ?? []), ...general, ...scope])].sort();
}

// Component names may contain only letters, digits, ".", "-" and "_".
const component = (name: string) => name.replaceAll(':', '.');
const incoming = (handler: Handler) => `client.${component(handler.event)}`;
const ackOf = (handler: Handler) => `${incoming(handler)}.ack`;
const outgoing = (event: EventSpec) => `server.${component(event.name)}`;

function schemasOf(handlers: Handler[], events: readonly EventSpec[]) {
  return new Map([
    ['Error', errorSchema] as const,
    ...handlers.map((handler) => [incoming(handler), handler.payload] as const),
    ...handlers.map((handler) => [ackOf(handler), handler.ack] as const),
    ...events.map((event) => [outgoing(event), event.payload] as const),
  ]);
}

const rooms: Record<EventRoom, { address: string; title: string; description: string }> = {
  channel: {
    address: 'channel:{channelId}',
    title: "A channel's room",
    description: 'Entered with `channel:join`. Durable events come once each, in the order of their `eventSeq`.',
  },
  user: {
    address: 'user:{userId}',
    title: "A user's own room",
    description: 'Every socket of the user is in it from the start.',
  },
  socket: { address: 'socket', title: 'One socket', description: 'What concerns this connection only.' },
};

function channels(handlers: Handler[], events: readonly EventSpec[]): Record<string, object> {
  const names = handlers.flatMap((handler) => [incoming(handler), ackOf(handler)]);
  const calls = { address: 'calls', title: 'What clients send', messages: references(names) };
  const perRoom = Object.entries(rooms).map(([room, about]) => {
    const parameters = [...about.address.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [
      name,
      { description: 'UUID' },
    ]);
    const here = events.filter((event) => event.room === room).map(outgoing);
    return [room, { ...about, parameters: Object.fromEntries(parameters), messages: references(here) }];
  });
  return { calls, ...Object.fromEntries(perRoom) };
}

function references(names: string[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]));
}

function receives(handler: Handler): object {
  const at = '#/channels/calls';
  return {
    action: 'receive',
    channel: { $ref: at },
    title: handler.event,
    ...headline(handler.summary),
    tags: [{ name: handler.tag }],
    messages: [{ $ref: `${at}/messages/${incoming(handler)}` }],
    reply: { channel: { $ref: at }, messages: [{ $ref: `${at}/messages/${ackOf(handler)}` }] },
    'x-errors': errorsOf(handler),
    'x-limit': handler.limit,
    'x-scopes': scopesOfEvent(handler),
  };
}

function sends(event: EventSpec): object {
  const at = `#/channels/${event.room}`;
  return {
    action: 'send',
    channel: { $ref: at },
    title: event.name,
    ...headline(event.summary),
    messages: [{ $ref: `${at}/messages/${outgoing(event)}` }],
    'x-durable': event.durable,
  };
}

function messagesOf(handler: Handler, { schemas, examples }: Parts): [string, object][] {
  const { event: name, summary } = handler;
  const payload = schemas.of(incoming(handler));
  const ack = schemas.of(ackOf(handler));
  const done = { allOf: [{ type: 'object', required: ['ok'], properties: { ok: { const: true } } }, ack] };
  const errors = errorsOf(handler);
  const acks = [{ ok: true, ...examples.object(ack) }, ...errors.map(errorExample)];
  return [
    [incoming(handler), { name, title: name, summary, payload, examples: [{ payload: examples.object(payload) }] }],
    [
      ackOf(handler),
      {
        name,
        title: `Ack of ${name}`,
        payload: { oneOf: [done, errorWith(errors)] },
        examples: acks.map((each) => ({ name: 'code' in each ? String(each.code) : 'done', payload: each })),
      },
    ],
  ];
}

function messageOf(event: EventSpec, { schemas, examples }: Parts): object {
  const schema = schemas.of(outgoing(event));
  const numbered = {
    type: 'object',
    required: event.retold ? [] : ['eventSeq'],
    properties: { eventSeq: { type: 'integer', minimum: 1 } },
  };
  const whole = (one: JsonSchema) => ({ allOf: [one, numbered] });
  // Each of several forms by itself, so that readers see what it has.
  const withNumber = schema.oneOf ? { ...schema, oneOf: schema.oneOf.map(whole) } : whole(schema);
  const payload = event.durable ? withNumber : schema;
  const example = { ...examples.object(schema), ...(event.durable ? { eventSeq: 1 } : {}) };
  return { name: event.name, title: event.name, summary: event.summary, payload, examples: [{ payload: example }] };
}
