import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  type ECDH,
  hkdfSync,
  randomBytes,
  randomUUID,
} from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { compactVerify } from 'jose';
import { until } from '../rig/until.ts';
import type { Loose, Person } from '../world/person.ts';

/** One push that came for a device, decrypted as a browser would, with what its signature says. */
export interface Arrived {
  payload: Loose;
  headers: IncomingHttpHeaders;
  /** The claims of its VAPID token, whose signature is good. */
  claims: Loose;
  /** The key that signed it. */
  signedBy: string;
  /** What was answered. */
  status: number;
}

/** A browser's subscription at the stand-in. */
export interface Device {
  endpoint: string;
  subscription: { endpoint: string; expirationTime: null; keys: { p256dh: string; auth: string } };
  arrived: Arrived[];
  /** Those that were accepted, of a type. */
  accepted(type?: string): Loose[];
  next(fits: (arrived: Arrived) => boolean): Promise<Arrived>;
  /** What is answered from now on; 201 at first. `hang`: nothing. */
  answer(status: number | 'hang'): void;
  subscribe(person: Person): Promise<void>;
}

/** A push service on this machine: it takes what a real one would take, and shows what the device reads. */
export interface PushService {
  host: string;
  device(): Device;
  /** What a real push service or browser would have refused. */
  complaints: string[];
  close(): Promise<void>;
}

export async function pushService(): Promise<PushService> {
  const devices = new Map<string, (request: IncomingMessage, body: Buffer) => Promise<number | 'hang'>>();
  const complaints: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const take = devices.get(request.url ?? '');
    const status = await (take?.(request, Buffer.concat(chunks)) ?? 404);
    if (status !== 'hang') response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return {
    host,
    complaints,
    device() {
      const path = `/push/${randomUUID()}`;
      const { device, take } = deviceAt(`http://${host}${path}`, complaints);
      devices.set(path, take);
      return device;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function deviceAt(endpoint: string, complaints: string[]) {
  const ecdh = createECDH('prime256v1');
  ecdh.generateKeys();
  const auth = randomBytes(16);
  const keys = { p256dh: ecdh.getPublicKey('base64url'), auth: auth.toString('base64url') };
  let answer: number | 'hang' = 201;
  const device: Device = {
    endpoint,
    subscription: { endpoint, expirationTime: null, keys },
    arrived: [],
    accepted: (type = 'notification') =>
      device.arrived
        .filter(({ status }) => status < 300)
        .flatMap(({ payload }) => (payload.type === type ? payload : [])),
    next: (fits) =>
      until(() => device.arrived.find(fits), { message: `not pushed, but ${device.arrived.length} others` }),
    answer(next) {
      answer = next;
    },
    async subscribe(person) {
      const { status, body } = await person.put('/api/push/subscription', device.subscription);
      if (status !== 200) throw new Error(`cannot subscribe: ${JSON.stringify(body)}`);
    },
  };
  const take = async (request: IncomingMessage, body: Buffer) => {
    try {
      const signed = await verified(request, new URL(endpoint).origin);
      requireHeaders(request, body);
      const payload = JSON.parse(decrypted(body, ecdh, auth).toString());
      device.arrived.push({ payload, headers: request.headers, ...signed, status: answer === 'hang' ? 0 : answer });
    } catch (error) {
      complaints.push(String(error));
      return 400;
    }
    return answer;
  };
  return { device, take };
}

/** The token of RFC 8292: signed with the key that it names, for this push service, for a day at most, by someone to ask. */
async function verified({ headers }: IncomingMessage, origin: string): Promise<{ claims: Loose; signedBy: string }> {
  const [, token = '', signedBy = ''] = /^vapid t=([^,]+), ?k=([\w-]+)$/.exec(headers.authorization ?? '') ?? [];
  const point = Buffer.from(signedBy, 'base64url');
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  const { payload, protectedHeader } = await compactVerify(token, key);
  const claims: Loose = JSON.parse(Buffer.from(payload).toString());
  const seconds = Date.now() / 1000;
  if (protectedHeader.alg !== 'ES256') throw new Error(`signed by ${protectedHeader.alg}`);
  if (claims.aud !== origin) throw new Error(`for ${claims.aud}`);
  if (!(claims.exp > seconds && claims.exp <= seconds + 24 * 60 * 60)) throw new Error(`until ${claims.exp}`);
  if (!/^(mailto:.+@.+|https:\/\/.+)$/.test(claims.sub)) throw new Error(`by ${claims.sub}`);
  return { claims, signedBy };
}

/** What RFC 8030 asks for, and what push services take. */
function requireHeaders({ method, headers }: IncomingMessage, body: Buffer): void {
  const { ttl, urgency, topic } = headers;
  if (method !== 'POST' || headers['content-encoding'] !== 'aes128gcm') throw new Error('not encrypted');
  if (!/^\d+$/.test(String(ttl))) throw new Error(`TTL ${ttl}`);
  if (!['very-low', 'low', 'normal', 'high'].includes(String(urgency))) throw new Error(`urgency ${urgency}`);
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(String(topic))) throw new Error(`topic ${topic}`);
  if (body.length > 4096) throw new Error(`${body.length} bytes`);
}

/** The content of an `aes128gcm` body of one record (RFC 8188), with the keys of RFC 8291. */
function decrypted(body: Buffer, ecdh: ECDH, auth: Buffer): Buffer {
  const salt = body.subarray(0, 16);
  const sender = body.subarray(21, 21 + body.readUInt8(20));
  const sealed = body.subarray(21 + sender.length);
  if (sealed.length > body.readUInt32BE(16)) throw new Error('more than one record');
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender]);
  const secret = Buffer.from(hkdfSync('sha256', ecdh.computeSecret(sender), auth, info, 32));
  const derived = (what: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, Buffer.from(`Content-Encoding: ${what}\0`), bytes));
  const decipher = createDecipheriv('aes-128-gcm', derived('aes128gcm', 16), derived('nonce', 12));
  decipher.setAuthTag(sealed.subarray(-16));
  const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  const end = padded.lastIndexOf(2);
  if (end < 0 || padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('not the last record');
  return padded.subarray(0, end);
}
