import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that the kernel gives to whoever asks for any, and to outgoing connections: what is free stays free
 * until the program that it is for has started, and while that is down.
 */
const lowest = 11_000;
const ofEach = 5000;

/** Runs side by side have ports of their own (see test/run.ts, which has the last ones itself). */
const share = Number(process.env.PARLEY_TEST_LANE ?? 3);
let offset = Math.floor(Math.random() * ofEach);

/** A loopback port for a program that is about to start, another one each time. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ofEach; attempt++) {
    offset = (offset + 1) % ofEach;
    const port = lowest + share * ofEach + offset;
    if (await isFree(port)) return port;
  }
  throw new Error('All ports of the tests are taken.');
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  const listening = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (!listening) return false;
  server.close();
  await once(server, 'close');
  return true;
}
