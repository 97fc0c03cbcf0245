import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** A request as it arrived. */
interface Arrived {
  method: string;
  /** Path with query. */
  url: string;
  headers: IncomingHttpHeaders;
}

interface Keys {
  accessKeyId: string;
  secretAccessKey: string;
}

/** What a signature says about itself. */
interface Claim {
  credential: string;
  signedHeaders: string[];
  date: string;
  bodyHash: string;
  signature: string;
}

const algorithm = 'AWS4-HMAC-SHA256';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** RFC 3986: only letters, digits and `-._~` stay as they are. */
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * Whether a request is signed with these keys by AWS Signature Version 4, in its header or in its query. The rules are read
 * here once more, apart from what signs: the S3 server of the tests takes any signature.
 */
export function isSigned(request: Arrived, { accessKeyId, secretAccessKey }: Keys): boolean {
  const [path = '', search = ''] = request.url.split('?');
  const query = pairsOf(search);
  const claim = query.has('X-Amz-Signature') ? claimOfQuery(query) : claimOfHeader(request.headers);
  const [id, day = '', region = '', service = '', end = ''] = claim.credential.split('/');
  if (id !== accessKeyId || !claim.date.startsWith(day) || service !== 's3' || end !== 'aws4_request') return false;
  if (!claim.signedHeaders.includes('host')) return false;
  query.delete('X-Amz-Signature');
  const canonical = [
    request.method,
    path
      .split('/')
      .map((part) => encoded(decodeURIComponent(part)))
      .join('/'),
    [...query]
      .map(([name, value]) => [encoded(name), encoded(value)] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map((pair) => pair.join('='))
      .join('&'),
    ...claim.signedHeaders.map((name) => `${name}:${String(request.headers[name]).trim().replace(/\s+/g, ' ')}`),
    '',
    claim.signedHeaders.join(';'),
    claim.bodyHash,
  ].join('\n');
  const scope = [day, region, service, end].join('/');
  const toSign = [algorithm, claim.date, scope, sha256(canonical)].join('\n');
  const key = [day, region, service, end].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  return hmac(key, toSign).toString('hex') === claim.signature;
}

function pairsOf(search: string): Map<string, string> {
  const pairs = search.split('&').filter(Boolean);
  // A plus stands for itself here.
  return new Map(
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [decodeURIComponent(name), decodeURIComponent(value.join('='))];
    }),
  );
}

function claimOfQuery(query: Map<string, string>): Claim {
  return {
    credential: query.get('X-Amz-Credential') ?? '',
    signedHeaders: (query.get('X-Amz-SignedHeaders') ?? '').split(';'),
    date: query.get('X-Amz-Date') ?? '',
    bodyHash: 'UNSIGNED-PAYLOAD',
    signature: query.get('X-Amz-Signature') ?? '',
  };
}

function claimOfHeader(headers: IncomingHttpHeaders): Claim {
  const said = headers.authorization ?? '';
  const of = (name: string) => new RegExp(`${name}=([^,\\s]+)`).exec(said)?.[1] ?? '';
  return {
    credential: said.startsWith(`${algorithm} `) ? of('Credential') : '',
    signedHeaders: of('SignedHeaders').split(';'),
    date: String(headers['x-amz-date'] ?? ''),
    bodyHash: String(headers['x-amz-content-sha256'] ?? ''),
    signature: of('Signature'),
  };
}
