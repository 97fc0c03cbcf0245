import { type ErrorCode, errorCodes } from './error-codes.ts';

/** One problem in a request: where, what, and zod's code for it. */
export interface Issue {
  path: string;
  message: string;
  code: string;
}

interface ErrorDetails {
  /** Replaces the registry's sentence. */
  message?: string;
  issues?: Issue[];
  /** Seconds; also sent as Retry-After, rounded up. */
  retryAfter?: number;
  /** Further fields of the body, such as `capability`. */
  extra?: Record<string, unknown>;
  /** Further headers of an HTTP answer. */
  headers?: Record<string, string>;
  cause?: unknown;
}

/** An error that is reported to the caller, over REST and sockets alike. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly issues: Issue[] | undefined;
  readonly retryAfter: number | undefined;
  readonly extra: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    const [status, sentence] = errorCodes[code];
    super(details.message ?? sentence, { cause: details.cause });
    this.code = code;
    this.status = status;
    this.issues = details.issues;
    this.retryAfter = details.retryAfter ?? (status === 503 ? 1 : undefined);
    this.extra = details.extra ?? {};
    this.headers = details.headers ?? {};
  }

  /** The body of contract §2, the same for an HTTP answer and a socket's ack. */
  body(requestId: string | undefined): ErrorBody {
    return {
      ok: false,
      error: this.message,
      code: this.code,
      ...(requestId ? { requestId } : {}),
      ...(this.issues ? { issues: this.issues } : {}),
      ...(this.retryAfter !== undefined ? { retryAfter: this.retryAfter } : {}),
      ...this.extra,
    };
  }
}

/** Unforeseen errors are reported as INTERNAL_ERROR, without internal details. */
export function asAppError(error: unknown): AppError {
  return error instanceof AppError ? error : new AppError('INTERNAL_ERROR', { cause: error });
}

const isMissing = (error: unknown): boolean => error instanceof AppError && error.status === 404;

/** For objects that may be missing, or hidden from the actor: `find(id).catch(ifMissing)`. */
export function ifMissing(error: unknown): undefined {
  if (isMissing(error)) return undefined;
  throw error;
}

/** For objects that count as missing when another one is: `channel(id).catch(missingAs('THREAD_NOT_FOUND'))`. */
export const missingAs =
  (code: ErrorCode) =>
  (error: unknown): never => {
    throw isMissing(error) ? new AppError(code) : error;
  };

export interface ErrorBody {
  ok: false;
  error: string;
  code: ErrorCode;
  requestId?: string;
  issues?: Issue[];
  retryAfter?: number;
  [key: string]: unknown;
}
