import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { AppError } from '../contract/errors.ts';
import type { Log } from './log.ts';
import { Slots } from './slots.ts';

/** `square` and `banner` (3:1) are cut from the middle; the others keep their proportions. A `thumbnail` never moves. */
export type PictureShape = 'square' | 'banner' | 'whole' | 'thumbnail' | 'emoji';

const fileSchema = z.object({
  bytes: z.instanceof(Uint8Array),
  width: z.int().positive(),
  height: z.int().positive(),
});

const pictureSchema = z.object({
  large: fileSchema,
  small: fileSchema,
  isAnimated: z.boolean(),
  /** What it was made of, upright. */
  original: fileSchema.omit({ bytes: true }),
});
const resultSchema = z.object({ picture: pictureSchema.nullable() });

/** A picture as it is served: WebP in two sizes, without metadata. The small one never moves. */
export type EncodedPicture = z.infer<typeof pictureSchema>;
/** What the process answers; null: this is no picture that it can read. */
export type PictureResult = z.infer<typeof resultSchema>;

export interface PictureJob {
  bytes: Uint8Array;
  shape: PictureShape;
  /** Of all frames together. */
  maxPixels: number;
}

const startMs = 20_000;
/** A process that has nothing to do for this long is ended; a new one takes a fraction of a second. */
const idleMs = 30_000;
const program = fileURLToPath(new URL('./picture-encoder-process.ts', import.meta.url));
/** Nothing else of the environment gets there: whoever breaks its decoders finds no secrets. */
const passedOn = ['PATH', 'LD_LIBRARY_PATH', 'TMPDIR', 'SystemRoot'];

interface Settings {
  maxPixels: number;
  timeoutMs: number;
  waiting: number;
}

/**
 * Decodes pictures and encodes them anew, one at a time, in a process of its own: decoders run native code that a thread
 * cannot be freed from, and that would take the node with it. One that takes too long, or breaks the process, is refused.
 */
export class PictureEncoder {
  private readonly settings: Settings;
  private readonly log: Log;
  private child: Promise<ChildProcess> | undefined;
  private readonly turns: Slots;
  private idle: NodeJS.Timeout | undefined;
  private closed = false;
  readonly counters = { encoded: 0, refused: 0, killed: 0, ms: 0 };

  constructor(settings: Settings, log: Log) {
    this.settings = settings;
    this.turns = new Slots(1, settings.waiting);
    this.log = log;
  }

  /** @throws AppError PICTURE_INVALID, SERVER_BUSY when too many wait */
  encode(bytes: Uint8Array, shape: PictureShape): Promise<EncodedPicture> {
    return this.turns.run(() => this.run({ bytes, shape, maxPixels: this.settings.maxPixels }));
  }

  /** Pictures that wait for their turn. */
  get waiting(): number {
    return this.turns.waiting;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.idle);
    await this.end();
  }

  private async run(job: PictureJob): Promise<EncodedPicture> {
    if (this.closed) throw new AppError('SERVER_BUSY');
    clearTimeout(this.idle);
    const child = await this.running();
    const begun = performance.now();
    try {
      child.send(job);
      const { picture } = resultSchema.parse(await answerOf(child, this.settings.timeoutMs));
      this.idle = setTimeout(() => void this.end(), idleMs).unref();
      if (picture) {
        this.counters.encoded++;
        return picture;
      }
    } catch (error) {
      this.counters.killed++;
      if (!this.closed)
        this.log.warn({ err: error, bytes: job.bytes.length }, 'A picture broke its decoder, or took too long.');
      await this.end();
    } finally {
      this.counters.ms += performance.now() - begun;
    }
    this.counters.refused++;
    throw new AppError('PICTURE_INVALID');
  }

  /** The process, or another one where it has died. @throws Error when there can be none, which is not the caller's fault */
  private async running(): Promise<ChildProcess> {
    const known = await this.child?.catch(() => undefined);
    if (known?.connected) return known;
    this.child = start();
    return this.child;
  }

  private async end(): Promise<void> {
    const child = await this.child?.catch(() => undefined);
    this.child = undefined;
    child?.kill('SIGKILL');
  }
}

async function start(): Promise<ChildProcess> {
  const env = Object.fromEntries(passedOn.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
  const child = fork(program, {
    env,
    execArgv: ['--max-old-space-size=64'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // It must not keep the node alive; a request fails with it, and the next one starts another.
  child.unref();
  child.channel?.unref();
  child.on('error', () => {});
  try {
    await answerOf(child, startMs);
    return child;
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error('The process for pictures does not start; is the package sharp installed for this platform?', {
      cause: error,
    });
  }
}

/** @throws Error when it dies, or takes longer */
async function answerOf(child: ChildProcess, ms: number): Promise<unknown> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(ms)]);
  const died = once(child, 'exit', { signal }).then(() => {
    throw new Error('The process for pictures has died.');
  });
  try {
    const [answer] = await Promise.race([once(child, 'message', { signal }), died]);
    return answer;
  } finally {
    over.abort();
    died.catch(() => {});
  }
}
