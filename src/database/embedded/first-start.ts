import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Postmaster } from './postmaster.ts';

const attempts = 20;
const pauseMs = 150;

/** Both are temporary: another program took the port first, or processes of a killed server are still ending. */
const passing = /Address already in use|shared memory block/;

/** Starts a server on a free port. @param spawn starts one on the given port */
export async function startOnFreePort(spawn: (port: number) => Postmaster): Promise<[Postmaster, port: number]> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const server = spawn(port);
    try {
      await server.ready;
      return [server, port];
    } catch (error) {
      if (attempt === attempts || !(error instanceof Error) || !passing.test(error.message)) throw error;
    }
    await delay(pauseMs);
  }
}

/** A loopback port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.');
  return address.port;
}
