import { Backoff, pause } from '../backoff.ts';
import { asParleyError } from '../errors.ts';

/** Does what may be done twice until the server has answered it. @throws ParleyError when it refuses */
export async function untilAnswered<T>(attempt: () => Promise<T>): Promise<T> {
  const backoff = new Backoff(500, 10_000);
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const failure = asParleyError(error);
      if (!failure.isPassing) throw failure;
      await pause(backoff.next() + (failure.retryAfter ?? 0) * 1000);
    }
  }
}
