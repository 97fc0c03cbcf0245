import { isIPv6 } from 'node:net';
import path from 'node:path';
import { z } from 'zod';
import { merge, readConfigFiles } from './config-files.ts';
import { type FileSettings, fileSchema } from './config-schema.ts';
import { type JwtSecret, jwtSecrets } from './jwt-secrets.ts';
import { previewPlaces } from './media-settings.ts';
import { oauthProviders, type ProviderSettings } from './oauth-settings.ts';
import { postgresVariables } from './postgres-settings.ts';
import { type PushSettings, pushContact, pushKeys, pushVariables } from './push-settings.ts';
import { type RedisSettings, redisSettings, redisVariables, requireOneKind } from './redis-settings.ts';
import { type BlobPlaces, blobPlaces, s3Variables } from './s3-settings.ts';
import { SettingsError } from './settings-error.ts';
import {
  hosts,
  inHeaders,
  isBase,
  isOrigin,
  list,
  origins,
  postgresUrls,
  sender,
  told,
  url,
  whole,
} from './settings-lists.ts';
import { tracesUrl, tracesVariables } from './traces-settings.ts';

export { SettingsError };

/** The environment variables (contract §11). An empty one counts as not set. */
export const environmentSchema = z.object({
  NODE_ENV: z.string().default('development').meta(told('which `config/<name>.json` overrides `default.json`')),
  PORT: whole(0, 65_535).default(3000).meta(told('the port to listen on')),
  HOST: z.string().default('0.0.0.0').meta(told('the address to listen on')),
  PUBLIC_URL: url('http', 'https')
    .refine(isOrigin, 'must be an origin such as https://chat.example.com: the site cannot be below a path')
    .optional()
    .meta(told('the address that people use, for links; without a path', 'from `HOST` and the port')),
  DATABASE_URL: url('postgres', 'postgresql')
    .optional()
    .meta(told('the PostgreSQL that all nodes use', 'an embedded one in `DATA_DIR`')),
  DATABASE_REPLICA_URLS: postgresUrls
    .optional()
    .meta(
      told('comma-separated streaming replicas of it: pages, searches, lists and files are read from them', 'none'),
    ),
  ...postgresVariables,
  ...redisVariables,
  ...s3Variables,
  DATA_DIR: z.string().default('./data').meta(told('database, secrets, outgoing mail')),
  WEB_CONCURRENCY: whole(1, 256)
    .default(1)
    .meta(told('how many nodes share the port, each a process; more than one require `REDIS_URL`')),
  JWT_SECRET: list
    .optional()
    .meta(
      told(
        'comma-separated: the first signs, all verify. Required in production with a `DATABASE_URL`, and there 32 bytes or more',
        'generated once, kept in `DATA_DIR`',
      ),
    ),
  SMTP_URL: url('smtp', 'smtps')
    .refine((text) => URL.parse(text)?.hostname, 'must name a host, as smtp://mail.example.com does')
    .optional()
    .meta(told('the mail server', 'mail is written to `DATA_DIR/outbox`')),
  MAIL_FROM: z
    .string()
    .max(320)
    .regex(sender, 'must be an address such as chat@example.com or Parley <chat@example.com>')
    .optional()
    .meta(told('the sender of mail', 'no-reply at the host of `PUBLIC_URL`')),
  ...pushVariables,
  CORS_ORIGINS: origins.optional().meta(told('comma-separated origins whose pages may call the API', 'any')),
  APPS_URL: url('http', 'https')
    .refine(isOrigin, 'must be an origin such as https://apps.example.com')
    .optional()
    .meta(told('a separate origin to serve apps from', 'the same site, sandboxed')),
  APP_PROXY_ALLOW: hosts
    .optional()
    .meta(
      told('private hosts (`host` or `host:port`) that apps, webhooks, pictures and link previews may reach', 'none'),
    ),
  TRUST_PROXY: whole(0, 10)
    .default(0)
    .meta(told('how many proxies are in front of it (`X-Forwarded-For`, `X-Forwarded-Host`)')),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .meta(told('`fatal` … `trace`, `silent`')),
  RATE_LIMITS: z.enum(['on', 'off']).default('on').meta(told('`off` for load tests, with the bound on connections')),
  LINK_PREVIEWS: z
    .enum(previewPlaces)
    .optional()
    .meta(
      told(
        '`all`, `servers` (none in direct messages) or `off`: this server fetches the pages that messages link to',
        '`previews.where`',
      ),
    ),
  BOOTSTRAP_INVITE_CODE: z
    .string()
    .regex(/^[A-Za-z0-9-]{4,64}$/, 'must be 4 to 64 letters, digits or "-"')
    .optional()
    .meta(told('a code that may be redeemed any number of times', 'a random one, printed once')),
  NEW_ACCOUNT_TIER: z.string().default('visitor').meta(told('`member` turns the invite gate off')),
  METRICS_TOKEN: inHeaders.optional().meta(told('bearer token for `/metrics` (Prometheus)', 'local requests only')),
  ...tracesVariables,
  SOCKET_ADMIN: z
    .string()
    .regex(/^[^:]{1,128}:\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/, 'must be <name>:<bcrypt hash of a password>')
    .optional()
    .meta(told("`<name>:<bcrypt hash>`, the sign-in for Socket.IO's admin UI, which sees numbers of sockets", 'off')),
  MODEL_PROXY_URL: url('http', 'https')
    .refine(isBase, 'must end with its path, as https://models.example.com/v1 does; its key goes into MODEL_PROXY_KEY')
    .optional()
    .meta(told('the upstream of `/api/ai/v1`', 'none')),
  MODEL_PROXY_KEY: inHeaders.optional().meta(told('its API key', 'none')),
  MODEL_PROXY_MODELS: list.optional().meta(told('comma-separated models of it that may be used', 'all')),
});

