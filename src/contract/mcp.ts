import { z } from 'zod';
import { calls, rawAnswer } from './call.ts';
import type { ErrorCode } from './error-codes.ts';
import type { AppError } from './errors.ts';
import { doneSchema, idExample } from './schema.ts';

/** Where the server speaks the Model Context Protocol (contract §8). */
export const mcpPath = '/mcp';
/** Where its clients learn how to get a token (RFC 9728). */
export const protectedResourcePath = '/.well-known/oauth-protected-resource';

/** How many channels one user may be subscribed to, in all sessions together. */
export const maxSubscriptions = 100;
/** How long a session lasts; one that is over is initialized anew. */
export const sessionDays = 30;

/** The headers of the protocol's transport, "streamable HTTP". */
const mcpHeaders = z.object({
  'mcp-session-id': z.string().max(256).optional().describe('As the answer to `initialize` gave it.'),
  'mcp-protocol-version': z.string().max(32).optional().describe('The version that was agreed on.'),
});

export type McpHeaders = z.output<typeof mcpHeaders>;

/** One message; batches, which the protocol gave up, are refused. */
export const mcpMessageSchema = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: z
      .union([z.string().max(256), z.number()])
      .optional()
      .describe('Of requests; notifications have none.'),
    method: z.string().max(100).optional(),
  })
  .meta({ example: { jsonrpc: '2.0', id: 1, method: 'ping' } });

const mcpAnswerSchema = z.looseObject({}).meta({
  description: 'The JSON-RPC response; notifications are answered with 202 and nothing.',
  examples: [{ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: `{"id":"${idExample}"}` }] } }],
});

/** JSON-RPC's own codes, as the protocol uses them. */
const parseError = -32_700;
const invalidRequest = -32_600;
const serverError = -32_000;

function jsonRpcCode({ code, status }: AppError): number {
  if (code === 'MALFORMED_JSON') return parseError;
  return status === 400 ? invalidRequest : serverError;
}

/** Refusals before a message is read, in JSON-RPC's form. */
const jsonRpcErrors = {
  base: mcpPath,
  schema: (codes: ErrorCode[]) =>
    z.object({
      jsonrpc: z.literal('2.0'),
      id: z.null(),
      error: z.object({ code: z.number().int(), message: z.string(), data: z.object({ code: z.enum(codes) }) }),
    }),
  body: (error: AppError) => ({
    jsonrpc: '2.0',
    id: null,
    error: { code: jsonRpcCode(error), message: error.message, data: { code: error.code } },
  }),
};

const common = {
  path: mcpPath,
  headers: mcpHeaders,
  errorForm: jsonRpcErrors,
  challenged: true,
  // Clients send them by themselves; what a tool does counts as that.
  byItself: true,
  limit: null,
} as const;

export const mcpCalls = calls('Model Context Protocol', {
  sendToMcp: {
    ...common,
    method: 'POST',
    summary: 'A message of the Model Context Protocol: `initialize`, `tools/call` and the others.',
    body: mcpMessageSchema,
    produces: 'application/json',
    answer: mcpAnswerSchema,
    errors: ['MCP_SESSION_NOT_FOUND', 'FORBIDDEN'],
    repeats: 'never',
  },
  listenToMcp: {
    ...common,
    method: 'GET',
    summary: 'The notifications of a session as server-sent events: which of the resources subscribed to have changed.',
    produces: 'text/event-stream',
    answer: rawAnswer,
    errors: ['MCP_SESSION_NOT_FOUND', 'FORBIDDEN'],
  },
  endMcpSession: {
    ...common,
    method: 'DELETE',
    summary: 'End a session, with its subscriptions.',
    answer: doneSchema,
    errors: ['MCP_SESSION_NOT_FOUND', 'FORBIDDEN'],
  },
});
