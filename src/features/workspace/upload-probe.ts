import { inspectFile } from '../../infrastructure/file-inspector.ts';
import { mediaTypeOf } from '../../infrastructure/media-types.ts';

/** Enough to detect the types that have a signature. */
const headBytes = 4100;

/** Inspects the bytes of an upload as they pass: whether they are text, and of what type. */
export class UploadProbe {
  private readonly maxTextBytes: number;
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });
  private readonly head: Buffer[] = [];
  private size = 0;
  private text = true;

  constructor(maxTextBytes: number) {
    this.maxTextBytes = maxTextBytes;
  }

  async *through(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of bytes) {
      this.look(piece);
      yield piece;
    }
    this.decode();
  }

  /** Valid UTF-8 without U+0000, and small enough to be edited. */
  get isText(): boolean {
    return this.text;
  }

  /** The type implied by the name, else that of the bytes. */
  async type(name: string): Promise<string> {
    const promised = mediaTypeOf(name);
    if (promised) return promised;
    if (this.text) return 'text/plain';
    const { mime } = await inspectFile(Buffer.concat(this.head).subarray(0, headBytes));
    return mime ?? 'application/octet-stream';
  }

  private look(piece: Buffer): void {
    if (this.size < headBytes) this.head.push(Buffer.from(piece.subarray(0, headBytes)));
    this.size += piece.length;
    if (this.size > this.maxTextBytes || piece.includes(0)) this.text = false;
    if (this.text) this.decode(piece);
  }

  private decode(piece?: Buffer): void {
    if (!this.text) return;
    try {
      this.decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      this.text = false;
    }
  }
}
