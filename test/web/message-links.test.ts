import { expect } from 'chai';
import { linkedMessages } from '../../src/web/app/state/message-links.ts';
import { until } from '../rig/until.ts';
import { world } from '../world/world.ts';
import { Device } from './device.ts';

const origin = 'https://chat.example';
const [server, channel, thread, first, second] = [1, 2, 3, 4, 5].map(
  (digit) => `0${digit}9a9d3e-7a3c-7b1e-9c55-3f0d7a1c2b4d`,
);
const here = `/app/s/${server}/${channel}`;

describe('links to messages', () => {
  const found = (text: string) => linkedMessages(text, origin);

  it('are addresses of this site, whole or without their host, each once', () => {
    expect(found(`see ${origin}${here}/${first}, please`)).to.deep.equal([first]);
    expect(found(`(${here}/${first}) ${origin}${here}/${first} /app/dm/${channel}/${second}`)).to.deep.equal([
      first,
      second,
    ]);
    expect(found(`${here}/thread/${thread}/${first}`)).to.deep.equal([first]);
  });

  it('lead to messages, on this site', () => {
    expect(found(`${origin}${here} ${here}/thread/${thread} ${here}/nothing`)).to.deep.equal([]);
    expect(found(`https://other.example${here}/${first}`)).to.deep.equal([]);
  });

  it('are none in code, and not shown in spoilers', () => {
    expect(found(`\`${here}/${first}\` ||${here}/${second}||`)).to.deep.equal([]);
    expect(found(`\`\`\`\n${here}/${first}\n\`\`\``)).to.deep.equal([]);
  });
});

describe('what links to messages show', () => {
  it('stays when another place is lost', async () => {
    const { alice, bob, channel, server, close } = await world();
    const device = new Device(bob.node.url);
    const { previews, connection } = device.open('/app', bob).app();
    await until(() => connection.state.peek().status === 'live');
    const secret = { name: 'elsewhere', isPrivate: true };
    const other = (await alice.post(`/api/servers/${server.id}/channels`, secret)).body;
    await alice.post(`/api/channels/${other.id}/members`, { userId: bob.id });
    const [kept, lost] = [await alice.say(channel.id, 'kept'), await alice.say(other.id, 'lost')];
    for (const { id } of [kept, lost]) previews.want(id);
    await until(() => previews.of(lost.id)?.content === 'lost');
    await alice.delete(`/api/channels/${other.id}/members/${bob.id}`);
    await until(() => previews.of(lost.id) === undefined);
    expect(previews.of(kept.id)?.content).to.equal('kept');
    device.close();
    close();
  });
});
