import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Loose } from '../world/person.ts';

/** A request as the provider got it. */
export interface Asked {
  path: string;
  headers: IncomingMessage['headers'];
  body: Loose;
}

/** What it does with a request. */
export type Behaviour = (response: ServerResponse, asked: Asked) => void | Promise<void>;

/** A provider of models on this machine that does as it is told. */
export interface Provider {
  url: string;
  asked: Asked[];
  /** How many answers were given up by the other side before they were through. */
  abandoned: number;
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

export async function provider(): Promise<Provider> {
  let behaviour: Behaviour = (response) => json(response, {});
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const asked = { path: request.url ?? '', headers: request.headers, body: text ? JSON.parse(text) : null };
    here.asked.push(asked);
    response.on('close', () => {
      if (!response.writableEnded) here.abandoned++;
    });
    await behaviour(response, asked);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const here: Provider = {
    url: `http://127.0.0.1:${port}/v1`,
    asked: [],
    abandoned: 0,
    behave(next) {
      behaviour = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return here;
}

export function json(response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

export function stream(response: ServerResponse): (data: unknown) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  return (data) => void response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
}

export const delta = (content: string) => ({
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: { content } }],
});
export const counts = (prompt: number, completion: number) => ({
  choices: [],
  usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
});
