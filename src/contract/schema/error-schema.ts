import { z } from 'zod';
import { type ErrorCode, errorCodes } from '../error-codes.ts';
import { AppError, type ErrorBody } from '../errors.ts';
import { idExample, timeExample } from '../schema.ts';

const codes = Object.entries(errorCodes).map(([code, [status, sentence]]) => `- \`${code}\` (${status}): ${sentence}`);

/** The form of every refusal, over REST and on sockets (contract §2). */
export const errorSchema = z
  .looseObject({
    ok: z.literal(false),
    error: z.string().describe('One sentence for a person.'),
    code: z.string().describe(`Stable, for programs:\n${codes.join('\n')}`),
    requestId: z.string().optional().describe('To be told to the operator; the log has it too.'),
    issues: z
      .array(z.object({ path: z.string(), message: z.string(), code: z.string() }))
      .optional()
      .describe('With VALIDATION_FAILED: everything that is wrong.'),
    retryAfter: z.number().optional().describe('Seconds.'),
  })
  .meta({ id: 'Error' });

/** Errors that any call can answer: the node itself may be in trouble, or the caller too fast. */
export const generalErrors: ErrorCode[] = [
  'VALIDATION_FAILED',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'DATABASE_UNAVAILABLE',
  'FILES_UNAVAILABLE',
  'SERVER_BUSY',
];

/** Errors that refuse a token. */
export const tokenErrors: ErrorCode[] = [
  'ACCESS_TOKEN_INVALID',
  'SESSION_REVOKED',
  'PAT_TOKEN_INVALID',
  'PAT_TOKEN_EXPIRED',
  'ACCOUNT_SUSPENDED',
  'AGENT_STOPPED',
  // Of a session of someone without the second factor that the operator requires.
  'SECOND_FACTOR_SETUP_REQUIRED',
];

/** Errors that always accompany another: bots have policies and no sessions, DMs are channels too, and a timeout ends what roles allow. */
const companions: Partial<Record<ErrorCode, ErrorCode[]>> = {
  NOT_A_MEMBER: ['FORBIDDEN'],
  INSUFFICIENT_PAT_SCOPE: ['FORBIDDEN'],
  INVITE_REQUIRED: ['FORBIDDEN'],
  CHANNEL_ARCHIVED: ['FORBIDDEN', 'BLOCKED', 'USER_BLOCKED', 'TIMED_OUT'],
  ROLE_REQUIRED: ['TIMED_OUT'],
};

/** The codes with their companions, each once. */
export function withCompanions(errors: readonly ErrorCode[]): ErrorCode[] {
  return [...new Set(errors.flatMap((code) => [code, ...(companions[code] ?? [])]))];
}

/** The JSON Schema of a refusal with one of these codes. */
export const errorWith = (errors: ErrorCode[]) => ({
  allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: errors } } }],
});

/** Codes by their HTTP status. */
export function byStatus(errors: ErrorCode[]): Map<number, ErrorCode[]> {
  const groups = new Map<number, ErrorCode[]>();
  for (const code of [...new Set(errors)].sort()) {
    const [status] = errorCodes[code];
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return new Map([...groups].sort(([a], [b]) => a - b));
}

/** An example of a refusal with this code. */
export function errorExample(code: ErrorCode): ErrorBody {
  const issues = [{ path: 'content', message: 'must not be empty', code: 'custom' }];
  const details: Partial<Record<ErrorCode, object>> = {
    VALIDATION_FAILED: { issues },
    RATE_LIMITED: { retryAfter: 7 },
    SLOW_MODE: { retryAfter: 7 },
    TIMED_OUT: { extra: { until: timeExample, reason: 'Take a break.' } },
  };
  return new AppError(code, details[code]).body(idExample);
}
