import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher, request as send } from 'undici';
import type { S3Settings } from '../../settings/s3-settings.ts';
import { jittered } from '../jitter.ts';
import type { ByteRange } from '../served-content.ts';
import type { StoreMeter, StoreOperation } from './meter.ts';
import { answeredError, listsOf, S3Error, textsOf } from './s3-error.ts';
import { type LinkHeaders, type S3Request, S3Signing } from './signing.ts';

/** Limits of requests to a bucket, see `blobs.s3` in the settings. */
interface S3Limits {
  timeoutMs: number;
  attempts: number;
}

/** An object as the bucket lists it. */
interface ListedObject {
  key: string;
  size: number;
  changedAt: Date;
}

type Answer = Dispatcher.ResponseData;

const firstPauseMs = 200;
/** S3 puts the parts of an upload together before it answers. */
const completeFactor = 3;

/**
 * A bucket, by the part of S3's protocol that AWS, MinIO, R2 and Garage have in common. Each request is bounded in time, and
 * repeated with growing pauses where that may help. @throws S3Error from every method
 */
export class S3Client {
  private readonly settings: S3Settings;
  private readonly limits: S3Limits;
  private readonly meter: StoreMeter;
  private readonly signing: S3Signing;
  private readonly agent: Agent;

  constructor(settings: S3Settings, limits: S3Limits, meter: StoreMeter) {
    this.settings = settings;
    this.limits = limits;
    this.meter = meter;
    this.signing = new S3Signing(settings);
    const { timeoutMs } = limits;
    // As many connections as there are requests: who downloads slowly must not keep others waiting for one.
    this.agent = new Agent({ connect: { timeout: timeoutMs }, bodyTimeout: timeoutMs, headersTimeout: 0 });
  }

  /** Stores an object whose bytes are in memory. @param bodyHash their SHA-256 */
  async put(key: string, body: Buffer, bodyHash: string): Promise<void> {
    await this.ask('put', { method: 'PUT', key, body, bodyHash, headers: binary }, dumped);
    this.meter.bytes.s3.written += body.length;
  }

  /** Begins an upload in parts. @returns its id */
  begin(key: string): Promise<string> {
    return this.ask('begin', { method: 'POST', key, query: { uploads: '' }, headers: binary }, async (answer) => {
      const { UploadId: id } = textsOf(await answer.body.text(), ['UploadId']);
      if (!id) throw new S3Error('S3 began an upload without a name.');
      return id;
    });
  }

  /** Uploads a part; all but the last have the same size. @returns its tag */
  async putPart(key: string, uploadId: string, part: { number: number; body: Buffer; hash: string }): Promise<string> {
    const query = { partNumber: String(part.number), uploadId };
    const request: S3Request = { method: 'PUT', key, query, body: part.body, bodyHash: part.hash };
    const tag = await this.ask('part', request, async (answer) => {
      await answer.body.dump();
      const { etag } = answer.headers;
      if (typeof etag !== 'string') throw new S3Error('S3 took a part of an upload without a tag.');
      return etag;
    });
    this.meter.bytes.s3.written += part.body.length;
    return tag;
  }

  /** Makes an object of the uploaded parts. @param tags in the order of the parts. @param size of all of them */
  async complete(key: string, uploadId: string, tags: string[], size: number): Promise<void> {
    const parts = tags.map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
    const headers = { 'Content-Type': 'application/xml' };
    try {
      await this.ask('complete', { method: 'POST', key, query: { uploadId }, body, headers }, async (answer) => {
        const text = await answer.body.text();
        // It may begin to answer before it knows how it ends.
        if (!text.includes('<CompleteMultipartUploadResult')) throw answeredError(`complete ${key}`, 500, text);
      });
    } catch (error) {
      // Perhaps only the first answer was lost: then the upload is no more, but its object is there, which appears whole.
      const isAnswered = error instanceof S3Error && error.status !== 0;
      if (isAnswered && (await this.size(key).catch(() => null)) === size) return;
      throw error;
    }
  }

  /** Gives an upload up, with its parts; one that is over already is fine. */
  async abort(key: string, uploadId: string): Promise<void> {
    await this.ask('abort', { method: 'DELETE', key, query: { uploadId } }, dumped).catch(unlessMissing);
  }

  /** Deletes an object; one that is not there is fine. */
  async remove(key: string): Promise<void> {
    await this.ask('delete', { method: 'DELETE', key }, dumped).catch(unlessMissing);
  }

  /** The size of an object. */
  size(key: string): Promise<number> {
    return this.ask('head', { method: 'HEAD', key }, async (answer) => {
      await answer.body.dump();
      return Number(answer.headers['content-length']);
    });
  }

