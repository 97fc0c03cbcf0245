import type { z } from 'zod';
import { AppError, type Issue } from '../errors.ts';
import { isUuid } from '../schema.ts';
import { issueSentence, mostTelling } from './issue-sentences.ts';

/** A long list of wrong values must not be answered with a longer one. */
const maxIssues = 50;

/**
 * Checks an input against its schema.
 * @throws AppError VALIDATION_FAILED with an issue for each thing that is wrong, 50 at most
 */
export function validated<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const bad = unfitText(value, 0);
  if (bad) throw invalid([{ path: bad.path.join('.'), message: bad.message, code: 'invalid_text' }]);
  const result = schema.safeParse(value, { error: issueSentence });
  if (result.success) return result.data;
  throw invalid(result.error.issues.flatMap(mostTelling).slice(0, maxIssues).map(toIssue));
}

/** The id after which a page of a list begins; null for the first page. @throws AppError INVALID_CURSOR */
export function idCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  if (!isUuid(cursor)) throw new AppError('INVALID_CURSOR');
  return cursor;
}

/** One broken rule, in the words of the schemas. */
export function invalid(issues: Issue[]): AppError {
  const first = issues[0];
  const message = first ? `${first.path || 'The request'}: ${first.message}.` : undefined;
  return new AppError('VALIDATION_FAILED', { issues, message });
}

function toIssue(issue: z.core.$ZodIssue): Issue {
  const keys = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  return { path: [...issue.path, ...keys].join('.'), message: issue.message, code: issue.code };
}

/** Far deeper than real data, and well within the limits of recursion. */
const maxDepth = 1000;

interface Unfit {
  /** From the value down; built only for a problem, since bodies may have a million places. */
  path: string[];
  message: string;
}

/** PostgreSQL cannot keep U+0000, and a lone surrogate is no text: both are refused everywhere (contract §1). */
function unfitText(value: unknown, depth: number): Unfit | undefined {
  if (typeof value === 'string') return unfitString(value);
  // JSON.parse turns 1e999 into Infinity, which would be kept as null.
  if (value === Infinity || value === -Infinity) return { path: [], message: 'is too large a number' };
  if (typeof value !== 'object' || value === null) return undefined;
  // Socket.IO carries bytes, which JSON would keep as something else.
  if (ArrayBuffer.isView(value)) return { path: [], message: 'must not be binary; send text, or upload a file' };
  if (depth >= maxDepth) return { path: [], message: 'is nested too deeply' };
  if (Array.isArray(value)) return unfitItem(value, depth);
  for (const key of Object.keys(value)) {
    const bad = unfitKey(key, depth) ?? unfitText(Reflect.get(value, key), depth + 1);
    if (bad) return { ...bad, path: [key.toWellFormed().replaceAll('\0', '\ufffd'), ...bad.path] };
  }
  return undefined;
}

/** A key that schemas would drop silently. At the top it is an unknown field, like others. */
function unfitKey(key: string, depth: number): Unfit | undefined {
  if (key === '__proto__' && depth > 0) return { path: [], message: 'must not be a key' };
  return unfitString(key);
}

function unfitItem(items: unknown[], depth: number): Unfit | undefined {
  for (let i = 0; i < items.length; i++) {
    const bad = unfitText(items[i], depth + 1);
    if (bad) return { ...bad, path: [String(i), ...bad.path] };
  }
  return undefined;
}

function unfitString(text: string): Unfit | undefined {
  if (text.includes('\0')) return { path: [], message: 'must not contain U+0000' };
  if (!text.isWellFormed()) return { path: [], message: 'must not contain lone surrogates' };
  return undefined;
}
