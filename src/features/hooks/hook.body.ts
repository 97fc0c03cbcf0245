import type { Readable } from 'node:stream';
import { AppError } from '../../contract/errors.ts';
import { invalid } from '../../contract/schema/validation.ts';
import type { IncomingFile } from '../../infrastructure/incoming-file.ts';
import { isTooComplex, tooComplex } from '../../infrastructure/json-complexity.ts';
import { isJson, type Json } from './formats/json.ts';
import { named } from './hook.files.ts';

/** Far more than a message can show; tools that list all that changed stay below it. */
const maxBytes = 512 * 1024;
/** With the files, of which a message carries some. */
const maxFormBytes = 32 * 1024 * 1024;

/** A request before anything of it is read. */
interface Request {
  headers: NodeJS.Dict<string | string[]>;
  body: Readable;
}

/** A part of a form. */
interface FormPart extends IncomingFile {
  field: string;
  isFile: boolean;
}

/** Takes a file of a form. @returns false: there is no room for it, and what is left of it is only counted */
export type TakeFile = (field: string, file: IncomingFile) => Promise<boolean>;

/** The headers of a request with one value each. */
export function headersOf({ headers }: Request): Record<string, string> {
  const single = Object.entries(headers).map(([name, value = '']): [string, string] => [
    name,
    [value].flat().join(', '),
  ]);
  return Object.fromEntries(single);
}

/** The bytes of a body, which signatures are about. @throws AppError BODY_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE if they are compressed */
export async function bytesOf(request: Request): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(admitted(request, maxBytes)));
}

/** The bytes of a form as they arrive. @throws AppError as `bytesOf` */
export const formBytes = (request: Request): AsyncGenerator<Buffer> => admitted(request, maxFormBytes);

async function* admitted({ body, headers }: Request, max: number): AsyncGenerator<Buffer> {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw new AppError('UNSUPPORTED_MEDIA_TYPE');
  if (Number(headers['content-length'] ?? 0) > max) throw new AppError('BODY_TOO_LARGE');
  let size = 0;
  for await (const piece of unclosed(body)) {
    size += piece.length;
    if (size > max) throw new AppError('BODY_TOO_LARGE');
    yield piece;
  }
}

/** Closing its iterator would close the connection before the answer is sent. */
async function* unclosed(body: Readable): AsyncGenerator<Buffer> {
  const source: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
  for (;;) {
    const next = await source.next().catch((cause) => {
      throw new AppError('MALFORMED_JSON', { message: 'The body ends too early.', cause });
    });
    if (next.done) return;
    yield next.value;
  }
}

/** Whether a body is a form with parts, of which some may be files. */
export const isForm = (contentType: string): boolean => /^multipart\/form-data/i.test(contentType);

/**
 * The JSON object in the parts of a form, in `payload` or `payload_json`. Files that are not taken are named in it.
 * @throws AppError BODY_TOO_LARGE, MALFORMED_JSON, MALFORMED_MULTIPART, VALIDATION_FAILED for JSON that is no object
 */
export async function objectInForm(parts: AsyncIterable<FormPart>, take: TakeFile): Promise<Json> {
  return ofForm(await fieldsOf(parts, take));
}

/**
 * The JSON object in a body: the body itself, whatever its type says, or `payload` or `payload_json` of a form.
 * @throws AppError MALFORMED_JSON, VALIDATION_FAILED for JSON that is no object
 */
export function objectIn(bytes: Buffer, contentType: string): Json {
  const text = decoded(bytes);
  if (/^application\/x-www-form-urlencoded/i.test(contentType) && !/^\s*[{[]/.test(text)) {
    return ofForm(Object.fromEntries(new URLSearchParams(text)));
  }
  return parsed(text);
}

/** Fields beside the JSON are shown as they are; a form without JSON is the message itself. */
function ofForm({ payload, payload_json: discord, ...others }: Record<string, string>): Json {
  const json = payload ?? discord;
  return json === undefined ? others : { ...others, ...parsed(json) };
}

function parsed(text: string): Json {
  if (isTooComplex(text)) throw new AppError('MALFORMED_JSON', { message: tooComplex });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new AppError('MALFORMED_JSON', { cause });
  }
  if (isJson(value)) return value;
  throw invalid([{ path: '', message: 'must be a JSON object', code: 'invalid_type' }]);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decoded(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new AppError('MALFORMED_JSON', { message: 'The body is not valid UTF-8.', cause });
  }
}

async function fieldsOf(parts: AsyncIterable<FormPart>, take: TakeFile): Promise<Record<string, string>> {
  const fields: Record<string, string> = {};
  let size = 0;
  for await (const { field, isFile, name, type, bytes } of parts) {
    if (isFile) {
      const content = new Content(bytes);
      const isTaken = await take(field, { name, type, bytes: content.pieces() });
      await content.skip();
      if (!isTaken) fields[field] = named(name, content.length);
      continue;
    }
    const pieces: Buffer[] = [];
    for await (const piece of bytes) {
      size += piece.length;
      if (size > maxBytes) throw new AppError('BODY_TOO_LARGE');
      pieces.push(piece);
    }
    fields[field] = decoded(Buffer.concat(pieces));
  }
  return fields;
}

/** The bytes of a file: whoever stops reading them leaves the others there, so that the form can be read on. */
class Content {
  length = 0;
  private readonly source: AsyncIterator<Buffer>;
  private failure: { error: unknown } | undefined;

  constructor(bytes: AsyncIterable<Buffer>) {
    this.source = bytes[Symbol.asyncIterator]();
  }

  async *pieces(): AsyncGenerator<Buffer> {
    for (;;) {
      const next = await this.source.next().catch((error) => {
        this.failure = { error };
        throw error;
      });
      if (next.done) return;
      this.length += next.value.length;
      yield next.value;
    }
  }

  /** Counts what nobody has read. @throws what the form failed with before, too */
  async skip(): Promise<void> {
    if (this.failure) throw this.failure.error;
    for await (const _ of this.pieces());
  }
}
