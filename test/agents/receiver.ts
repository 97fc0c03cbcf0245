import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { until } from '../rig/until.ts';
import type { Loose } from '../world/person.ts';

/** One request that came, verified or not. */
export interface Arrived {
  id: string;
  event: Loose;
  /** Whether the signature is good with the secrets that the receiver knows. */
  verified: boolean;
  signatures: number;
  headers: IncomingMessage['headers'];
  at: number;
}

/** What a receiver answers: a status, or whatever it does by itself. */
type Behaviour = (arrived: Arrived, response: ServerResponse) => number | Promise<number> | undefined;

/** The address of a webhook on this machine, which does as it is told. */
export interface Receiver {
  url: string;
  arrived: Arrived[];
  /** As it was shown; set by the test when it is known. */
  secret: string;
  behave(behaviour: Behaviour): void;
  /** Those events of a type that it has accepted, each once, in the order in which they first came. */
  accepted(type: string, room?: string): Loose[];
  next(fits: (arrived: Arrived) => boolean, timeout?: number): Promise<Arrived>;
  close(): Promise<void>;
}

export async function receiver(): Promise<Receiver> {
  let behaviour: Behaviour = () => 200;
  const taken = new Map<string, Loose>();
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const arrived = read(request, text, here.secret);
    here.arrived.push(arrived);
    const status = await behaviour(arrived, response);
    if (status === undefined) return;
    if (status < 300 && !taken.has(arrived.id)) taken.set(arrived.id, arrived.event);
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const here: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    arrived: [],
    secret: '',
    behave(next) {
      behaviour = next;
    },
    accepted: (type, room) =>
      [...taken.values()].filter((event) => event.type === type && (!room || event.room === room)),
    next: (fits, timeout) =>
      until(() => here.arrived.find(fits), { timeout, message: `not delivered, but ${here.arrived.length} others` }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return here;
}

function read({ headers }: IncomingMessage, text: string, secret: string): Arrived {
  const event = JSON.parse(text);
  const signatures = String(headers['webhook-signature']).split(' ').length;
  return {
    id: String(headers['webhook-id']),
    event,
    verified: isGood(text, headers, secret),
    signatures,
    headers,
    at: Date.now(),
  };
}

function isGood(text: string, headers: IncomingMessage['headers'], secret: string): boolean {
  const signed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  try {
    new Webhook(secret).verify(text, signed);
    return true;
  } catch {
    return false;
  }
}
