import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';

/** The facts that the first bytes of a file reveal. */
export interface FileFacts {
  /** Null: of no type that has a signature. */
  mime: string | null;
  /** Pixels of a picture, upright; null for all else. */
  width: number | null;
  height: number | null;
}

const unknown: FileFacts = { mime: null, width: null, height: null };
const maxPixels = 1_000_000;
const pixels = z.int().min(1).max(maxPixels).nullable().catch(null);
const factsSchema = z.object({ mime: z.string().nullable(), width: pixels, height: pixels });

const limits = {
  /** Real files take less than one. */
  ms: 500,
  startMs: 20_000,
  waiting: 100,
  memory: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 2 },
};

/**
 * Inspects uploads in a thread of its own, one after the other: the formats are many, and a hostile file can make its
 * reader loop or run out of memory. The thread is ended then, and the file has no known type.
 */
class FileInspector {
  private worker: Promise<Worker> | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  /** Never fails. @param head the first bytes, which are copied */
  async inspect(head: Uint8Array): Promise<FileFacts> {
    if (this.waiting >= limits.waiting) return unknown;
    this.waiting++;
    const facts = this.last.then(() => this.ask(head)).catch(() => unknown);
    this.last = facts;
    try {
      return await facts;
    } finally {
      this.waiting--;
    }
  }

  private async ask(head: Uint8Array): Promise<FileFacts> {
    this.worker ??= start();
    const worker = await this.worker.catch((error) => {
      this.worker = undefined;
      throw error;
    });
    try {
      worker.postMessage(head);
      const facts = factsSchema.parse(await answerOf(worker, limits.ms));
      return facts.width === null || facts.height === null ? { ...facts, width: null, height: null } : facts;
    } catch (error) {
      this.worker = undefined;
      await worker.terminate();
      throw error;
    }
  }
}

async function start(): Promise<Worker> {
  const worker = new Worker(new URL('./file-inspector-worker.ts', import.meta.url), { resourceLimits: limits.memory });
  // The thread must not keep the node alive.
  worker.unref();
  // A request fails with the thread; the next request notices a failure between two requests.
  worker.on('error', () => {});
  await answerOf(worker, limits.startMs);
  return worker;
}

/** @throws Error when it dies, or takes longer */
async function answerOf(worker: Worker, ms: number): Promise<unknown> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(ms)]);
  const died = once(worker, 'exit', { signal }).then(() => {
    throw new Error('The thread that looks at files has died.');
  });
  try {
    const [answer] = await Promise.race([once(worker, 'message', { signal }), died]);
    return answer;
  } finally {
    over.abort();
    died.catch(() => {});
  }
}

const inspector = new FileInspector();

/** Inspects the first bytes of an upload. Never fails, and takes no time of the event loop. */
export function inspectFile(head: Uint8Array): Promise<FileFacts> {
  return inspector.inspect(head);
}