/** Everything a node is configured with, validated. */
export interface Settings extends FileSettings, RedisSettings, PushSettings, BlobPlaces {
  environment: string;
  port: number;
  host: string;
  /** Without a slash at its end. Null: derived from the port once it is known. */
  publicUrl: string | null;
  /** Null: an embedded PostgreSQL in `dataDir`. */
  databaseUrl: string | null;
  /** Replicas of it that are read from. */
  databaseReplicaUrls: string[];
  /** Folders of the operator's own PostgreSQL, for the embedded one: to run, and for data of an earlier major version. */
  postgresPrograms: { own: string | null; old: string | null };
  dataDir: string;
  /** How many nodes share the port, each a process of its own. */
  workers: number;
  /** The first one signs; all of them verify. */
  jwtSecrets: JwtSecret[];
  /** Null: mail is written to `dataDir`/outbox. */
  smtpUrl: string | null;
  mailFrom: string;
  /** Empty: any origin. */
  corsOrigins: string[];
  /** A separate origin for apps. Null: they are served from the same site as everything else. */
  appsUrl: string | null;
  /** Private hosts that apps, webhooks, pictures and link previews may still use: `host` or `host:port`. */
  appProxyAllow: string[];
  trustProxy: number;
  logLevel: string;
  rateLimits: boolean;
  /** Which messages get previews of the pages that they link to. */
  linkPreviews: FileSettings['previews']['where'];
  oauthProviders: ProviderSettings[];
  bootstrapInviteCode: string | null;
  newAccountTier: string;
  /** Bearer token for /metrics; null: local requests only. */
  metricsToken: string | null;
  /** Where spans are sent, by OTLP over HTTP. Null: tracing is off. */
  tracesUrl: string | null;
  /** The sign-in of Socket.IO's admin UI. Null: it is off. */
  socketAdmin: { username: string; passwordHash: string } | null;
  /** The model provider, `url` including `/v1`; `models` empty: all it offers. Null: none. */
  modelUpstream: { url: string; key: string | null; models: string[] } | null;
}

/**
 * Reads config/default.json, config/<NODE_ENV>.json and the environment.
 *
 * @param environment variables, by default the process's own
 * @param overrides values that win over both, for tests and embedding
 * @throws SettingsError naming the first invalid value
 */
export function loadSettings(
  environment: Record<string, string | undefined> = process.env,
  overrides: DeepPartial<Settings> = {},
): Settings {
  const given = setVariables(environment);
  const env = parse(environmentSchema, given, (path) => `The environment variable ${path}`);
  const files = parse(fileSchema, readConfigFiles(env.NODE_ENV), (path) => `The setting ${path} in config/`);
  const dataDir = path.resolve(overrides.dataDir ?? env.DATA_DIR);
  const settings: Settings = {
    ...files,
    environment: env.NODE_ENV,
    port: env.PORT,
    host: env.HOST,
    publicUrl: env.PUBLIC_URL?.replace(/\/+$/, '') ?? null,
    databaseUrl: env.DATABASE_URL ?? null,
    databaseReplicaUrls: env.DATABASE_REPLICA_URLS ?? [],
    postgresPrograms: { own: env.POSTGRES_BIN ?? null, old: env.POSTGRES_BIN_OLD ?? null },
    ...redisSettings(env),
    ...blobPlaces(env, given),
    dataDir,
    workers: env.WEB_CONCURRENCY,
    jwtSecrets: [],
    smtpUrl: env.SMTP_URL ?? null,
    mailFrom: env.MAIL_FROM ?? defaultSender(env.PUBLIC_URL),
    pushKeys: null,
    pushContact: pushContact(env, env.MAIL_FROM ?? defaultSender(env.PUBLIC_URL)),
    corsOrigins: env.CORS_ORIGINS ?? [],
    appsUrl: env.APPS_URL ?? null,
    appProxyAllow: env.APP_PROXY_ALLOW ?? [],
    trustProxy: env.TRUST_PROXY,
    logLevel: env.LOG_LEVEL,
    rateLimits: env.RATE_LIMITS === 'on',
    linkPreviews: env.LINK_PREVIEWS ?? files.previews.where,
    oauthProviders: oauthProviders(given),
    bootstrapInviteCode: env.BOOTSTRAP_INVITE_CODE ?? null,
    newAccountTier: env.NEW_ACCOUNT_TIER,
    metricsToken: env.METRICS_TOKEN ?? null,
    tracesUrl: tracesUrl(env),
    socketAdmin: socketAdmin(env.SOCKET_ADMIN),
    modelUpstream: modelUpstream(env),
  };
  const merged = merge(settings, overrides);
  requireOneKind(merged);
  requireShared(merged);
  requirePrimary(merged);
  requireAppsApart(merged);
  requireTier(merged, 'NEW_ACCOUNT_TIER', merged.newAccountTier);
  requireTier(merged, 'accounts.inviteTier', merged.accounts.inviteTier);
  if (merged.jwtSecrets.length === 0) merged.jwtSecrets = jwtSecrets(env.JWT_SECRET, merged);
  if (overrides.pushKeys === undefined) merged.pushKeys = pushKeys(env, merged);
  return merged;
}

