import {
  isInitializeRequest,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import { AppError } from '../../contract/errors.ts';
import { type McpHeaders, mcpCalls } from '../../contract/mcp.ts';
import { invalid } from '../../contract/schema/validation.ts';
import { done } from '../../contract/schema.ts';
import type { InnerCalls, OuterRequest } from '../../rest/inner-calls.ts';
import { RawReply, type Route, serve } from '../../rest/route.ts';
import type { McpCaller } from './caller.ts';
import type { Listeners } from './listeners.ts';
import type { McpSessions } from './mcp-sessions.ts';
import type { McpProtocol } from './protocol.ts';
import type { McpSubscriptions } from './subscriptions.service.ts';

interface Parts {
  inner: InnerCalls;
  protocol: McpProtocol;
  sessions: McpSessions;
  subscriptions: McpSubscriptions;
  listeners: Listeners;
  /** Whether pages of this origin may use the server (contract §11). */
  admits: (origin: string) => boolean;
}

const stream = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-transform' };

export function mcpRoutes({ inner, protocol, sessions, subscriptions, listeners, admits }: Parts): Route[] {
  /** What the transport asks of each request. @throws AppError FORBIDDEN, VALIDATION_FAILED */
  const requireFit = ({ raw, headers }: OuterRequest & { headers: McpHeaders }) => {
    const { origin } = raw().headers;
    if (typeof origin === 'string' && !admits(origin)) throw new AppError('FORBIDDEN');
    const version = headers['mcp-protocol-version'];
    if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return;
    throw invalid([{ path: 'MCP-Protocol-Version', message: 'is not supported', code: 'invalid_value' }]);
  };
  /** The session of a request that cannot do without. */
  const sessionOf = (header: string | undefined, userId: string): string => {
    const sessionId = sessions.find(header, userId);
    if (sessionId === null) throw invalid([{ path: 'Mcp-Session-Id', message: 'is missing', code: 'invalid_type' }]);
    return sessionId;
  };
  return serve(mcpCalls, {
    async sendToMcp(request) {
      requireFit(request);
      const { actor, headers } = request;
      const body = messageIn(request.body);
      // It begins a new one, whichever the client had before.
      const sessionId = isInitializeRequest(body) ? null : sessions.find(headers['mcp-session-id'], actor.userId);
      const answer = await protocol.answer(callerIn(request, inner), { sessionId, body });
      return new RawReply(answer.status, { ...answer.headers, 'Cache-Control': 'no-store' }, answer.text);
    },
    async listenToMcp(request) {
      requireFit(request);
      const { actor, headers, signal } = request;
      const sessionId = sessionOf(headers['mcp-session-id'], actor.userId);
      // Proxies on the way must not buffer the events.
      return new RawReply(
        200,
        { ...stream, 'X-Accel-Buffering': 'no' },
        listeners.listen(actor, sessionId, signal()).body,
      );
    },
    async endMcpSession(request) {
      requireFit(request);
      await subscriptions.end(sessionOf(request.headers['mcp-session-id'], request.actor.userId));
      return done;
    },
  });
}

function callerIn(request: OuterRequest, inner: InnerCalls): McpCaller {
  return {
    actor: request.actor,
    signal: request.signal(),
    async call(call, { params = {}, fields = {} } = {}) {
      const { text, headers } = await inner.run(call, { params, fields }, request);
      const body: unknown = JSON.parse(text);
      const more = headers['X-Has-More'];
      return { body, hasMore: more === undefined ? undefined : more === 'true' };
    },
  };
}

/** @throws AppError VALIDATION_FAILED for JSON that is no message of JSON-RPC */
function messageIn(body: unknown): JSONRPCMessage {
  const { data } = JSONRPCMessageSchema.safeParse(body);
  if (!data) throw invalid([{ path: 'body', message: 'must be a JSON-RPC message', code: 'custom' }]);
  return data;
}
