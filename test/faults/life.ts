import { readFileSync } from 'node:fs';
import path from 'node:path';
import { io } from 'socket.io-client';
import type { NodeProcess } from '../world/node-process.ts';
import { Listener, type Loose, request } from '../world/person.ts';

/** A Parley as someone starts it who has only just unpacked it: nothing set but where to be. */
export const plain = (dataDir: string): Record<string, string> => ({
  DATA_DIR: dataDir,
  NODE_ENV: 'test',
  RATE_LIMITS: 'off',
});

/** The first invite codes that it printed, over all of its lives. */
export function codesIn({ lines }: NodeProcess): string[] {
  const records: Loose[] = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  return records.flatMap(({ firstInviteCode }) => firstInviteCode ?? []);
}

export type Account = Awaited<ReturnType<typeof register>>;

export function register(node: { url: string }, more: object = {}) {
  const email = `${crypto.randomUUID()}@example.com`;
  return request(node, 'POST', '/api/auth/register', { email, password: 'correct horse', ...more });
}

export function call(node: { url: string }, { body }: Account, method: string, address: string, content?: object) {
  return request(node, method, address, content, { authorization: `Bearer ${body.accessToken}` });
}

/** An account with a server of its own, and the server's channel. */
export async function home(node: { url: string }): Promise<{ account: Account; channel: string }> {
  const account = await register(node);
  const server = await call(node, account, 'POST', '/api/servers', { name: 'Home' });
  const [channel] = (await call(node, account, 'GET', `/api/servers/${server.body.id}/channels`)).body;
  return { account, channel: channel.id };
}

export async function connectMany(node: { url: string }, token: string, count: number): Promise<Listener[]> {
  const listeners = Array.from({ length: count }, () => {
    const options = { auth: { token }, transports: ['websocket'], forceNew: true, reconnection: false };
    return new Listener(io(node.url, options));
  });
  await Promise.all(listeners.map((listener) => listener.next('ready')));
  return listeners;
}

/** Those of the acknowledged messages that are no longer there. */
export async function missing(
  node: { url: string },
  account: Account,
  channel: string,
  ids: string[],
): Promise<string[]> {
  const found = new Set<string>();
  for (let after = '0'; ; ) {
    const { body } = await call(node, account, 'GET', `/api/channels/${channel}/messages?limit=100&after=${after}`);
    for (const { id } of body.messages) found.add(id);
    if (!body.hasMore) break;
    after = body.messages.at(-1).id;
  }
  return ids.filter((id) => !found.has(id));
}

export function postmasterPid(dataDir: string): number {
  return Number(readFileSync(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);
}
