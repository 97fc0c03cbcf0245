import { randomBytes, randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { Param } from '../../src/contract/call.ts';
import type { JsonSchema } from '../../src/contract/schema/json-schemas.ts';
import { jsonSchemas, resolved } from '../../src/contract/schema/json-schemas.ts';
import type { Place } from '../world/person.ts';
import type { World } from '../world/world.ts';

/** Things that exist in a world, by the code that says that they do not. */
export interface Samples {
  ids: Record<string, string>;
  /** Values that fit, by the names of fields. */
  fields: Record<string, () => unknown>;
}

/** Makes one of each thing, so that requests get past the first door. */
export async function samplesOf<N extends Place>(world: World<N, unknown>): Promise<Samples> {
  const { alice, bob, server, channel } = world;
  const message = await alice.say(channel.id, 'to be changed');
  const workspace = `/api/servers/${server.id}/workspace`;
  const folder = (await alice.post(`${workspace}/folders`, { name: 'folder' })).body;
  const file = (await alice.post(`${workspace}/files`, { name: 'file.txt', content: 'text' })).body;
  const word = () => randomBytes(5).toString('hex');
  return {
    ids: {
      SERVER_NOT_FOUND: server.id,
      CHANNEL_NOT_FOUND: channel.id,
      MESSAGE_NOT_FOUND: message.id,
      USER_NOT_FOUND: bob.id,
      FOLDER_NOT_FOUND: folder.id,
      FILE_NOT_FOUND: file.id,
    },
    fields: {
      channelId: () => channel.id,
      serverId: () => server.id,
      messageId: () => message.id,
      messageIds: () => message.id,
      optionId: () => '1',
      replyToId: () => message.id,
      parentMessageId: () => message.id,
      around: () => message.id,
      userId: () => bob.id,
      parentId: () => folder.id,
      nodeId: () => file.id,
      username: () => `u${word()}`,
      email: () => `u${word()}@example.com`,
      password: () => 'correct horse',
      name: () => `n${word()}`,
      slug: () => `s-${word()}`,
      emoji: () => '👍',
      after: () => 0,
    },
  };
}

/** A value for a parameter of a path: something that exists, else something that is well formed. */
export function paramFor(name: string, param: Param | undefined, { ids, fields }: Samples): string {
  const known = param?.form === 'text' ? fields[name]?.() : undefined;
  return String(known ?? ids[param?.missing ?? ''] ?? randomUUID());
}

interface Field {
  name: string;
  schema: JsonSchema;
  required: boolean;
}

const knownFields = new WeakMap<z.ZodType, Field[]>();

/** The fields of a schema of objects, with those that have to be there. */
export function fieldsOf(schema: z.ZodType): Field[] {
  const fields = knownFields.get(schema) ?? findFields(schema);
  knownFields.set(schema, fields);
  return fields;
}

function findFields(schema: z.ZodType): Field[] {
  const schemas = jsonSchemas(new Map([['it', schema]]));
  const { properties = {}, required = [] } = resolved(schemas.of('it'), schemas);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    schema: typeof property === 'object' ? resolved(property, schemas) : {},
    required: required.includes(name),
  }));
}

/** An object that should fit the schema: what has to be there, and all else that is known by name. */
export function sampleFor(schema: z.ZodType, samples: Samples): Record<string, unknown> {
  const given = fieldsOf(schema).filter(({ required }) => required);
  return Object.fromEntries(given.map(({ name, schema }) => [name, samples.fields[name]?.() ?? plain(schema)]));
}

function plain({ type, enum: values, anyOf, minimum }: JsonSchema): unknown {
  const [first] = values ?? [];
  if (first !== undefined) return first;
  if (anyOf?.[0]) return plain(anyOf[0]);
  if (type === 'integer' || type === 'number') return minimum ?? 1;
  if (type === 'boolean') return true;
  if (type === 'array') return [];
  if (type === 'object') return {};
  return `t${randomBytes(6).toString('hex')}`;
}
