import { createServer } from 'node:http';
import { expect } from 'chai';
import { Server } from 'socket.io';
import { Adapter } from 'socket.io-adapter';
import { io as connect } from 'socket.io-client';
import { joinFrames } from '../../src/gateway/frames.ts';
import { buffered } from '../../src/gateway/slow-consumers.ts';
import type { ParleyServer, ParleySocket } from '../../src/gateway/socket.ts';

// These two lean on insides of the libraries: when a new version moves them, this is where it shows.
describe('the insides of Socket.IO that are relied on', () => {
  it('builds the frame of a broadcast once, and it can be joined into one buffer', () => {
    const io = new Server(createServer());
    const adapter = new Adapter(io.of('/'));
    expect(joinFrames(adapter)).to.equal(true);
    const options: { wsPreEncodedFrame?: Buffer[] } = {};
    const encode: unknown = Reflect.get(adapter, '_encode');
    if (typeof encode === 'function')
      encode.call(adapter, { type: 2, nsp: '/', data: ['e', 'x'.repeat(300)] }, options);
    expect(options.wsPreEncodedFrame).to.have.lengthOf(1);
    expect(options.wsPreEncodedFrame?.[0]?.toString('latin1')).to.match(/42\["e","x+"\]$/);
    void io.close();
  });

  it('keeps what waits for a socket in a buffer that can be counted', async () => {
    const httpServer = createServer();
    const io: ParleyServer = new Server(httpServer);
    await new Promise<void>((resolve) => httpServer.listen(0, '127.0.0.1', resolve));
    const address = httpServer.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const connected = new Promise<ParleySocket>((resolve) => io.once('connection', resolve));
    const client = connect(`http://127.0.0.1:${port}`, { transports: ['websocket'] });
    const socket = await connected;
    socket.emit('one', 'x'.repeat(1000));
    socket.emit('two', 'x'.repeat(1000));
    // The first is on its way, the second waits for it.
    expect(buffered(socket).packets).to.be.greaterThan(0);
    expect(buffered(socket).bytes).to.be.greaterThan(1000);
    client.disconnect();
    await io.close();
  });
});
