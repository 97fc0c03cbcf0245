// nodes: one and two

import { expect } from 'chai';
import { type World, world } from '../world/world.ts';

describe('two people in a channel', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  it('see each other’s messages at once, over REST and sockets alike', async () => {
    const { alice, bob, channel } = here;
    const [ear, mouth] = [await bob.listen(channel.id), await alice.listen(channel.id)];
    const byRest = await alice.say(channel.id, 'by REST');
    const bySocket = await mouth.emit('message:send', { channelId: channel.id, content: 'by socket' });
    const heard = await ear.next('message:new', (message) => message.id === bySocket.message.id);
    expect(heard.content).to.equal('by socket');
    expect(ear.all('message:new').map((message) => message.content)).to.deep.equal(['by REST', 'by socket']);
    expect(heard.seq).to.equal(byRest.seq + 1);
    await mouth.next('message:new', (message) => message.id === bySocket.message.id);
  });
});
