import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import type { S3Settings } from '../../settings/s3-settings.ts';
import { dateNow } from '../clock.ts';
import { S3Credentials } from './credentials.ts';

/** What a request is about. */
export interface S3Request {
  method: 'GET' | 'PUT' | 'POST' | 'HEAD' | 'DELETE';
  /** Of an object; without it the request is one to the bucket. */
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Buffer;
  /** SHA-256 of the body in hex, if it is known already. S3 refuses a body with another one. */
  bodyHash?: string;
}

/** The headers of an answer that a link asks for. */
export interface LinkHeaders {
  contentType: string;
  disposition: string;
  cacheControl: string;
}

const emptyHash = createHash('sha256').digest('hex');
/** How many derived keys are kept: a day's, and those of credentials that are replaced. */
const mostDerived = 8;

/** Addresses and signatures (AWS Signature Version 4) of requests to a bucket. */
export class S3Signing {
  readonly credentials: S3Credentials;
  private readonly settings: S3Settings;
  private readonly derived = new Map<string, ArrayBuffer>();

  constructor(settings: S3Settings) {
    this.settings = settings;
    this.credentials = new S3Credentials(settings);
  }

  /** The address and the headers of a request. @throws S3Error where there are no credentials */
  async signed(request: S3Request): Promise<{ url: string; headers: Record<string, string> }> {
    const { method, key, query = {}, body } = request;
    const url = this.address(this.settings.endpoint, key);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const bodyHash = request.bodyHash ?? (body ? createHash('sha256').update(body).digest('hex') : emptyHash);
    const signer = await this.signer({ method, url: exact(url), headers: { 'X-Amz-Content-Sha256': bodyHash } });
    const { headers } = await signer.sign();
    return { url: exact(signer.url), headers: { ...request.headers, ...Object.fromEntries(headers) } };
  }

  /** The address by which anyone may get an object for some seconds. @throws S3Error where there are no credentials */
  async link(key: string, headers: LinkHeaders, seconds: number): Promise<string> {
    const url = this.address(this.settings.publicEndpoint, key);
    url.searchParams.set('response-content-type', headers.contentType);
    url.searchParams.set('response-content-disposition', headers.disposition);
    url.searchParams.set('response-cache-control', headers.cacheControl);
    url.searchParams.set('X-Amz-Expires', String(seconds));
    const signer = await this.signer({ method: 'GET', url: exact(url), signQuery: true });
    return exact((await signer.sign()).url);
  }

  private async signer(request: {
    method: string;
    url: string;
    headers?: Record<string, string>;
    signQuery?: boolean;
  }): Promise<AwsV4Signer> {
    const { accessKeyId, secretAccessKey, sessionToken } = await this.credentials.get();
    if (this.derived.size > mostDerived) this.derived.clear();
    // The machine's own clock may be wrong, and S3 refuses what is more than a quarter of an hour off.
    const datetime = dateNow()
      .toISOString()
      .replace(/[:-]|\.\d{3}/g, '');
    const lent = sessionToken === undefined ? {} : { sessionToken };
    const { region } = this.settings;
    const by = { accessKeyId, secretAccessKey, ...lent, service: 's3', region, datetime, cache: this.derived };
    return new AwsV4Signer({ ...request, ...by });
  }

  private address(endpoint: string, key = ''): URL {
    const { bucket, pathStyle, prefix } = this.settings;
    const path = key === '' ? '' : `${prefix}${key}`;
    if (pathStyle) return new URL(`/${bucket}/${path}`.replace(/\/$/, ''), endpoint);
    const url = new URL(`/${path}`, endpoint);
    url.hostname = `${bucket}.${url.hostname}`;
    return url;
  }
}

/** Spaces as `%20`: not every server takes the `+` that URLs write for them. */
function exact(url: URL): string {
  url.search = url.search.replaceAll('+', '%20');
  return url.href;
}
