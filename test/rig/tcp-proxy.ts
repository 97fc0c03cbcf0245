import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { atEnd } from './ending.ts';
import { Flow, type Weather } from './tcp-flow.ts';

/** A TCP proxy in front of a server, to spoil its connections. */
export interface TcpProxy {
  port: number;
  /** Destroys all connections. */
  cut(): void;
  /** Black hole: connections stay open, new ones are taken, and no byte passes in either direction. */
  hold(): void;
  /** Ends `hold`; what was held is passed on. */
  release(): void;
  /** The connections that there are pass no byte any more, and stay open; new ones are well. */
  silence(): void;
  /** New connections lead to another server; those that there are stay where they are. */
  moveTo(port: number): void;
  /** Whether new connections are reset at once. */
  refuse(refused: boolean): void;
  /** Delays every chunk by a random time, in milliseconds; the order in each direction stays. */
  jitter(minMs: number, maxMs: number): void;
  stop(): Promise<void>;
}

/** Starts a proxy on a free loopback port. It is stopped at the end if the test forgot. */
export async function startProxy(targetPort: number): Promise<TcpProxy> {
  const links = new Links(targetPort);
  const server = createServer({ allowHalfOpen: true }, (client) => links.add(client));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.');
  const stop = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    links.cut();
    await closed;
  };
  atEnd(stop);
  return {
    port: address.port,
    cut: () => links.cut(),
    hold: () => links.hold(true),
    release: () => links.hold(false),
    silence: () => links.silence(),
    moveTo: (port) => {
      links.targetPort = port;
    },
    refuse: (refused) => {
      links.refused = refused;
    },
    jitter: (minMs, maxMs) => Object.assign(links.weather, { minMs, maxMs }),
    stop,
  };
}

/** A reset while the end of a stream still waits to be sent would leave Node spinning at its exit. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

/** The connections that pass through a proxy. */
class Links {
  weather: Weather = { held: false, minMs: 0, maxMs: 0 };
  refused = false;
  targetPort: number;
  private readonly flows = new Set<Flow>();
  private readonly sockets = new Set<Socket>();

  constructor(targetPort: number) {
    this.targetPort = targetPort;
  }

  add(client: Socket): void {
    if (this.refused) {
      client.resetAndDestroy();
      return;
    }
    const target = connect({ port: this.targetPort, host: '127.0.0.1', allowHalfOpen: true });
    this.join(client, target);
    this.join(target, client);
  }

  cut(): void {
    for (const socket of this.sockets) reset(socket);
  }

  hold(held: boolean): void {
    this.weather.held = held;
    for (const flow of this.flows) flow.move();
  }

  silence(): void {
    this.weather.held = true;
    this.weather = { ...this.weather, held: false };
  }

  private join(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from.once('close', () => this.sockets.delete(from));
    const flow = new Flow(from, to, this.weather);
    this.flows.add(flow);
    // Not when `from` closes: what it sent last may still be held here.
    to.once('close', () => this.flows.delete(flow));
  }
}
