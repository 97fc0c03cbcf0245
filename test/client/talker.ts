import { type Message, Parley } from '../../src/client/index.ts';
import { startProxy, type TcpProxy } from '../rig/tcp-proxy.ts';
import type { Person } from '../world/person.ts';

/** Someone who uses the client library through a line that can be spoiled. */
export interface Talker {
  parley: Parley;
  line: TcpProxy;
  /** What was heard in the channel, in order. */
  heard: Message[];
  /** How often the client said that something is missing. */
  reloads: number;
  stop(): Promise<void>;
}

/** A person's client in a channel, connected and listening. */
export async function talker(person: Person, channelId: string): Promise<Talker> {
  const line = await startProxy(person.node.port);
  const parley = new Parley({ url: `http://127.0.0.1:${line.port}`, token: person.token });
  const stop = async () => {
    parley.disconnect();
    await line.stop();
  };
  const one: Talker = { parley, line, heard: [], reloads: 0, stop };
  const channel = parley.channel(channelId);
  channel.on('message:new', (message) => one.heard.push(message));
  channel.on('reload', () => one.reloads++);
  parley.connect();
  return one;
}
