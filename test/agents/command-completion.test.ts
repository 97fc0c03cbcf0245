import { expect } from 'chai';
import { type Bot, botIn } from '../world/bot.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Answer, Listener, Person } from '../world/person.ts';
import { type World, world } from '../world/world.ts';
import { receiver } from './receiver.ts';

const choices = [
  { value: 'oslo', label: 'Oslo, Norway' },
  { value: 'osaka', label: 'Osaka, Japan' },
];

/** On several nodes whoever types is on another node than the bot. */
describe('the completion of commands', () => {
  let cluster: Cluster;
  let here: World;
  const bots: Bot[] = [];
  before(async () => {
    cluster = await startCluster({ settings: { appProxyAllow: ['127.0.0.1'] } });
    here = await world(cluster);
  });
  after(async () => {
    for (const robot of bots) robot.hangUp();
    here.close();
    await cluster.stop();
  });

  async function robot(): Promise<Bot> {
    const made = await botIn(here.server, here.alice);
    bots.push(made);
    const options = [
      { type: 'text', name: 'city', completes: true },
      { type: 'text', name: 'note' },
    ];
    await here.alice.put(`/api/agents/${made.agentId}/slash-commands`, { commands: [{ name: 'weather', options }] });
    return made;
  }
  const ask = (who: Person, { agentId }: Bot, typed: string, option = 'city'): Promise<Answer> =>
    who.post(`/api/channels/${here.channel.id}/commands/complete`, {
      ...{ agentId, command: 'weather', option, typed },
      options: { note: 'soon' },
    });
  const asked = (ear: Listener, typed: string) => ear.next('command:complete', (data) => data.typed === typed);

  it('is answered live by a socket of the bot', async () => {
    const { bob, channel, server } = here;
    const made = await robot();
    const ear = await made.connect();
    const answer = ask(bob, made, 'os');
    const { id, endsAt, user, ...rest } = await asked(ear, 'os');
    expect(user.id).to.equal(bob.id);
    expect(Date.parse(endsAt)).to.be.a('number');
    expect(rest).to.deep.equal({
      ...{ agentId: made.agentId, serverId: server.id, channelId: channel.id, threadId: null },
      ...{ command: 'weather', option: 'city', typed: 'os', options: { note: 'soon' } },
    });
    expect(await ear.emit('command:choices', { id, choices })).to.deep.equal({ ok: true });
    expect((await answer).body).to.deep.equal({ ok: true, answered: true, choices });
    // Later answers are dropped.
    expect((await ear.emit('command:choices', { id, choices: [] })).ok).to.equal(true);
  });

  it('is answered by nobody but the bot, and without an answer there are no choices', async () => {
    const { bob } = here;
    const made = await robot();
    const other = await robot();
    const ear = await made.connect();
    const answer = ask(bob, made, 'x');
    const { id } = await asked(ear, 'x');
    await (await other.connect()).emit('command:choices', { id, choices });
    expect((await (await bob.connect()).emit('command:choices', { id, choices })).code).to.equal('FORBIDDEN');
    const many = Array.from({ length: 26 }, (_, at) => ({ value: `${at}`, label: `${at}` }));
    expect((await ear.emit('command:choices', { id, choices: many })).code).to.equal('VALIDATION_FAILED');
    expect((await answer).body).to.deep.equal({ ok: true, answered: false, choices: [] });
  });

  it('is asked of an active webhook by a signed request, whose response is the answer', async () => {
    const { alice, bob } = here;
    const made = await robot();
    const hook = await receiver();
    try {
      hook.secret = (await alice.put(`/api/agents/${made.agentId}/webhook`, { url: hook.url })).body.secret;
      hook.behave(({ event }, response) => {
        if (event.type !== 'command:complete') return 200;
        const body = event.data.typed === 'bad' ? 'no JSON' : JSON.stringify({ choices });
        response.writeHead(event.data.typed === 'late' ? 500 : 200, { 'content-type': 'application/json' }).end(body);
        return undefined;
      });
      expect((await ask(bob, made, 'os')).body).to.deep.equal({ ok: true, answered: true, choices });
      const came = await hook.next(({ event }) => event.type === 'command:complete');
      expect(came.verified).to.equal(true);
      expect(came.event.data).to.include({ typed: 'os', agentId: made.agentId });
      for (const typed of ['bad', 'late']) expect((await ask(bob, made, typed)).body.answered).to.equal(false);
      // It is not repeated.
      expect(hook.arrived.filter(({ event }) => event.data.typed === 'late')).to.have.length(1);
    } finally {
      await hook.close();
    }
  });

  it('is only for options that the bot completes, and for those who may use the command', async () => {
    const { alice, bob, carol, server } = here;
    const made = await robot();
    expect((await ask(bob, made, 'x', 'note')).body.code).to.equal('COMMAND_NOT_FOUND');
    expect((await ask(bob, made, 'x', 'nothing')).body.code).to.equal('COMMAND_NOT_FOUND');
    expect((await ask(carol, made, 'x')).status).to.equal(404);
    await alice.put(`/api/servers/${server.id}/agents/${made.agentId}/commands/weather/rule`, {});
    expect((await ask(bob, made, 'x')).body.code).to.equal('COMMAND_NOT_ALLOWED');
  });
});
