import type { Readable } from 'node:stream';
import { AppError } from '../../../contract/errors.ts';
import { invalid } from '../../../contract/schema/validation.ts';
import type { StreamMouth } from './stream.mouth.ts';
import { together } from './together.ts';

/**
 * Says a text as it arrives. The body is never closed here, since that would close the connection before the response is sent.
 * @throws AppError MALFORMED_REQUEST where it breaks off, VALIDATION_FAILED for what is not UTF-8, STREAM_STOPPED at once when it
 *   was stopped, and as `StreamMouth.say`
 */
export async function sayBody(mouth: StreamMouth, body: Readable): Promise<void> {
  const stopped = new Promise<never>((_, reject) => {
    mouth.signal.addEventListener('abort', () => reject(mouth.signal.reason), { once: true });
  });
  // It may be stopped while nobody waits for it.
  stopped.catch(() => {});
  // Its bot is told at once whether it may speak.
  await mouth.say('');
  const texts = together(textsIn(body));
  for (;;) {
    const next = await Promise.race([texts.next(), stopped]);
    if (next.done) return;
    await mouth.say(next.value);
  }
}

async function* textsIn(body: Readable): AsyncGenerator<string> {
  const source: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for (;;) {
    const next = await source.next().catch(brokenOff);
    yield textOf(decoder, next.done ? undefined : next.value);
    if (next.done) return;
  }
}

function brokenOff(cause: unknown): never {
  throw new AppError('MALFORMED_REQUEST', { cause });
}

function textOf(decoder: InstanceType<typeof TextDecoder>, bytes: Buffer | undefined): string {
  try {
    return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
  } catch {
    throw invalid([{ path: 'body', message: 'must be UTF-8', code: 'invalid_format' }]);
  }
}
