import { z } from 'zod';
import { SettingsError } from './settings-error.ts';
import { isOrigin, told, url } from './settings-lists.ts';

/** The environment variables that AWS's own tools read, for credentials that nobody has to store (contract §11). */
const awsNames = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_ROLE_ARN',
  'AWS_ROLE_SESSION_NAME',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_ENDPOINT_URL_STS',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  'AWS_CONTAINER_AUTHORIZATION_TOKEN',
  'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE',
  'AWS_EC2_METADATA_DISABLED',
  'AWS_EC2_METADATA_SERVICE_ENDPOINT',
] as const;

/** What AWS's variables say, by their names. */
export type AwsVariables = Partial<Record<(typeof awsNames)[number], string>>;

/** A bucket for files, at AWS or anything that speaks its protocol. */
export interface S3Settings {
  bucket: string;
  region: string;
  /** An origin. */
  endpoint: string;
  /** The origin in links for clients. */
  publicEndpoint: string;
  /** Whether the bucket is the first part of the path, not of the host's name. */
  pathStyle: boolean;
  /** In front of all keys; empty, or with a slash at its end. */
  prefix: string;
  /** Null: AWS's own ways to get credentials, see `aws`. */
  keys: { accessKeyId: string; secretAccessKey: string } | null;
  aws: AwsVariables;
  /** Whether clients are sent to the bucket for large files. */
  redirects: boolean;
}

export interface BlobPlaces {
  /** Where new files go. */
  blobStore: 'database' | 's3';
  /** Null: there is no bucket. */
  s3: S3Settings | null;
}

const onOff = z.enum(['on', 'off']);

/** The environment variables about where files are. */
export const s3Variables = {
  BLOB_STORE: z
    .enum(['database', 's3'])
    .default('database')
    .meta(told('where new files go; `s3` needs `S3_BUCKET`. Files are read from wherever they are')),
  S3_BUCKET: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/, 'must be the name of a bucket, without an address')
    .optional()
    .meta(told('the bucket of files', 'none')),
  S3_ENDPOINT: url('http', 'https')
    .refine(isOrigin, 'must be an origin such as https://minio.example.com:9000; the bucket goes into S3_BUCKET')
    .optional()
    .meta(told('what speaks S3: MinIO, R2, Garage, …', 'AWS')),
  S3_PUBLIC_ENDPOINT: url('http', 'https')
    .refine(isOrigin, 'must be an origin such as https://files.example.com')
    .optional()
    .meta(told('the same as clients reach it, for `S3_REDIRECTS`', '`S3_ENDPOINT`')),
  S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/, 'must be a region such as eu-central-1')
    .optional()
    .meta(told('the region of the bucket', '`AWS_REGION`, else `us-east-1`')),
  S3_PATH_STYLE: onOff
    .optional()
    .meta(told('`on`: the bucket is in the path; `off`: in the host’s name', '`on` with `S3_ENDPOINT`')),
  S3_PREFIX: z
    .string()
    .max(200)
    .regex(/^[\w-][\w.-]*(\/[\w-][\w.-]*)*\/?$/, 'must be letters, digits, "_", "." or "-", with slashes between')
    .optional()
    .meta(told('in front of the names of all objects', 'none')),
  S3_ACCESS_KEY_ID: z.string().max(256).optional().meta(told('an access key', 'those of the machine, see `AWS_…`')),
  S3_SECRET_ACCESS_KEY: z.string().max(256).optional().meta(told('its secret', 'that of the machine')),
  S3_REDIRECTS: onOff
    .default('off')
    .meta(told('`on`: who may read a large file gets a short-lived link to the bucket instead of its bytes')),
};

type Environment = z.infer<z.ZodObject<typeof s3Variables>>;

/** @param given all variables that are set. @throws SettingsError where some are without those that they need */
export function blobPlaces(env: Environment, given: Record<string, string>): BlobPlaces {
  const bucket = env.S3_BUCKET;
  if (!bucket) {
    const lost = Object.keys(s3Variables).find((name) => name.startsWith('S3_') && given[name]);
    const reason = env.BLOB_STORE === 's3' ? 'BLOB_STORE is s3' : lost && `${lost} is set`;
    if (reason) throw new SettingsError(`${reason}, but no bucket is named; set S3_BUCKET.`);
    return { blobStore: 'database', s3: null };
  }
  const region = env.S3_REGION ?? given.AWS_REGION ?? given.AWS_DEFAULT_REGION ?? 'us-east-1';
  const endpoint = originOf(env.S3_ENDPOINT) ?? `https://s3.${region}.amazonaws.com`;
  const s3: S3Settings = {
    ...{ bucket, region, endpoint, publicEndpoint: originOf(env.S3_PUBLIC_ENDPOINT) ?? endpoint },
    pathStyle: env.S3_PATH_STYLE === undefined ? env.S3_ENDPOINT !== undefined : env.S3_PATH_STYLE === 'on',
    prefix: env.S3_PREFIX ? `${env.S3_PREFIX.replace(/\/$/, '')}/` : '',
    keys: keysOf(env),
    aws: Object.fromEntries(awsNames.flatMap((name) => (given[name] ? [[name, given[name]]] : []))),
    redirects: env.S3_REDIRECTS === 'on',
  };
  return { blobStore: env.BLOB_STORE, s3 };
}

function keysOf({ S3_ACCESS_KEY_ID: id, S3_SECRET_ACCESS_KEY: secret }: Environment): S3Settings['keys'] {
  if (!id && !secret) return null;
  if (!id) throw new SettingsError('S3_SECRET_ACCESS_KEY is set without S3_ACCESS_KEY_ID; set both, or neither.');
  if (!secret) throw new SettingsError('S3_ACCESS_KEY_ID is set without S3_SECRET_ACCESS_KEY; set both, or neither.');
  return { accessKeyId: id, secretAccessKey: secret };
}

const originOf = (given: string | undefined): string | undefined => (given ? new URL(given).origin : undefined);

/** The origin of the links by which clients get files from the bucket; null: they get none. */
export function linkedOrigin(s3: S3Settings | null): string | null {
  if (!s3?.redirects) return null;
  const url = new URL(s3.publicEndpoint);
  if (!s3.pathStyle) url.hostname = `${s3.bucket}.${url.hostname}`;
  return url.origin;
}

const mebibyte = 1024 * 1024;
const count = (min: number, max: number) => z.number().int().min(min).max(max);

/** Settings of files in a bucket. */
export const s3FileSettings = z.strictObject({
  minBytes: count(0, 5 * mebibyte).describe('files of at most so many bytes stay in the database'),
  partBytes: count(5 * mebibyte, 100 * mebibyte).describe(
    'size of the parts in which files are uploaded, of which a bucket takes 10 000 a file; each upload in progress holds one in memory',
  ),
  uploadsAtOnce: count(1, 1000).describe('uploads of a node to the bucket at once; more go into the database'),
  timeoutMs: count(100, 600_000).describe(
    'how long one request to the bucket may take; for downloads, how long it may be silent',
  ),
  attempts: count(1, 10).describe('how often a request that failed is made in all'),
  linkSeconds: count(5, 3600).describe('how long a link of `S3_REDIRECTS` is good for'),
});