/** The requirements for several processes behind one port. */
function requireShared({ workers, redisUrl, port }: Settings): void {
  if (workers === 1) return;
  const ways = 'set it, or WEB_CONCURRENCY to 1';
  if (!redisUrl)
    throw new SettingsError(`With WEB_CONCURRENCY=${workers} nodes hear each other over REDIS_URL; ${ways}.`);
  if (port === 0)
    throw new SettingsError(`With WEB_CONCURRENCY=${workers} nodes share one PORT, which 0 is not; ${ways}.`);
}

/** The embedded PostgreSQL has no replicas. */
function requirePrimary({ databaseUrl, databaseReplicaUrls }: Settings): void {
  if (databaseUrl !== null || databaseReplicaUrls.length === 0) return;
  throw new SettingsError('DATABASE_REPLICA_URLS is set without their primary; set DATABASE_URL, or neither.');
}

/** This site's public URL: PUBLIC_URL, else where the node listens. @param port once it is known */
export function siteOf({ publicUrl, host }: Pick<Settings, 'publicUrl' | 'host'>, port: number): string {
  if (publicUrl !== null) return publicUrl;
  const name = ['0.0.0.0', '::', '127.0.0.1'].includes(host) ? 'localhost' : host;
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`;
}

/** The apps' host serves nothing but apps: if it were also the people's host, they would get 404 for everything. */
function requireAppsApart(settings: Settings): void {
  const { appsUrl } = settings;
  // HOST may be invalid; listening reports that.
  const host = URL.parse(siteOf(settings, settings.port))?.host;
  if (appsUrl === null || new URL(appsUrl).host !== host) return;
  throw new SettingsError(`APPS_URL is wrong: apps need another host or port than ${host}, which people use.`);
}

function setVariables(environment: Record<string, string | undefined>): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [key, value] of Object.entries(environment)) if (value) given[key] = value;
  return given;
}

type DeepPartial<T> = T extends unknown[] ? T : T extends object ? { [K in keyof T]?: DeepPartial<T[K]> } : T;

function requireTier(settings: Settings, name: string, id: string): void {
  const known = settings.accounts.tiers.map((entry) => entry.id);
  if (!known.includes(id)) throw new SettingsError(`${name} is "${id}", but must be one of: ${known.join(', ')}.`);
}

function parse<S extends z.ZodType>(schema: S, value: unknown, name: (path: string) => string): z.infer<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const unknownKeys = issue?.code === 'unrecognized_keys' ? issue.keys : [];
  const where = [...(issue?.path ?? []), ...unknownKeys.slice(0, 1)].join('.');
  throw new SettingsError(`${name(where)} is wrong: ${issue?.message ?? 'invalid'}.`);
}

function modelUpstream(env: z.infer<typeof environmentSchema>): Settings['modelUpstream'] {
  if (!env.MODEL_PROXY_URL) return null;
  const base = env.MODEL_PROXY_URL.replace(/\/+$/, '').replace(/\/v1$/, '');
  return { url: `${base}/v1`, key: env.MODEL_PROXY_KEY ?? null, models: env.MODEL_PROXY_MODELS ?? [] };
}

function socketAdmin(given: string | undefined): Settings['socketAdmin'] {
  if (!given) return null;
  const colon = given.indexOf(':');
  return { username: given.slice(0, colon), passwordHash: given.slice(colon + 1) };
}

function defaultSender(publicUrl: string | undefined): string {
  return `Parley <no-reply@${publicUrl ? new URL(publicUrl).hostname : 'localhost'}>`;
}
