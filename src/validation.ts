import type { z } from 'zod';
import { AppError, type Issue } from './errors.ts';

/** A long list of wrong values must not be answered with a longer one. */
const maxIssues = 50;

/**
 * Checks something from outside against its schema.
 * @throws AppError VALIDATION_FAILED with an issue for each thing that is wrong, 50 at most
 */
export function validated<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const bad = unfitText(value, []);
  if (bad) throw invalid([bad]);
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalid(result.error.issues.slice(0, maxIssues).map(toIssue));
}

/** One broken rule, said the same way as the schemas say it. */
export function invalid(issues: Issue[]): AppError {
  const first = issues[0];
  const message = first ? `${first.path || 'The request'}: ${first.message}.` : undefined;
  return new AppError('VALIDATION_FAILED', { issues, message });
}

function toIssue(issue: z.core.$ZodIssue): Issue {
  const keys = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  return { path: [...issue.path, ...keys].join('.'), message: issue.message, code: issue.code };
}

const maxDepth = 64;

/** PostgreSQL cannot keep U+0000, and a lone surrogate is no text: both are refused wherever they come (contract §1). */
function unfitText(value: unknown, path: string[]): Issue | undefined {
  if (typeof value === 'string') {
    if (value.includes('\0')) return { path: path.join('.'), message: 'must not contain U+0000', code: 'invalid_text' };
    if (!value.isWellFormed()) {
      return { path: path.join('.'), message: 'must not contain lone surrogates', code: 'invalid_text' };
    }
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (path.length >= maxDepth) return { path: path.join('.'), message: 'is nested too deeply', code: 'invalid_text' };
  for (const [key, item] of Object.entries(value)) {
    const bad = unfitText(key, [...path, 'key']) ?? unfitText(item, [...path, key]);
    if (bad) return bad;
  }
  return undefined;
}
