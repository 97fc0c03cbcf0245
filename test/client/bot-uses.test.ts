import { expect } from 'chai';
import { Bot, MemoryStore } from '../../src/client/index.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import type { Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

type Account = Awaited<ReturnType<typeof botIn>>;

describe('the helper for bots, when people use what it offers', () => {
  let here: World;
  let account: Account;
  let running: Bot | undefined;

  before(async () => {
    here = await world();
    account = await botIn(here.server, here.alice);
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
  });
  after(() => here.close());

  async function start(prepare: (one: Bot) => void, store = new MemoryStore()): Promise<Bot> {
    const one = new Bot({ url: account.node.url, token: account.token, store });
    prepare(one);
    running = one;
    await one.start();
    return one;
  }

  /** A message of the bot with components. */
  const offer = (items: object[]) => account.say(here.channel.id, 'Choose:', { components: { items } });
  const use = (who: Person, message: { id: string }, body: object) =>
    who.post(`/api/messages/${message.id}/uses`, body);
  const stateOf = async (who: Person, id: string): Promise<Loose> =>
    (await who.get('/api/auth/me/uses')).body.find((one: { id: string }) => one.id === id)?.state;

  it('hands a press to the handler of its button, whose update changes the message', async () => {
    await start((one) =>
      one
        .button('no', (turn) => turn.reply('not this one'))
        .button(/^vote:/, async (turn) => {
          await turn.working('counting');
          await turn.update({ content: `${turn.user.username}: ${turn.interaction.componentId}`, components: null });
        }),
    );
    const message = await offer([{ type: 'button', id: 'vote:42', label: 'Vote' }]);
    const ear = await here.bob.listen(here.channel.id);
    expect((await use(here.bob, message, { componentId: 'vote:42' })).status).to.equal(201);
    const changed = await ear.next('message:updated', ({ content }) => content !== 'Choose:');
    expect(changed.content).to.equal(`${here.bob.username}: vote:42`);
    expect(changed).to.not.have.property('components');
  });

  it('gives what was chosen, and replies to all or to one alone', async () => {
    await start((one) =>
      one.select('size', async (turn) => {
        await turn.reply(`Chosen: ${turn.chosen.join(', ')}`);
        await turn.ephemeral('Only you see this.');
      }),
    );
    const options = ['s', 'm'].map((value) => ({ value, label: value }));
    const message = await offer([{ type: 'select', id: 'size', label: 'Size', options, max: 2 }]);
    const ear = await here.bob.listen(here.channel.id);
    await use(here.bob, message, { componentId: 'size', values: { size: ['s', 'm'] } });
    await ear.next('message:new', ({ content }) => content === 'Chosen: s, m');
    const alone = await ear.next('ephemeral:created');
    expect(alone.content).to.equal('Only you see this.');
  });

  it('takes a form that it has asked for under the name of the button', async () => {
    await start((one) =>
      one
        .button('why', (turn) =>
          turn.form({ title: 'Why?', fields: [{ type: 'text', id: 'reason', label: 'Reason' }] }),
        )
        .form('why', (turn) => turn.reply(`Because: ${turn.values.reason}`)),
    );
    const message = await offer([{ type: 'button', id: 'why', label: 'Why' }]);
    const ear = await here.bob.listen(here.channel.id);
    const { id } = (await use(here.bob, message, { componentId: 'why' })).body;
    await ear.next('interaction:updated', (update) => update.id === id && update.form !== null);
    const sent = await here.bob.post(`/api/interactions/${id}/form`, { values: { reason: 'it rains' } });
    expect(sent.status).to.equal(201);
    await ear.next('message:new', ({ content }) => content === 'Because: it rains');
  });

  it('leaves nobody waiting for an answer that it does not have', async () => {
    await start((one) => one.button('silent', () => undefined));
    const message = await offer([
      { type: 'button', id: 'silent', label: 'Silent' },
      { type: 'button', id: 'unknown', label: 'Of an earlier version' },
    ]);
    for (const componentId of ['silent', 'unknown']) {
      const { id } = (await use(here.bob, message, { componentId })).body;
      await until(async () => (await stateOf(here.bob, id)) === undefined, { message: `${componentId} is still open` });
    }
  });

  it('does not fail where a use has ended before it says that it has no answer', async () => {
    const failures: unknown[] = [];
    let ended = '';
    const one = await start((one) =>
      one
        .button('slow', async ({ interaction: { id } }) => {
          await query(here.cluster.databaseUrl, 'UPDATE interactions SET ends_at = now() WHERE id = $1', [id]);
          ended = id;
        })
        .on('error', (error) => failures.push(error)),
    );
    const message = await offer([{ type: 'button', id: 'slow', label: 'Slow' }]);
    const { id } = (await use(here.bob, message, { componentId: 'slow' })).body;
    await until(() => ended === id);
    await one.stop();
    expect(failures).to.deep.equal([]);
  });

  it('answers what was used while it was stopped, once', async () => {
    const store = new MemoryStore();
    const answer = (one: Bot) => one.button('late', (turn) => turn.reply('Here I am'));
    const first = await start(answer, store);
    await first.stop();
    const message = await offer([{ type: 'button', id: 'late', label: 'Late' }]);
    await use(here.bob, message, { componentId: 'late' });
    const ear = await here.bob.listen(here.channel.id);
    await start(answer, store);
    await ear.next('message:new', ({ content }) => content === 'Here I am');
    await running?.stop();
    await start(answer, store);
    await until(() => running?.parley.state.status === 'live');
    expect(ear.all('message:new').filter(({ content }) => content === 'Here I am')).to.have.lengthOf(1);
  });

  it('gives commands that are invoked their options, and suggests values', async () => {
    await start((one) =>
      one
        .command(
          'weather',
          { options: [{ type: 'text', name: 'city', completes: true, required: true }] },
          ({ options, user, reply }) => reply(`${options.city} for ${user.username}`),
        )
        .complete('weather', 'city', ({ typed }) => [{ value: `${typed}lin`, label: `${typed}lin` }]),
    );
    const ear = await here.bob.listen(here.channel.id);
    const asked = { agentId: account.agentId, command: 'weather' };
    const typed = { ...asked, option: 'city', typed: 'Ber' };
    const suggested = await here.bob.post(`/api/channels/${here.channel.id}/commands/complete`, typed);
    expect(suggested.body.choices).to.deep.equal([{ value: 'Berlin', label: 'Berlin' }]);
    await here.bob.post(`/api/channels/${here.channel.id}/commands`, { ...asked, options: { city: 'Berlin' } });
    await ear.next('message:new', ({ content }) => content === `Berlin for ${here.bob.username}`);
  });

  it('takes a command with options that is typed for a message, since anyone may write it', async () => {
    const calls: string[] = [];
    await start((one) =>
      one
        .command('secret', { options: [] }, () => calls.push('command'))
        .on('message', ({ message }) => calls.push(message.content)),
    );
    await here.bob.say(here.channel.id, '/secret');
    await until(() => calls.length > 0);
    expect(calls).to.deep.equal(['/secret']);
  });
});