  /** The bytes of an object, as they are consumed. A connection that breaks is taken up where it ended. */
  async *read(key: string, { start, end }: ByteRange): AsyncGenerator<Buffer> {
    for (let at = start, failures = 0; at <= end; ) {
      try {
        const body = await this.open(key, { start: at, end });
        for await (const chunk of body) {
          // A server may ignore where a range ends, as HTTP allows it.
          if (at > end) break;
          const piece: Buffer = chunk.subarray(0, end + 1 - at);
          at += piece.length;
          failures = 0;
          this.meter.bytes.s3.read += piece.length;
          yield piece;
        }
        if (at <= end) throw new S3Error(`S3 sent less of ${key} than it was asked for.`);
      } catch (cause) {
        const error = cause instanceof S3Error ? cause : new S3Error(`S3 broke off within ${key}.`, { cause });
        if (!error.mayPass || ++failures >= this.limits.attempts) throw error;
        await pause(failures);
      }
    }
  }

  /** All objects, in pages of up to a thousand, by key. */
  async *list(): AsyncGenerator<ListedObject[]> {
    const { prefix } = this.settings;
    for (let token: string | undefined; ; ) {
      const query = { 'list-type': '2', prefix, ...(token ? { 'continuation-token': token } : {}) };
      const xml = await this.ask('list', { method: 'GET', query }, (answer) => answer.body.text());
      const lists = listsOf(xml, ['Key', 'Size', 'LastModified', 'NextContinuationToken']);
      const of = (name: 'Size' | 'LastModified', index: number) => lists.get(name)?.[index] ?? '';
      yield (lists.get('Key') ?? []).map((key, index) => ({
        key: key.slice(prefix.length),
        size: Number(of('Size', index)),
        changedAt: new Date(of('LastModified', index)),
      }));
      token = lists.get('NextContinuationToken')?.[0];
      if (!token) return;
    }
  }

  /** The address by which anyone may get an object for some seconds. */
  link(key: string, headers: LinkHeaders, seconds: number): Promise<string> {
    return this.signing.link(key, headers, seconds);
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private open(key: string, { start, end }: ByteRange): Promise<Answer['body']> {
    const headers = { Range: `bytes=${start}-${end}` };
    return this.ask('get', { method: 'GET', key, headers }, async ({ statusCode, body }) => {
      if (statusCode === 206 || start === 0) return body;
      body.destroy();
      throw new S3Error('S3 ignores which bytes are asked for.', { status: 400 });
    });
  }

  /** @param take reads the answer, which a failure there makes a failure of the request */
  private async ask<T>(
    operation: StoreOperation,
    request: S3Request,
    take: (answer: Answer) => Promise<T>,
  ): Promise<T> {
    for (let failures = 0; ; ) {
      try {
        const result = await this.meter.timed('s3', operation, () => this.attempt(operation, request, take), isFailure);
        this.meter.problem = null;
        return result;
      } catch (error) {
        if (error instanceof S3Error && error.mayPass && ++failures < this.limits.attempts) {
          if (error.isOutdated) this.signing.credentials.forget();
          await pause(failures);
          continue;
        }
        if (isFailure(error)) this.meter.problem = error instanceof Error ? error.message : String(error);
        throw error;
      }
    }
  }

  private async attempt<T>(
    operation: StoreOperation,
    request: S3Request,
    take: (answer: Answer) => Promise<T>,
  ): Promise<T> {
    const what = `${operation} ${request.key ?? this.settings.bucket}`;
    const { url, headers } = await this.signing.signed(request);
    const over = new AbortController();
    const ms = this.limits.timeoutMs * (operation === 'complete' ? completeFactor : 1);
    const timer = setTimeout(() => over.abort(new Error(`It took longer than ${ms} ms.`)), ms);
    try {
      const { method, body = null } = request;
      const answer = await send(url, { method, headers, body, signal: over.signal, dispatcher: this.agent });
      if (answer.statusCode < 300) return await take(answer);
      throw answeredError(what, answer.statusCode, await answer.body.text());
    } catch (error) {
      if (error instanceof S3Error) throw error;
      const reason = error instanceof Error ? error.message || error.name : String(error);
      throw new S3Error(`S3 did not answer ${what}: ${reason}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
}

const binary = { 'Content-Type': 'application/octet-stream' };

const dumped = ({ body }: Answer): Promise<void> => body.dump();

const pause = (failures: number) => delay(jittered(firstPauseMs * 2 ** (failures - 1)));

/** Asking for what is not there is no failure of the store. */
const isFailure = (error: unknown) => !(error instanceof S3Error && error.isMissing);

function unlessMissing(error: unknown): void {
  if (!(error instanceof S3Error && error.isMissing)) throw error;
}
