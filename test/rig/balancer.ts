import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { atEnd } from './ending.ts';

/** A load balancer in front of nodes, as operators have one: each new connection goes to the next node that takes it. */
export interface Balancer {
  port: number;
  url: string;
  /** New connections go to this target only; undefined: to all in turn. */
  pin(target: number | undefined): void;
  /** Destroys all connections. */
  cut(): void;
  stop(): Promise<void>;
}

/** Starts one on a free loopback port. It is stopped at the end if the test forgot. */
export async function startBalancer(targets: number[]): Promise<Balancer> {
  const sockets = new Set<Socket>();
  let pinned: number | undefined;
  let turn = 0;
  const server = createServer((client) => {
    keep(sockets, client);
    const order = pinned === undefined ? targets.map((_, i) => (turn + i) % targets.length) : [pinned];
    turn++;
    void pass(
      client,
      order.map((i) => targets[i] ?? 0),
      sockets,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.');
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const stop = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    cut();
    await closed;
  };
  atEnd(stop);
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    pin: (target) => {
      pinned = target;
    },
    cut,
    stop,
  };
}

async function pass(client: Socket, ports: number[], sockets: Set<Socket>): Promise<void> {
  for (const port of ports) {
    const target = connect(port, '127.0.0.1');
    keep(sockets, target);
    const taken = await once(target, 'connect').catch(() => null);
    if (client.destroyed) target.destroy();
    else if (taken) {
      client.pipe(target).pipe(client);
      client.once('close', () => target.destroy());
      target.once('close', () => client.destroy());
    }
    if (taken || client.destroyed) return;
  }
  client.resetAndDestroy();
}

function keep(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket);
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.once('close', () => sockets.delete(socket));
}
