import type { Context } from 'koa';
import { HttpMethodEnum, koaBody } from 'koa-body';
import type { Actor } from '../contract/actor.ts';
import type { ErrorCode } from '../contract/error-codes.ts';
import { AppError } from '../contract/errors.ts';
import { invalid } from '../contract/schema/validation.ts';
import { isTooComplex, tooComplex } from '../infrastructure/json-complexity.ts';
import { boundaryOf, type Part, readParts } from './multipart.ts';
import type { Route } from './route.ts';

/** Limits of a request's content, in bytes. */
export interface BodyLimits {
  jsonBodyBytes: number;
  uploadBytes: number;
}

/** Content types that are read as JSON; one that is accepted but not read would count as an empty body. */
const jsonTypes = ['json', '+json'];
/** JSON of callers who are not signed in, in bytes: enough for a form. */
const maxAnonymousBytes = 16 * 1024;
/** All text fields of a form together. */
const maxFieldBytes = 64 * 1024;
const onlyOne = { path: 'file', message: 'must be one; send each by itself', code: 'too_big' };
/** Allowance for the rest of a form: fields, headers, delimiters. */
const formOverhead = 1024 * 1024;

/** Reads the bodies of requests: JSON whole, forms as they arrive. */
export class BodyReader {
  private readonly limits: BodyLimits;
  private readonly takeIn: ReturnType<typeof koaBody>;
  private readonly takeInAnonymous: ReturnType<typeof koaBody>;
  private readonly parseForm = koaBody({ json: false, text: false, formLimit: maxFieldBytes, patchNode: false });

  constructor(limits: BodyLimits) {
    this.limits = limits;
    this.takeIn = textReader(limits.jsonBodyBytes);
    this.takeInAnonymous = textReader(Math.min(limits.jsonBodyBytes, maxAnonymousBytes));
  }

  /**
   * @param isKnown whether the caller is authenticated: others may send little (contract §1)
   * @throws AppError UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE, MALFORMED_JSON
   */
  async json(context: Context, isKnown: boolean): Promise<unknown> {
    if (!hasBody(context)) return {};
    if (!context.is(...jsonTypes)) throw new AppError('UNSUPPORTED_MEDIA_TYPE');
    try {
      await (isKnown ? this.takeIn : this.takeInAnonymous)(context, async () => {});
      const { body } = context.request;
      if (body === '') return {};
      const text = textOf(Buffer.from(String(body), 'binary'), 'MALFORMED_JSON');
      if (isTooComplex(text)) throw new AppError('MALFORMED_JSON', { message: tooComplex });
      // The schemas report valid JSON of the wrong shape.
      return JSON.parse(text);
    } catch (error) {
      throw asBodyError(error, context);
    }
  }

  /** A form's fields, or JSON under any other content type; an empty object if the body is neither. */
  async any(context: Context, isKnown: boolean): Promise<unknown> {
    if (context.is('multipart')) return fieldsOf(context, maxFieldBytes).catch(() => ({}));
    if (context.is('urlencoded')) {
      await this.parseForm(context, async () => {}).catch(() => {});
      return context.request.body ?? {};
    }
    context.request.headers['content-type'] = 'application/json';
    return this.json(context, isKnown).catch(() => ({}));
  }

  /**
   * Streams the field `file` of a form to the route, and returns the other fields.
   * @throws AppError UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE, MALFORMED_MULTIPART, VALIDATION_FAILED without a file
   */
  async form(
    context: Context,
    receive: NonNullable<Route['receive']>,
    request: { actor: Actor; params: Record<string, string> },
  ): Promise<{ fields: Record<string, string>; file: unknown }> {
    const boundary = boundaryOf(context.get('content-type'));
    const max = this.limits.uploadBytes + formOverhead;
    const length = Number(context.get('content-length'));
    if (length > max) throw new AppError('BODY_TOO_LARGE');
    const fields = new Fields();
    const atLeast = Math.max(length - formOverhead, 0);
    let received: { file: unknown } | undefined;
    for await (const part of readParts(bytesOf(context, max), boundary)) {
      if (!part.isFile) await fields.read(part);
      else if (part.field !== 'file') continue;
      // Otherwise a sender of two files would believe that both were stored.
      else if (received) throw invalid([onlyOne]);
      else received = { file: await receive({ ...request, fields: { ...fields.values }, atLeast }, part) };
    }
    if (!received) throw invalid([{ path: 'file', message: 'is missing', code: 'invalid_type' }]);
    return { fields: fields.values, file: received.file };
  }
}

function textReader(textLimit: number): ReturnType<typeof koaBody> {
  return koaBody({
    textTypes: jsonTypes,
    parsedMethods: Object.values(HttpMethodEnum),
    textLimit,
    // One character per byte: decoded as UTF-8, invalid bytes would become U+FFFD, which the client did not send.
    encoding: 'binary',
    json: false,
    urlencoded: false,
    multipart: false,
    patchNode: false,
  });
}

/** The text fields of a form without files. */
async function fieldsOf(context: Context, max: number): Promise<Record<string, string>> {
  const fields = new Fields();
  for await (const part of readParts(bytesOf(context, max), boundaryOf(context.get('content-type')))) {
    if (!part.isFile) await fields.read(part);
  }
  return fields.values;
}

function hasBody(context: Context): boolean {
  return Number(context.get('content-length') || 0) > 0 || context.get('transfer-encoding') !== '';
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function textOf(bytes: Buffer, code: ErrorCode): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new AppError(code, { message: 'The body is not valid UTF-8.', cause });
  }
}

function asBodyError(error: unknown, context: Context): unknown {
  if (error instanceof AppError) return error;
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  if (status === 413) return new AppError('BODY_TOO_LARGE', { cause: error });
  if (status === 415) return new AppError('UNSUPPORTED_MEDIA_TYPE', { cause: error });
  if (status === 400 || error instanceof SyntaxError) return new AppError('MALFORMED_JSON', { cause: error });
  // Not compressed as declared; or the client disconnected before all of it arrived, and nobody reads the response.
  if (context.get('content-encoding') !== '' || context.req.destroyed)
    return new AppError('MALFORMED_JSON', { cause: error });
  return error;
}

/** The text fields of a form. */
class Fields {
  // Without a prototype: clients choose the field names.
  readonly values: Record<string, string> = Object.create(null);
  private size = 0;

  async read(part: Part): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of part.bytes) {
      this.size += piece.length;
      if (this.size > maxFieldBytes) throw new AppError('BODY_TOO_LARGE');
      pieces.push(piece);
    }
    this.values[part.field] = textOf(Buffer.concat(pieces), 'MALFORMED_MULTIPART');
  }
}

/**
 * The bytes of a request's body. The iterator is never closed, since that would close the connection before the response
 * is sent; the rest is read after that.
 */
async function* bytesOf(context: Context, max: number): AsyncGenerator<Buffer> {
  const source: AsyncIterator<Buffer> = context.req[Symbol.asyncIterator]();
  for (let size = 0; ; ) {
    const next = await source.next().catch((error) => {
      throw new AppError('MALFORMED_MULTIPART', { message: 'The body ends too early.', cause: error });
    });
    if (next.done) return;
    size += next.value.length;
    if (size > max) throw new AppError('BODY_TOO_LARGE');
    yield next.value;
  }
}
