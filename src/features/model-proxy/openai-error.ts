import { z } from 'zod';
import { AppError, type ErrorCode } from '../../contract/errors.ts';

/** The body of an error in the format of OpenAI's clients (contract §8). */
const openAiErrorSchema = (codes: ErrorCode[]) => {
  const ours = z.enum(codes);
  const theirs = z.string().describe("A word of the provider's, as `context_length_exceeded`.");
  const code = codes.includes('MODEL_REQUEST_REFUSED') ? z.union([ours, theirs]) : ours;
  return z.object({ error: z.object({ message: z.string(), type: z.string(), code, param: z.string().nullable() }) });
};

export type OpenAiError = z.input<ReturnType<typeof openAiErrorSchema>>;

/** Clients act on these words, so they are passed on as they are; anything that is no such word is dropped. */
const wordSchema = z
  .string()
  .regex(/^[!-~]{1,200}$/)
  .optional()
  .catch(undefined);

/** The provider's error about a request. */
export const refusalSchema = z.object({
  error: z.object({
    message: z.string().max(4000).optional().catch(undefined),
    type: wordSchema,
    code: wordSchema,
    param: wordSchema,
  }),
});

/** The provider rejects a request, which is the caller's fault: it is told in the provider's words. */
export class ModelRefusal extends AppError {
  readonly words: Omit<z.output<typeof refusalSchema>['error'], 'message'>;

  constructor({ message, ...words }: z.output<typeof refusalSchema>['error']) {
    super('MODEL_REQUEST_REFUSED', { message });
    this.words = words;
  }
}

/** An error in OpenAI's form; what the provider refused, in the provider's words. */
export function openAiError(error: AppError): OpenAiError {
  const { type, code, param } = error instanceof ModelRefusal ? error.words : {};
  const { message, status } = error;
  return { error: { message, type: type ?? typeOf(status), code: code ?? error.code, param: param ?? null } };
}

export const openAiForm = { base: '/api/ai/v1', schema: openAiErrorSchema, body: openAiError };

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'server_error';
}
