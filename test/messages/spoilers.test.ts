import { expect } from 'chai';
import { quoteOf, spoilersIn, withoutSpoilers } from '../../src/contract/quote.ts';
import { until } from '../rig/until.ts';
import type { Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

describe('spoilers', () => {
  it('stand between two signs, over lines too, and never begin or end in code and tables', () => {
    const table = '| a || b |\n|---|---|---|\n| c || d |';
    const cases: [string, string[]][] = [
      ['the killer is ||Bob||!', ['||Bob||']],
      ['||a|| and ||b c||', ['||a||', '||b c||']],
      ['||over\nlines||', ['||over\nlines||']],
      ['|||| || || x', []],
      ['||open', []],
      ['`a || b` ||c||', ['||c||']],
      ['```\na || b\n``` ||c||', ['||c||']],
      ['||code `x || y` too||', ['||code `x || y` too||']],
      ['> ||quoted||', ['||quoted||']],
      [`${table}\n\n||c||`, ['||c||']],
      ['|||x|||', ['|||x||']],
      ['\\|\\|a|| \\\\||b\\|| c||', ['|| \\\\||']],
      ['||a\\|| b||', ['||a\\|| b||']],
    ];
    for (const [text, expected] of cases) {
      expect(
        spoilersIn(text).map(({ start, end }) => text.slice(start, end)),
        text,
      ).to.deep.equal(expected);
    }
    expect(withoutSpoilers('is ||Bob||, not ||Ann||')).to.equal('is ▒▒▒, not ▒▒▒');
  });

  it('are hidden where a text is cut in their midst', () => {
    const text = `||${'secret '.repeat(100)}||`;
    for (let length = 201; length < text.length; length += 13) {
      expect(quoteOf(text.slice(0, length), 200)).to.not.contain('secret');
    }
    expect(quoteOf(text, 200)).to.equal('▒▒▒');
    expect(quoteOf('a || b', 200)).to.equal('a || b');
    const more = 'x'.repeat(200);
    for (const code of ['`a || b`', '```\na || b\n```']) {
      expect(quoteOf(`${code} ${more}`, 200), code).to.equal(`${code} ${more}`.slice(0, 200));
      expect(quoteOf(`${code} ||secret ${more}`, 200), code).to.equal(`${code} ▒▒▒`);
    }
  });

  it('take time in proportion to the text', () => {
    for (const text of ['|'.repeat(16_000), '|| '.repeat(5000), '`||'.repeat(5000), '||`'.repeat(5000)]) {
      withoutSpoilers(text);
      quoteOf(text, 200);
    }
  });

  describe('in messages', () => {
    let here: World;
    beforeEach(async () => {
      here = await world();
    });
    afterEach(() => here.close());
    const text = 'Look: ||Snape kills him|| at the end';
    const hidden = 'Look: ▒▒▒ at the end';

    it('are in the message alone: not in replies, names of threads, previews, notifications and excerpts', async () => {
      const { alice, bob, channel, server } = here;
      const message = await alice.say(channel.id, `${text} @${bob.username}`);
      expect(message.content).to.contain('Snape');
      const reply = await bob.say(channel.id, 'oh', { replyToId: message.id });
      expect(reply.replyTo.content).to.equal(`${hidden} @${bob.username}`);
      const { body: thread } = await bob.post(`/api/messages/${message.id}/thread`);
      expect(thread.name).to.equal(`${hidden} @${bob.username}`);
      await alice.post(`/api/threads/${thread.id}/messages`, { content: text });
      const notes = () => bob.get('/api/notifications').then(({ body }): Loose[] => body);
      await until(async () => (await notes()).some(({ kind }) => kind === 'message.mention'));
      expect(JSON.stringify(await notes()))
        .to.contain('▒▒▒')
        .and.to.not.contain('Snape');
      const { body: inbox } = await bob.get('/api/threads');
      expect(inbox.threads[0].lastReply.content).to.equal(hidden);
      const [found] = (await bob.get(`/api/search/messages?query=snape&channelId=${channel.id}`)).body;
      expect(found.excerpt.text).to.contain(hidden);
      expect(found.excerpt.marks).to.deep.equal([]);
      await alice.say(channel.id, text);
      const { body: channels } = await bob.get(`/api/servers/${server.id}/channels`);
      expect(channels[0].lastMessagePreview).to.equal(hidden);
      const { body: dm } = await alice.post('/api/dm/channels', { userId: bob.id });
      await alice.post(`/api/dm/channels/${dm.id}/messages`, { content: text });
      expect((await bob.get('/api/dm/channels')).body[0].lastMessagePreview).to.equal(hidden);
    });

    it('are hidden in notifications after an edit, too', async () => {
      const { alice, bob, channel } = here;
      const message = await alice.say(channel.id, `see @${bob.username}`);
      const body = async () => {
        const { body: all } = await bob.get('/api/notifications');
        return all.find(({ referenceId }: Loose) => referenceId === message.id)?.body;
      };
      await until(async () => (await body()) !== undefined);
      await alice.patch(`/api/messages/${message.id}`, { content: `see ||Snape|| @${bob.username}` });
      await until(async () => (await body()) === `see ▒▒▒ @${bob.username}`);
    });

    it('may be files: said with the upload or before it is sent, and not shown by searches', async () => {
      const { alice, bob, channel } = here;
      const bytes = new TextEncoder().encode('words');
      const one = await alice.upload('snape-dies.bin', bytes, { isSpoiler: 'true' });
      const two = await alice.upload('other.bin', bytes);
      expect([one.isSpoiler, two.isSpoiler]).to.deep.equal([true, false]);
      expect((await bob.patch(`/api/attachments/${two.id}`, { isSpoiler: true })).status).to.equal(404);
      expect((await alice.patch(`/api/attachments/${two.id}`, { isSpoiler: true })).body.isSpoiler).to.equal(true);
      const sent = await alice.say(channel.id, '', { attachments: [{ id: one.id }, { id: two.id }] });
      expect(sent.attachments.map(({ isSpoiler }: Loose) => isSpoiler)).to.deep.equal([true, true]);
      const { body: read } = await bob.get(`/api/messages/${sent.id}`);
      expect(read.attachments.map(({ isSpoiler }: Loose) => isSpoiler)).to.deep.equal([true, true]);
      expect((await alice.patch(`/api/attachments/${two.id}`, { isSpoiler: false })).body.code).to.equal(
        'ATTACHMENT_INVALID',
      );
      const [found] = (await bob.get(`/api/search/messages?query=snape&channelId=${channel.id}`)).body;
      expect(JSON.stringify(found.excerpt)).to.not.contain('snape');
    });
  });
});
