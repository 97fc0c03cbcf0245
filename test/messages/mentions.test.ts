// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import type { Loose, Person } from '../world/person.ts';
import { register, type World, world } from '../world/world.ts';

describe('mentions', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  const tokens = (message: Loose) => message.mentions.map((mention: Loose) => mention.token);

  it('name users in any case, by id, and channels, with their places in the text', async () => {
    const { alice, bob, channel } = here;
    const content = `👋 @${bob.username.toUpperCase()}, <@${alice.id}>: see #general and <#${channel.id}>`;
    const { mentions } = await alice.say(channel.id, content);
    const at = (token: string) => ({ start: content.indexOf(token), end: content.indexOf(token) + token.length });
    const [name, id] = [`@${bob.username.toUpperCase()}`, `<@${alice.id}>`];
    const place = `<#${channel.id}>`;
    expect(mentions).to.deep.equal([
      { kind: 'user', targetId: bob.id, token: name, label: bob.username, range: at(name) },
      { kind: 'user', targetId: alice.id, token: id, label: alice.username, range: at(id) },
      { kind: 'channel', targetId: channel.id, token: '#general', label: 'general', range: at('#general') },
      { kind: 'channel', targetId: channel.id, token: place, label: 'general', range: at(place) },
    ]);
    for (const { token, range } of mentions) expect(content.slice(range.start, range.end)).to.equal(token);
  });

  it('end where they were written to end, whatever becomes of their letters in small ones', async () => {
    const { alice, bob, server, channel } = here;
    const [first, second] = [`İ${bob.username}`, `${Date.now()}ΝΙΚΟΣ`];
    for (const username of [first, second]) {
      const person = await register(alice.node, { username, email: `${username.length}${bob.username}@example.com` });
      await person.post('/api/servers/_/join', { inviteCode: server.inviteCode });
    }
    await alice.post(`/api/servers/${server.id}/channels`, { name: 'ΝΕΟΣ' });
    const written = [`@${first}`, `@${second}`, '#ΝΕΟΣ'];
    expect(tokens(await alice.say(channel.id, `${written.join(' ')} hello`))).to.deep.equal(written);
    const path = `/api/mentions/suggest?channelId=${channel.id}&trigger=${encodeURIComponent('#')}&q=`;
    const { suggestions } = (await alice.get(path + encodeURIComponent('ΝΕΟΣ'))).body;
    expect(suggestions.map((suggestion: Loose) => suggestion.label)).to.deep.equal(['ΝΕΟΣ']);
  });

  it('are none of people and channels that are not there', async () => {
    const { alice, carol, channel } = here;
    for (const content of [`@${carol.username}`, `<@${carol.id}>`, '@nobody-at-all', '#nowhere'])
      expect(tokens(await alice.say(channel.id, content)), content).to.deep.equal([]);
  });

  it('of everyone are for moderators and admins', async () => {
    const { alice, bob, channel } = here;
    const message = await alice.say(channel.id, '@here and @everyone');
    expect(tokens(message)).to.deep.equal(['@here', '@everyone']);
    expect(message.mentions[0]).to.include({ kind: 'here', targetId: channel.id });
    expect(tokens(await bob.say(channel.id, '@here @everyone'))).to.deep.equal([]);
  });

  it('follow edits', async () => {
    const { alice, bob, channel } = here;
    const sent = await alice.say(channel.id, 'nobody');
    const edited = (await alice.patch(`/api/messages/${sent.id}`, { content: `@${bob.username}` })).body;
    expect(tokens(edited)).to.deep.equal([`@${bob.username}`]);
    expect(tokens((await bob.get(`/api/messages/${sent.id}`)).body)).to.deep.equal([`@${bob.username}`]);
    expect(tokens((await alice.patch(`/api/messages/${sent.id}`, { content: 'nobody' })).body)).to.deep.equal([]);
  });

  it('are suggested from the beginning of a name, and resolved without sending', async () => {
    const { alice, bob, carol, channel } = here;
    const suggest = async (query: string) =>
      (await alice.get(`/api/mentions/suggest?channelId=${channel.id}&${query}`)).body.suggestions;
    const [found] = await suggest(`q=${bob.username.slice(0, 6).toUpperCase()}`);
    expect(found).to.include({ kind: 'user', targetId: bob.id, token: `@${bob.username}`, username: bob.username });
    expect(await suggest(`q=${carol.username}`)).to.deep.equal([]);
    expect(await suggest('trigger=%23&q=GEN')).to.deep.equal([
      { id: `channel:${channel.id}`, kind: 'channel', targetId: channel.id, token: '#general', label: 'general' },
    ]);
    expect((await suggest('q=every')).map((one: Loose) => one.kind)).to.deep.equal(['everyone']);
    expect(await suggest('q=%25')).to.deep.equal([]);
    const content = `hello @${bob.username}`;
    const resolved = await bob.post('/api/mentions/resolve', { channelId: channel.id, content });
    expect(resolved.body.mentions).to.deep.equal((await bob.say(channel.id, content)).mentions);
  });

  it('are suggested in brackets where their name would not be found in a text, and by id where not even then', async () => {
    const { alice, channel, server } = here;
    for (const name of ['Two Words', 'two > one']) {
      const { body: odd } = await alice.post(`/api/servers/${server.id}/channels`, { name });
      const path = `/api/mentions/suggest?channelId=${channel.id}&trigger=%23&q=${encodeURIComponent(name)}`;
      const [{ token }] = (await alice.get(path)).body.suggestions;
      expect(token).to.equal(name === 'Two Words' ? '<#Two Words>' : `<#${odd.id}>`);
      const sent = await alice.say(channel.id, `see ${token}`);
      expect(sent.mentions[0]).to.include({ kind: 'channel', targetId: odd.id, token, label: name });
      const edited = await alice.patch(`/api/messages/${sent.id}`, { content: `now see ${token}` });
      expect(edited.body.mentions[0]).to.deep.include({ token, range: { start: 8, end: 8 + token.length } });
    }
  });

  it('are names in the names of threads and in notifications', async () => {
    const { alice, bob, channel } = here;
    const sent = await alice.say(channel.id, `<@${bob.id}> see <#${channel.id}> and <@${channel.id}>`);
    const said = `@${bob.username} see #general and <@${channel.id}>`;
    const { body: thread } = await bob.post(`/api/messages/${sent.id}/thread`, {});
    expect(thread.name).to.equal(said);
    await until(async () => (await bob.get('/api/notifications')).body.some(({ body }: Loose) => body === said));
  });

  it('of channels are suggested to a bot, and found for it, as far as it knows of them', async () => {
    const { alice, server, channel } = here;
    const { body: secret } = await alice.post(`/api/servers/${server.id}/channels`, { name: 'unheard-of' });
    const robot = await botIn(server, alice);
    const path = `/api/mentions/suggest?channelId=${channel.id}&trigger=%23&q=`;
    const labels = async (person: Person) =>
      (await person.get(path)).body.suggestions.map((suggestion: Loose) => suggestion.label);
    expect(await labels(alice)).to.include('unheard-of');
    expect(await labels(robot)).to.deep.equal(['general']);
    const content = `#general #unheard-of <#${secret.id}>`;
    const sent = await robot.say(channel.id, content);
    expect(tokens(sent)).to.deep.equal(['#general']);
    expect(tokens((await robot.patch(`/api/messages/${sent.id}`, { content: `${content}!` })).body)).to.deep.equal([
      '#general',
    ]);
    const resolved = await robot.post('/api/mentions/resolve', { channelId: channel.id, content });
    expect(tokens(resolved.body)).to.deep.equal(['#general']);
    await alice.post(`/api/channels/${secret.id}/members`, { userId: robot.id });
    expect(tokens(await robot.say(channel.id, content))).to.have.lengthOf(3);
  });
});
