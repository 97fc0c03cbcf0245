import { parse } from 'content-disposition';
import { AppError } from '../contract/errors.ts';
import type { IncomingFile } from '../infrastructure/incoming-file.ts';

/** One part of a multipart body; its bytes are read before the next part is requested, or skipped. */
export interface Part extends IncomingFile {
  field: string;
  isFile: boolean;
}

/** Far more than real forms have. */
const maxParts = 64;
const maxHeaderBytes = 16 * 1024;
const maxPreambleBytes = 16 * 1024;

const crlf = Buffer.from('\r\n');
const blankLine = Buffer.from('\r\n\r\n');

/** The boundary of a `multipart/form-data` content type. @throws AppError UNSUPPORTED_MEDIA_TYPE, MALFORMED_MULTIPART */
export function boundaryOf(contentType: string): string {
  const message = 'Send the body as multipart/form-data with a field "file".';
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) throw new AppError('UNSUPPORTED_MEDIA_TYPE', { message });
  const match = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (!boundary) throw new AppError('MALFORMED_MULTIPART');
  return boundary;
}

/**
 * Reads a multipart body part by part, holding only the latest chunk in memory (RFC 7578).
 * @throws AppError MALFORMED_MULTIPART
 */
export async function* readParts(bytes: AsyncIterator<Buffer>, boundary: string): AsyncGenerator<Part> {
  // The first delimiter may be at the very beginning, without the line end that precedes the others.
  const input = new Input(bytes, crlf);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  await input.until(delimiter, maxPreambleBytes);
  for (let count = 0; !(await input.endsHere()); count++) {
    if (count >= maxParts) throw new AppError('MALFORMED_MULTIPART', { message: 'The body has too many parts.' });
    const headers = readHeaders(await input.until(blankLine, maxHeaderBytes));
    const body = input.through(delimiter);
    yield { ...describe(headers), bytes: body };
    for await (const _ of body);
  }
}

/** A stream of bytes that can be searched for delimiters. */
class Input {
  private readonly source: AsyncIterator<Buffer>;
  private held: Buffer;

  constructor(source: AsyncIterator<Buffer>, first: Buffer) {
    this.source = source;
    this.held = first;
  }

  /** The bytes before `needle`, which is consumed too. @throws AppError MALFORMED_MULTIPART beyond `max` bytes */
  async until(needle: Buffer, max: number): Promise<Buffer> {
    for (;;) {
      const at = this.held.indexOf(needle);
      if (at > max || (at < 0 && this.held.length > max + needle.length)) throw new AppError('MALFORMED_MULTIPART');
      if (at >= 0) return this.take(at, needle.length);
      await this.more();
    }
  }

  /** The same without a limit: yields the bytes as they arrive. */
  async *through(needle: Buffer): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.held.indexOf(needle);
      if (at >= 0) {
        const last = this.take(at, needle.length);
        if (last.length > 0) yield last;
        return;
      }
      // The beginning of the needle may be at the end of the bytes so far.
      const sure = this.held.length - needle.length + 1;
      if (sure > 0) yield this.take(sure, 0);
      await this.more();
    }
  }

  /** After a delimiter: whether it was the last. If not, restores its line end: the headers' end may follow at once. */
  async endsHere(): Promise<boolean> {
    while (this.held.length < 2) await this.more();
    if (this.held.subarray(0, 2).toString('latin1') === '--') return true;
    // Blanks between delimiter and line end are allowed, though unusual.
    const padding = await this.until(crlf, 64);
    if (padding.toString('latin1').trim() !== '') throw new AppError('MALFORMED_MULTIPART');
    this.held = Buffer.concat([crlf, this.held]);
    return false;
  }

  private take(length: number, skip: number): Buffer {
    const taken = this.held.subarray(0, length);
    this.held = this.held.subarray(length + skip);
    return taken;
  }

  private async more(): Promise<void> {
    const next = await this.source.next();
    if (next.done) throw new AppError('MALFORMED_MULTIPART', { message: 'The body ends too early.' });
    this.held = this.held.length > 0 ? Buffer.concat([this.held, next.value]) : next.value;
  }
}

function readHeaders(bytes: Buffer): Map<string, string> {
  const lines = bytes.toString('utf8').split('\r\n').filter(Boolean);
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      if (colon < 1) throw new AppError('MALFORMED_MULTIPART');
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}

function describe(headers: Map<string, string>): Omit<Part, 'bytes'> {
  const { type: disposition, parameters } = parse(withoutEscapes(headers.get('content-disposition') ?? ''), {
    multipart: true,
  });
  const { name: field, filename: fileName } = parameters;
  if (disposition !== 'form-data' || field === undefined) throw new AppError('MALFORMED_MULTIPART');
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? null;
  // Some clients send files without a name.
  const isFile = field === 'file' || fileName !== undefined || type === 'application/octet-stream';
  return { field, isFile, name: baseName(fileName ?? ''), type };
}

/** Browsers write `"` in a name as %22, and a backslash as it is; old curl escapes both. */
function withoutEscapes(disposition: string): string {
  return disposition.replace(/\\"(?!\s*(;|$))/g, '%22');
}

/** Some clients send the whole path, with slashes or backslashes. */
function baseName(fileName: string): string {
  return fileName.split(/[\\/]/).findLast((part) => part !== '') ?? '';
}
