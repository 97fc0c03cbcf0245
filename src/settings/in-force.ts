import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { configLayers } from './config-files.ts';
import { fileSchema } from './config-schema.ts';
import { environmentSchema, type Settings } from './settings.ts';

/** A setting as operators are shown it. */
interface SettingInForce {
  name: string;
  /** `program`: other code started this node with it. */
  source: 'default' | 'file' | 'environment' | 'program';
  file: string | null;
  /** Null: not set, or a secret. */
  value: string | null;
  isSecret: boolean;
  isSet: boolean;
  about: string;
}

/**
 * The variables whose values are shown. All others are secrets, or may have one in them, as addresses with a password do;
 * so is what is not listed here yet.
 */
const shown: ReadonlySet<string> = new Set([
  ...['NODE_ENV', 'PORT', 'HOST', 'PUBLIC_URL', 'DATA_DIR', 'WEB_CONCURRENCY', 'MAIL_FROM', 'PUSH', 'PUSH_CONTACT'],
  ...['REDIS_CLUSTER', 'REDIS_SENTINELS', 'REDIS_SENTINEL_NAME', 'REDIS_PREFIX', 'CORS_ORIGINS', 'APPS_URL'],
  ...['APP_PROXY_ALLOW', 'TRUST_PROXY', 'LOG_LEVEL', 'RATE_LIMITS', 'LINK_PREVIEWS', 'NEW_ACCOUNT_TIER'],
  ...['MODEL_PROXY_URL', 'MODEL_PROXY_MODELS'],
]);
/** Of the variables with names of the operator's. */
const shownProvider = /^OAUTH_.+_(ISSUER|CLIENT_ID)$/;
const provider = /^OAUTH_/;
/** Characters of a value that are shown. */
const longest = 2000;

/** All settings of this node and where each comes from; secrets only as set or not. */
export function settingsInForce(
  settings: Settings,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): SettingInForce[] {
  return [...variables(environment), ...providers(environment), ...ofFiles(settings)];
}

function variables(environment: Readonly<Record<string, string | undefined>>): SettingInForce[] {
  return Object.entries(environmentSchema.shape).map(([name, schema]) => {
    const given = environment[name] || null;
    const { unset } = { unset: undefined, ...z.globalRegistry.get(schema) };
    const preset: unknown = schema.safeParse(undefined).data;
    const isSecret = !shown.has(name);
    const fallback = preset === undefined ? null : String(preset);
    const about = [schema.description, given === null && unset ? `unset: ${unset}` : ''].filter(Boolean).join('; ');
    return {
      name,
      source: given === null ? 'default' : 'environment',
      file: null,
      value: isSecret ? null : cut(given ?? fallback),
      isSecret,
      isSet: given !== null,
      about,
    };
  });
}

/** The identity providers, as far as they are set. */
function providers(environment: Readonly<Record<string, string | undefined>>): SettingInForce[] {
  const names = Object.keys(environment).filter((name) => provider.test(name) && environment[name]);
  return names.sort().map((name) => {
    const isSecret = !shownProvider.test(name);
    const value = isSecret ? null : cut(environment[name] ?? null);
    const about = 'an identity provider to sign in with';
    return { name, source: 'environment', file: null, value, isSecret, isSet: true, about };
  });
}

function ofFiles(settings: Settings): SettingInForce[] {
  const layers = configLayers(settings.environment);
  return leavesOf(fileSchema, []).map(({ path, about }) => {
    const effective = at(settings, path);
    const layer = layers.findLast(({ values }) => at(values, path) !== undefined);
    const isOther = layer !== undefined && !isDeepStrictEqual(plain(at(layer.values, path)), plain(effective));
    const source = isOther ? 'program' : layer?.isDefault ? 'default' : 'file';
    const value = cut(typeof effective === 'string' ? effective : JSON.stringify(effective));
    const found = { file: layer?.name ?? null, value, isSecret: false, isSet: source !== 'default', about };
    return { name: path.join('.'), source, ...found };
  });
}

/** The settings of the files: those with a description of their own. */
function leavesOf(schema: z.ZodObject, above: string[]): { path: string[]; about: string }[] {
  return Object.entries(schema.shape).flatMap(([key, inner]) => {
    const path = [...above, key];
    if (inner instanceof z.ZodObject && inner.description === undefined) return leavesOf(inner, path);
    return [{ path, about: inner instanceof z.ZodType ? (inner.description ?? '') : '' }];
  });
}

function at(values: object, path: string[]): unknown {
  return path.reduce<unknown>((value, key) => (value instanceof Object ? Reflect.get(value, key) : undefined), values);
}

/** As JSON has it. */
const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

const cut = (text: string | null | undefined): string | null =>
  text === null || text === undefined ? null : text.slice(0, longest);
