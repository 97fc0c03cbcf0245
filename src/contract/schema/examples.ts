import { idExample, timeExample } from '../schema.ts';
import type { JsonSchema, JsonSchemas } from './json-schemas.ts';

/** A field's likely value, by its name; an example in the schema itself takes precedence. */
const byName: Record<string, unknown> = {
  username: 'alice',
  displayName: 'Alice',
  name: 'general',
  content: 'Hello @bob!',
  description: 'Where everything starts.',
  topic: 'Where everything starts.',
  email: 'alice@example.com',
  password: 'correct horse battery staple',
  oldPassword: 'staple battery horse',
  currentPassword: 'staple battery horse',
  newPassword: 'correct horse battery staple',
  confirmPassword: 'correct horse battery staple',
  inviteCode: 'K7MQ2XWB',
  accessToken: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTlhIn0.c2lnbmF0dXJl',
  refreshToken: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTliIn0.c2lnbmF0dXJl',
  token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTlhIn0.c2lnbmF0dXJl',
  emoji: '👍',
  nonce: '5f2a9c7e',
  filename: 'plan.pdf',
  contentType: 'application/pdf',
  url: '/api/media/019a9d3e-7a3c-7b1e-9c55-3f0d7a1c2b4d',
  slug: 'home',
  label: 'Member',
  query: 'release plan',
  title: 'Alice mentioned you',
  body: 'Hello @bob!',
  path: '/plans/release.md',
  model: 'gpt-4o-mini',
  role: 'user',
  message: 'must not be empty',
  streamId: 'reply-1',
  delta: 'Hello ',
  event: 'message:new',
  status: 'member',
  isActive: true,
  isMember: true,
  isPublic: true,
  listen: true,
  recovered: true,
  reply: true,
};

/** More would hide the point of an example. */
const deepest = 6;

/** Makes examples of schemas; the same ones for the same schemas, each time. */
export class Examples {
  private readonly schemas: JsonSchemas;

  constructor(schemas: JsonSchemas) {
    this.schemas = schemas;
  }

  /** An object that fits the schema; empty where the schema is of something else. */
  object(schema: JsonSchema): object {
    const value = this.of(schema);
    return typeof value === 'object' && value !== null ? value : {};
  }

  /** A value that fits the schema. @param name of the field that it is for, if any */
  of(schema: JsonSchema, name = '', depth = 0): unknown {
    const own = schema.examples?.[0] ?? schema.example ?? schema.const ?? schema.enum?.[0];
    if (own !== undefined) return own;
    if (schema.$ref) return this.of(this.referred(schema.$ref), name, depth + 1);
    const parts = schema.allOf?.map((part) => this.of(part, name, depth));
    if (parts) return Object.assign({}, ...parts);
    const choice = (schema.anyOf ?? schema.oneOf)?.find((one) => one.type !== 'null');
    if (choice) return this.of(choice, name, depth);
    if (schema.type === 'object') return this.fields(schema, depth);
    if (schema.type === 'array') return this.list(schema, name, depth);
    return schema.default ?? plain(schema, name);
  }

  private referred(reference: string): JsonSchema {
    return this.schemas.components[reference.replace('#/components/schemas/', '')] ?? {};
  }

  private fields({ properties = {}, required = [] }: JsonSchema, depth: number): object {
    const shown = Object.entries(properties).filter(([name]) => depth < deepest || required.includes(name));
    return Object.fromEntries(
      shown.map(([name, schema]) => [name, typeof schema === 'object' ? this.of(schema, name, depth + 1) : null]),
    );
  }

  private list({ items, minItems = 0 }: JsonSchema, name: string, depth: number): unknown[] {
    const single = Array.isArray(items) ? items[0] : items;
    const isDeep = depth >= deepest && minItems === 0;
    return isDeep || typeof single !== 'object' ? [] : [this.of(single, name.replace(/s$/, ''), depth + 1)];
  }
}

function plain({ type: types, format, pattern, minimum, maxLength = 100 }: JsonSchema, name: string): unknown {
  const type = [types].flat().find((one) => one !== 'null');
  if (type === 'integer' || type === 'number') return Math.max(minimum ?? 0, 1);
  if (type === 'boolean') return byName[name] ?? false;
  if (type !== 'string') return null;
  if (format === 'uuid') return idExample;
  if (format === 'date-time') return timeExample;
  if (format === 'date') return timeExample.slice(0, 10);
  if (format === 'email') return byName.email;
  if (format === 'uri') return 'https://example.com/';
  if (pattern === '^\\d{6}$') return '123456';
  return byName[name] ?? 'text'.slice(0, maxLength);
}
