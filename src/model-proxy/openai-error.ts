import { z } from 'zod';
import type { AppError, ErrorCode } from '../errors.ts';

/** The body of an error as OpenAI's clients understand it (contract §8). */
const openAiErrorSchema = (codes: ErrorCode[]) =>
  z.object({ error: z.object({ message: z.string(), type: z.string(), code: z.enum(codes), param: z.null() }) });

export type OpenAiError = z.input<ReturnType<typeof openAiErrorSchema>>;

export function openAiError(error: Pick<AppError, 'message' | 'status' | 'code'>): OpenAiError {
  return { error: { message: error.message, type: typeOf(error.status), code: error.code, param: null } };
}

export const openAiForm = { base: '/api/ai/v1', schema: openAiErrorSchema, body: openAiError };

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'server_error';
}
