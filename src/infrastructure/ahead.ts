import { mostAheadDays } from '../contract/ahead.ts';
import { invalid } from '../contract/schema/validation.ts';
import { clock } from './clock.ts';

const dayMs = 24 * 60 * 60_000;

/** @throws AppError VALIDATION_FAILED for a time that is over, or further ahead than people may set one (contract §1) */
export function requireAhead(path: string, time: string): void {
  const ms = Date.parse(time) - clock.now();
  if (ms <= 0) throw invalid([{ path, message: 'must be in the future', code: 'too_small' }]);
  if (ms <= mostAheadDays * dayMs) return;
  throw invalid([{ path, message: `must be at most ${mostAheadDays} days away`, code: 'too_big' }]);
}
