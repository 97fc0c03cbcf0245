import { expect } from 'chai';
import { WebSocket } from 'ws';
import { until } from '../rig/until.ts';
import { pythonQuery, RawPoller } from '../world/raw-poller.ts';
import { type World, world } from '../world/world.ts';

/** What came in Socket.IO's event packets: the name and all arguments of each. */
type Heard = unknown[][];

describe('clients of other languages', () => {
  let here: World;
  const open: WebSocket[] = [];

  before(async () => {
    here = await world();
  });
  after(() => {
    for (const socket of open) socket.terminate();
    here.close();
  });

  const url = (query: string) => `${here.bob.node.url}/socket.io/?EIO=4&${query}`;

  /** Bob, by Engine.IO's frames alone, in the channel. */
  async function webSocket(options: { query?: string; agent?: string; auth?: object }): Promise<Heard> {
    const address = url(`transport=websocket${options.query ?? ''}`).replace('http', 'ws');
    const socket = new WebSocket(address, { headers: options.agent ? { 'user-agent': options.agent } : {} });
    open.push(socket);
    const heard: Heard = [];
    const auth = JSON.stringify({ token: here.bob.token, ...options.auth });
    socket.on('message', (data) => {
      const packet = String(data);
      if (packet.startsWith('0')) socket.send(`40${auth}`);
      if (packet.startsWith('40')) socket.send(`42["channel:join",{"channelId":"${here.channel.id}"}]`);
      if (packet.startsWith('42')) heard.push(JSON.parse(packet.slice(2)));
    });
    await until(() => heard.some(([event]) => event === 'presence:snapshot'), { message: 'not in the channel' });
    return heard;
  }

  async function argumentsOf(heard: Heard, events: string[]): Promise<unknown[]> {
    const of = (event: string) => heard.find(([name]) => name === event);
    await until(() => events.every(of), { message: 'an event is missing' });
    return events.map((event) =>
      of(event)
        ?.slice(1)
        .map((argument) => typeof argument),
    );
  }

  const events = ['ready', 'message:new'];
  for (const [client, options, takes] of [
    ['python-socketio over WebSocket', { query: pythonQuery }, ['object']],
    ['python-socketio with aiohttp', { agent: 'Python/3.11 aiohttp/3.8.4' }, ['object']],
    ['socket_io_client of Dart', { agent: 'Dart/3.5 (dart:io)' }, ['object']],
    ['one that says that it does not recover', { auth: { recover: false } }, ['object']],
    ['one that recovers all the same', { agent: 'Dart/3.5 (dart:io)', auth: { recover: true } }, ['object', 'string']],
    ['any other one', {}, ['object', 'string']],
  ] as const) {
    it(`give ${client} what its handlers take`, async () => {
      const heard = await webSocket(options);
      await here.alice.say(here.channel.id, 'hello');
      expect(await argumentsOf(heard, events)).to.deep.equal([takes, takes]);
    });
  }

  it('give python-socketio what its handlers take with long polling too, beside clients that recover', async () => {
    const stock = await webSocket({});
    const poller = await RawPoller.open(here.bob.node.url, here.bob.token, pythonQuery);
    await poller.join(here.channel.id);
    await here.alice.say(here.channel.id, 'hello');
    const heard = events.map((event) => until(() => poller.event(event), { message: 'an event is missing' }));
    expect((await Promise.all(heard)).map((all) => all.length)).to.deep.equal([1, 1]);
    expect(await argumentsOf(stock, events)).to.deep.equal([
      ['object', 'string'],
      ['object', 'string'],
    ]);
    await poller.close();
  });
});
