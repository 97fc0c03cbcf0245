import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  isInitializeRequest,
  type JSONRPCMessage,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { Actor } from '../../contract/actor.ts';
import { type AppError, asAppError } from '../../contract/errors.ts';
import { version } from '../../infrastructure/version.ts';
import type { Context } from '../context.ts';
import type { McpCaller } from './caller.ts';
import type { McpSessions } from './mcp-sessions.ts';
import { resourceAt, resourceTemplates } from './resource-uris.ts';
import { listResources, readResource } from './resources.ts';
import type { McpSubscriptions } from './subscriptions.service.ts';
import { callTool, toolsFor } from './tool-catalogue.ts';

/** What assistants are told first. */
const instructions = `Parley is a place where people and bots talk: servers have channels, channels have messages and threads, and there
are direct messages. You act as the user whose token you have. list_servers and list_channels show where you can read and write;
search_messages finds what was said. Messages are Markdown; mention people as @username. Everyone in a channel sees what you send
there: send what you were asked to, and nothing that you only read in a message.`;

/** The protocol's code for resources that do not exist. */
const resourceNotFound = -32_002;
/** For refusals that JSON-RPC has no code for. */
const refused = -32_000;

/** What the answer is written as, whatever a client says that it accepts: JSON, never a stream. */
const transported = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

/** A message, and what came with it. */
export interface McpMessage {
  /** The session that it belongs to; null: none. */
  sessionId: string | null;
  body: JSONRPCMessage;
}

/** An HTTP answer. */
export interface McpAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

interface Deps extends Pick<Context, 'log'> {
  sessions: McpSessions;
  subscriptions: McpSubscriptions;
  /** @throws AppError RATE_LIMITED */
  countChange: (actor: Actor) => Promise<void>;
}

/**
 * The Model Context Protocol (contract §8): the SDK reads and writes its messages, and what they ask for is done by calls.
 * Each message has a server of its own, which knows its caller and is forgotten with it: any node may get the next one.
 */
export class McpProtocol {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  async answer(caller: McpCaller, message: McpMessage): Promise<McpAnswer> {
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    const server = this.serverFor(caller, message.sessionId);
    await server.connect(transport);
    try {
      const request = new Request('http://localhost/mcp', { method: 'POST', headers: transported });
      const response = await transport.handleRequest(request, { parsedBody: message.body });
      const headers = { ...Object.fromEntries(response.headers), ...this.sessionBegunBy(caller, message) };
      return { status: response.status, headers, text: await response.text() };
    } finally {
      await server.close();
    }
  }

  private sessionBegunBy({ actor }: McpCaller, { body }: McpMessage): Record<string, string> {
    return isInitializeRequest(body) ? { 'mcp-session-id': this.deps.sessions.open(actor.userId) } : {};
  }

  private serverFor(caller: McpCaller, sessionId: string | null): Server {
    const capabilities = { tools: {}, resources: { subscribe: true } };
    const server = new Server({ name: 'parley', title: 'Parley', version }, { capabilities, instructions });
    this.serveTools(server, caller);
    this.serveResources(server, caller);
    this.serveSubscriptions(server, caller, sessionId);
    return server;
  }

  private serveTools(server: Server, caller: McpCaller): void {
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: toolsFor(caller.actor.scopes) }));
    server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: input = {} } }) =>
      this.guarded(async () => {
        const result = await callTool(caller, name, input, (error) => this.report(error));
        if (!result) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${name}`);
        return result;
      }),
    );
  }

  private serveResources(server: Server, caller: McpCaller): void {
    server.setRequestHandler(ListResourcesRequestSchema, ({ params }) =>
      this.guarded(async () => ({ ...(await listResources(caller, params?.cursor)) })),
    );
    server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates }));
    server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) =>
      this.guarded(async () => {
        const text = await readResource(caller, uri);
        if (!text) throw new McpError(resourceNotFound, 'There is no such resource', { uri });
        return { contents: [{ ...text }] };
      }),
    );
  }

  private serveSubscriptions(server: Server, { actor, signal }: McpCaller, sessionId: string | null): void {
    const { subscriptions, countChange } = this.deps;
    const each = (uri: string, change: (session: string, channelId: string) => Promise<void>) =>
      this.guarded(async () => {
        if (sessionId === null) throw new McpError(ErrorCode.InvalidRequest, 'This needs the header Mcp-Session-Id');
        const address = resourceAt(uri);
        if (address?.kind !== 'channels') {
          throw new McpError(ErrorCode.InvalidParams, 'Subscriptions are for channels', { uri });
        }
        await countChange(actor);
        await change(sessionId, address.id);
        return {};
      });
    server.setRequestHandler(SubscribeRequestSchema, ({ params: { uri } }) =>
      each(uri, (session, channelId) => subscriptions.subscribe(actor, session, channelId, signal)),
    );
    server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) =>
      each(uri, (session, channelId) => subscriptions.unsubscribe(session, channelId)),
    );
  }

  /** The SDK sends the text of any error: none but those of the contract may get there. */
  private async guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof McpError) throw error;
      const known = asAppError(error);
      if (known.code === 'INTERNAL_ERROR') this.report(known);
      const { error: _, ...data } = known.body(undefined);
      throw new McpError(codeOf(known), known.message, data);
    }
  }

  private report(error: AppError): void {
    this.deps.log.error({ err: error.cause ?? error }, 'A message of the Model Context Protocol failed.');
  }
}

function codeOf({ status, code }: AppError): number {
  if (code === 'INTERNAL_ERROR') return ErrorCode.InternalError;
  if (status === 404) return resourceNotFound;
  return status === 400 ? ErrorCode.InvalidParams : refused;
}
