// nodes: own

import { expect } from 'chai';
import { findCandidates } from '../../src/features/mentions/mention.parser.ts';
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

  it('are none in code, in addresses, or of people who are not there', async () => {
    const { alice, bob, carol, channel } = here;
    const name = `@${bob.username}`;
    const none = [
      `\`${name}\``,
      `\`\`\`\n${name}\n\`\`\``,
      `\`\` a \` ${name} \`\``,
      `mail${name}`,
      `${name}x`,
      `@${carol.username}`,
      '@nobody-at-all',
      '@',
      `<@${carol.id}>`,
      'a#general',
      '#nowhere',
      `https://social.example/${name}`,
      `(HTTP://social.example/${name}/7#general)`,
    ];
    for (const content of none) expect(tokens(await alice.say(channel.id, content)), content).to.deep.equal([]);
    const some = [
      `${name}.`,
      `(${name})`,
      `${name}’s`,
      `${name}-`,
      `\`unclosed ${name}`,
      `\`x\` ${name} \`y\``,
      `http://a.example/ ${name}`,
    ];
    for (const content of some) expect(tokens(await alice.say(channel.id, content)), content).to.deep.equal([name]);
  });

  it('mean the longest name there is', async () => {
    const { alice, bob, server, channel } = here;
    const long = await register(alice.node, {
      username: `${bob.username}.jr`,
      email: `${bob.username}.jr@example.com`,
    });
    await long.post('/api/servers/_/join', { inviteCode: server.inviteCode });
    const message = await alice.say(channel.id, `@${bob.username}.jr. and @${bob.username}.sr`);
    expect(message.mentions.map((mention: Loose) => mention.targetId)).to.deep.equal([long.id, bob.id]);
    expect(tokens(message)).to.deep.equal([`@${bob.username}.jr`, `@${bob.username}`]);
  });

  it('of everyone are for moderators and admins', async () => {
    const { alice, bob, channel } = here;
    const message = await alice.say(channel.id, '@here and @everyone, but not @everyones');
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

  it('cost little, whatever a text is made of', () => {
    const nasty = ['@'.repeat(16_000), '`'.repeat(16_000), '`a'.repeat(8_000), '<@'.repeat(8_000), '#a'.repeat(8_000)];
    const runs = Array.from({ length: 175 }, (_, i) => `${'`'.repeat(i + 1)}a`).join('');
    const more = [`@${'a.'.repeat(7_999)}`, ' @ab'.repeat(4_000), '``` '.repeat(4_000), runs];
    // Without a mark before it a text is not looked at.
    for (const text of [...nasty, ...more].map((one) => `@ ${one}`)) {
      // Its own time, not what others on the machine take.
      const before = process.threadCpuUsage();
      expect(findCandidates(text).length).to.be.at.most(50);
      const { user, system } = process.threadCpuUsage(before);
      expect((user + system) / 1000, text.slice(0, 12)).to.be.lessThan(200);
    }
  });
});
