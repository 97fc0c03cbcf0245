import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Node } from '../../src/node/node.ts';
import type { Loose } from '../world/person.ts';

/** Someone's token on one node, or on several that a balancer would choose from. */
interface Holder {
  token: string;
  nodes: Node[];
}

/** The protocol's own client. */
export class Assistant {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  /** The addresses that it was told have changed, in order. */
  readonly updated: string[] = [];

  private constructor(client: Client, transport: StreamableHTTPClientTransport) {
    this.client = client;
    this.transport = transport;
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      this.updated.push(params.uri);
    });
  }

  /** Each request goes to the next node. */
  static async connect({ token, nodes }: Holder): Promise<Assistant> {
    let asked = 0;
    const balanced = (url: string | URL, init?: RequestInit) => {
      const node = nodes[asked++ % nodes.length];
      return fetch(new URL(new URL(url).pathname, node?.url), init);
    };
    const headers = { authorization: `Bearer ${token}` };
    const address = new URL('/mcp', nodes[0]?.url);
    const transport = new StreamableHTTPClientTransport(address, { requestInit: { headers }, fetch: balanced });
    const client = new Client({ name: 'tests', version: '1' });
    const assistant = new Assistant(client, transport);
    await client.connect(transport);
    return assistant;
  }

  /** What a tool gives; a refusal as well. */
  async use(name: string, input: Record<string, unknown> = {}): Promise<Loose> {
    const result: Loose = await this.client.callTool({ name, arguments: input });
    return result.structuredContent;
  }

  async toolNames(): Promise<string[]> {
    return (await this.client.listTools()).tools.map(({ name }) => name);
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

/** What came of server-sent events so far. */
export class EventReader {
  text = '';
  /** Resolves when the server has ended them. */
  readonly ended: Promise<void>;
  private readonly over = new AbortController();

  /** @param path of the stream @param headers of its request */
  constructor(url: string, headers: Record<string, string>) {
    this.ended = this.read(url, headers);
    this.ended.catch(() => {});
  }

  close(): void {
    this.over.abort();
  }

  private async read(url: string, headers: Record<string, string>): Promise<void> {
    const response = await fetch(url, {
      headers: { accept: 'text/event-stream', ...headers },
      signal: this.over.signal,
    });
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) this.text += decoder.decode(piece, { stream: true });
  }
}
