import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import S3rver from 's3rver';
import type { S3Settings } from '../../src/settings/s3-settings.ts';
import { atEnd } from './ending.ts';
import { isSigned } from './s3-signature.ts';

/** What becomes of a request to the bucket. */
export type Fault =
  /** It is taken, and never answered. */
  | 'silence'
  /** 500, as S3 says it. */
  | 'error'
  /** A byte of the answer is another one. */
  | 'wrong byte'
  /** It is carried out, but its answer gets lost. */
  | 'lost answer'
  /** The connection breaks after so many bytes of the request. */
  | { cutUpload: number }
  /** The connection breaks after so many bytes of the answer. */
  | { cutDownload: number };

interface Spoiled {
  which: RegExp;
  fault: Fault;
  left: number;
}

/** A bucket of a real S3 server, behind a proxy that spoils what it is told to, and checks signatures: the server does not. */
export interface Bucket {
  settings: S3Settings;
  /** All requests so far: method and path with query. */
  requests: string[];
  /** Spoils the next requests that match, or all of them until `heal`. */
  spoil(which: RegExp, fault: Fault, times?: number): void;
  heal(): void;
  stop(): Promise<void>;
}

const name = 'files';
const keys = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

export async function startBucket(): Promise<Bucket> {
  const directory = mkdtempSync(path.join(tmpdir(), 'parley-bucket-'));
  const configureBuckets = [{ name, configs: [] }];
  const s3 = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets });
  const { port } = await s3.run();
  const proxy = new FaultProxy(port);
  const endpoint = await proxy.listen();
  const stop = async () => {
    await proxy.close();
    await s3.close().catch(() => {});
    rmSync(directory, { recursive: true, force: true });
  };
  atEnd(stop);
  const settings = {
    ...{ bucket: name, region: 'us-east-1', endpoint, publicEndpoint: endpoint, pathStyle: true, prefix: 'chat/' },
    ...{ keys, aws: {}, redirects: false },
  };
  const { requests } = proxy;
  return {
    ...{ settings, requests, stop },
    spoil: (which, fault, times = Number.POSITIVE_INFINITY) => void proxy.spoiled.push({ which, fault, left: times }),
    heal: () => proxy.heal(),
  };
}

/** Passes requests on that are signed, but those that it is told to spoil. */
class FaultProxy {
  readonly requests: string[] = [];
  readonly spoiled: Spoiled[] = [];
  private readonly target: number;
  private readonly server: Server;

  constructor(target: number) {
    this.target = target;
    this.server = createServer((request, response) => this.pass(request, response));
  }

  async listen(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('A server has no port.');
    return `http://127.0.0.1:${address.port}`;
  }

  heal(): void {
    this.spoiled.length = 0;
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private pass(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '' } = request;
    this.requests.push(`${method} ${url}`);
    const fault = this.faultOf(`${method} ${url}`);
    const drop = () => request.socket.destroy();
    request.on('error', drop);
    if (fault === 'silence') request.resume();
    else if (fault === 'error') refuse(request, response, 500, 'InternalError');
    else if (!isSigned({ method, url, headers: request.headers }, keys))
      refuse(request, response, 403, 'SignatureDoesNotMatch');
    // This server does not know how to give an upload up; it forgets its parts at its end.
    else if (method === 'DELETE' && url.includes('uploadId=')) response.writeHead(204).end();
    else if (fault instanceof Object && 'cutUpload' in fault) dropAfter(request, fault.cutUpload);
    else this.forward(request, response, fault, drop).catch(drop);
  }

  private async forward(
    request: IncomingMessage,
    response: ServerResponse,
    fault: Fault | undefined,
    drop: () => void,
  ): Promise<void> {
    const { method, url, headers } = request;
    const body = await buffer(request);
    const signed = headers['x-amz-content-sha256'];
    if (signed !== undefined && signed !== createHash('sha256').update(body).digest('hex')) {
      refuse(request, response, 400, 'XAmzContentSHA256Mismatch');
      return;
    }
    const inner = httpRequest({ host: '127.0.0.1', port: this.target, method, path: url, headers });
    inner.on('error', drop);
    inner.on('response', (answer) => {
      if (fault === 'lost answer') {
        answer.resume().on('end', drop);
        return;
      }
      send(answer, response, fault, drop);
    });
    inner.end(body);
  }

  private faultOf(request: string): Fault | undefined {
    const found = this.spoiled.find(({ which, left }) => left > 0 && which.test(request));
    if (!found) return undefined;
    found.left--;
    return found.fault;
  }
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number, code: string): void {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>Refused.</Message></Error>`;
  const answer = () => response.writeHead(status, { 'Content-Type': 'application/xml' }).end(body);
  if (request.readableEnded) answer();
  else request.resume().on('end', answer);
}

function dropAfter(request: IncomingMessage, bytes: number): void {
  let received = 0;
  request.on('data', (piece: Buffer) => {
    received += piece.length;
    if (received > bytes) request.socket.destroy();
  });
}

function send(answer: IncomingMessage, response: ServerResponse, fault: Fault | undefined, drop: () => void): void {
  const headers: OutgoingHttpHeaders = answer.headers;
  response.writeHead(answer.statusCode ?? 500, headers);
  // Who has enough leaves in the middle; the server would wait for ever with the rest.
  response.on('close', () => answer.destroy());
  if (fault === 'wrong byte') answer.pipe(spoilFirst()).pipe(response);
  else if (fault instanceof Object && 'cutDownload' in fault)
    answer.pipe(dropping(fault.cutDownload, drop)).pipe(response);
  else answer.pipe(response);
}

function spoilFirst(): Transform {
  let isFirst = true;
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      const changed = Buffer.from(piece);
      if (isFirst && changed.length > 0) changed[0] = (changed[0] ?? 0) ^ 1;
      isFirst = false;
      done(null, changed);
    },
  });
}

function dropping(bytes: number, drop: () => void): Transform {
  let sent = 0;
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      const some = piece.subarray(0, Math.max(0, bytes - sent));
      sent += piece.length;
      done(null, some);
      // What was passed on leaves first.
      if (sent > bytes) setImmediate(drop);
    },
  });
}
