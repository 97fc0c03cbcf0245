import { type OutgoingHttpHeaders, request } from 'node:http';
import type { Node } from '../../src/node/node.ts';
import type { Answer } from '../world/person.ts';

/** A request exactly as written: nothing is encoded, added or mended on the way. */
export function raw(
  node: Node,
  method: string,
  path: string,
  options: { headers?: OutgoingHttpHeaders; body?: string | Buffer } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { headers = {}, body } = options;
    const sent = request({ host: '127.0.0.1', port: node.port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString();
        const got = new Headers();
        for (const [name, value] of Object.entries(response.headers)) got.set(name, String(value));
        const isJson = got.get('content-type')?.includes('json') && text !== '';
        resolve({ status: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : text, headers: got });
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
