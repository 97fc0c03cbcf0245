import type { Readable } from 'node:stream';
import { AppError } from '../../contract/errors.ts';
import { invalid } from '../../contract/schema/validation.ts';
import type { IncomingFile } from '../../infrastructure/incoming-file.ts';
import { isTooComplex, tooComplex } from '../../infrastructure/json-complexity.ts';
import { isJson, type Json } from './formats/json.ts';

/** Far more than a message can show; tools that list all that changed stay below it. */
const maxBytes = 512 * 1024;

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

/** The headers of a request with one value each. */
export function headersOf({ headers }: Request): Record<string, string> {
  const single = Object.entries(headers).map(([name, value = '']): [string, string] => [
    name,
    [value].flat().join(', '),
  ]);
  return Object.fromEntries(single);
}

/** The bytes of a body, which signatures are about. @throws AppError BODY_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE if they are compressed */
export async function bytesOf({ body, headers }: Request): Promise<Buffer> {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw new AppError('UNSUPPORTED_MEDIA_TYPE');
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw new AppError('BODY_TOO_LARGE');
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of unclosed(body)) {
    size += piece.length;
    if (size > maxBytes) throw new AppError('BODY_TOO_LARGE');
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
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

/**
 * The JSON object in a body: the body itself, whatever its type says, or `payload` or `payload_json` of a form.
 * @param parts those of a form, which is read as one where it says that it is
 * @throws AppError MALFORMED_JSON, MALFORMED_MULTIPART, VALIDATION_FAILED for JSON that is no object
 */
export async function objectIn(
  bytes: Buffer,
  contentType: string,
  parts: () => AsyncIterable<FormPart>,
): Promise<Json> {
  if (/^multipart\/form-data/i.test(contentType)) return ofForm(await fieldsOf(parts()));
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

/** Of files the message says that they came: it cannot bring them. */
async function fieldsOf(parts: AsyncIterable<FormPart>): Promise<Record<string, string>> {
  const fields: Record<string, string> = {};
  for await (const part of parts) {
    const pieces: Buffer[] = [];
    for await (const piece of part.bytes) pieces.push(piece);
    const content = Buffer.concat(pieces);
    fields[part.field] = part.isFile ? `${part.name} (${content.length} bytes, not taken)` : decoded(content);
  }
  return fields;
}
