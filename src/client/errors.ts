import type { ErrorCode } from '../contract/error-codes.ts';
import type { Issue } from '../contract/errors.ts';
import type { QuotaOwner } from '../contract/storage-kinds.ts';

/** Codes that only a client can have: the server did not answer, or nobody is signed in here. */
export type LocalCode = 'NETWORK' | 'SIGNED_OUT' | 'TOO_OLD' | 'CLOSED';

/** The error object of an answer. */
interface Refusal {
  code: ErrorCode | LocalCode;
  error?: string;
  issues?: Issue[];
  retryAfter?: number;
  requestId?: string;
  methods?: string[];
  ticket?: string;
  quota?: QuotaOwner;
  leftBytes?: number;
}

/** Why a call failed: the server's own error object (contract §2), or that there was no answer. */
export class ParleyError extends Error {
  readonly code: ErrorCode | LocalCode;
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly issues: Issue[];
  /** Seconds. */
  readonly retryAfter: number | undefined;
  readonly requestId: string | undefined;
  /**
   * With CONFIRMATION_REQUIRED and SECOND_FACTOR_REQUIRED: what this account can do it by, `password` or `code`, or `totp`,
   * `passkey`, `recovery`.
   */
  readonly methods: string[];
  /** With SECOND_FACTOR_REQUIRED of a sign-in: what completes it. */
  readonly ticket: string | null;
  /** With QUOTA_EXCEEDED: whose quota has no room, and how many bytes are left; null: it is not about bytes. */
  readonly room: { quota: QuotaOwner; leftBytes: number } | null;

  constructor(body: Refusal, status = 0) {
    super(body.error ?? body.code);
    this.name = 'ParleyError';
    this.code = body.code;
    this.status = status;
    this.issues = body.issues ?? [];
    this.retryAfter = body.retryAfter;
    this.requestId = body.requestId;
    this.methods = body.methods ?? [];
    this.ticket = body.ticket ?? null;
    const { quota, leftBytes } = body;
    this.room = quota && leftBytes !== undefined ? { quota, leftBytes } : null;
  }

  /** Whether the same call may succeed later: no answer, rate limited, or a server in trouble. */
  get isPassing(): boolean {
    return this.code === 'NETWORK' || passingCodes.has(this.code) || this.status >= 500;
  }

  /** Whether nobody may be signed in to this account now, whatever token they have. */
  get isShutOut(): boolean {
    return this.code === 'ACCOUNT_SUSPENDED' || this.code === 'EMAIL_NOT_VERIFIED';
  }

  /** Whether the token was refused. */
  get isTokenRefused(): boolean {
    return refusedTokenCodes.has(this.code);
  }
}

// Acks carry no status, so these codes stand for it.
const passingCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'RATE_LIMITED',
  'DATABASE_UNAVAILABLE',
  'FILES_UNAVAILABLE',
  'SERVER_BUSY',
  'INTERNAL_ERROR',
]);

const refusedTokenCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'ACCESS_TOKEN_INVALID',
  'AUTH_TOKEN_MISSING',
  'PAT_TOKEN_INVALID',
  'PAT_TOKEN_EXPIRED',
]);

export const networkError = (cause?: unknown): ParleyError =>
  Object.assign(new ParleyError({ code: 'NETWORK', error: 'The server cannot be reached.' }), { cause });

/** The error object of a response, or undefined if it is none. */
export function errorBody(answer: unknown): Refusal | undefined {
  return isErrorBody(answer) ? answer : undefined;
}

function isErrorBody(answer: unknown): answer is Refusal {
  return typeof answer === 'object' && answer !== null && 'ok' in answer && answer.ok === false && 'code' in answer;
}

/** Any failure of a call as a ParleyError: any other error counts as a network error. */
export function asParleyError(error: unknown): ParleyError {
  return error instanceof ParleyError ? error : networkError(error);
}
