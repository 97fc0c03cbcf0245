import { expect } from 'chai';
import { until } from '../rig/until.ts';
import type { Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

const texts = {
  'right-to-left text': 'שלום עולם \u202e abc مرحبا',
  'emoji sequences': '👨‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇩🇪 ❤️',
  'combining marks': 'e\u0301 n\u0303 Z\u0351\u036b\u0343',
  'text that is not normalised': '\u212b \u00c5 A\u030a',
  'white space around': '  \n\tindented\n  ',
  'what looks like code': '<script>alert(1)</script> $(x) \\u0000 %00 \'"; DROP TABLE messages; --',
  'just enough characters': 'x'.repeat(16_000),
  'a zero': '0',
};

describe('the content of a message', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  for (const [name, content] of Object.entries(texts)) {
    it(`is kept as it was sent: ${name}`, async () => {
      const { alice, bob, channel } = here;
      const ear = await bob.listen(channel.id);
      const sent = await alice.say(channel.id, content);
      expect(sent.content).to.equal(content);
      expect((await ear.next('message:new', (event) => event.id === sent.id)).content).to.equal(content);
      expect((await bob.get(`/api/messages/${sent.id}`)).body).to.deep.equal(sent);
      await alice.patch(`/api/messages/${sent.id}`, { content: 'something else' });
      const edited = await alice.patch(`/api/messages/${sent.id}`, { content });
      expect(edited.body).to.include({ content, isEdited: true });
      ear.close();
    });
  }

  const bad: Record<string, unknown> = {
    'nothing at all': '',
    'white space only': ' \n\t\u3000',
    'zero-width characters only': '\u200b\u200d\ufeff \u2060\u00ad\ufe0f',
    'U+0000': 'a\u0000b',
    'too many characters': 'x'.repeat(16_001),
    'too many UTF-16 units': '😀'.repeat(8_001),
    'half a surrogate pair': 'a\ud800b',
    'the other half': '\udc00',
    'a number': 5,
    'an object': { text: 'x' },
    null: null,
  };
  for (const [name, content] of Object.entries(bad)) {
    it(`is refused: ${name}`, async () => {
      const { alice, channel } = here;
      const byRest = await alice.post(`/api/channels/${channel.id}/messages`, { content });
      expect([byRest.status, byRest.body.code]).to.deep.equal([400, 'VALIDATION_FAILED']);
      const ear = await alice.connect();
      expect((await ear.emit('message:send', { channelId: channel.id, content })).code).to.equal('VALIDATION_FAILED');
      const sent = await alice.say(channel.id, 'fine');
      expect((await alice.patch(`/api/messages/${sent.id}`, { content })).status).to.equal(400);
      expect((await alice.get(`/api/messages/${sent.id}`)).body.content).to.equal('fine');
      ear.close();
    });
  }

  it('comes with metadata, which is kept untouched up to 32 KiB', async () => {
    const { alice, channel } = here;
    const metadata = { b: 1, a: [null, { deep: 'ünï' }], '': 0.1, agentChain: { depth: 3 } };
    const sent = await alice.say(channel.id, 'x', { metadata });
    expect(JSON.stringify(sent.metadata)).to.equal(JSON.stringify(metadata));
    const read = (await alice.get(`/api/messages/${sent.id}`)).body.metadata;
    expect(JSON.stringify(read)).to.equal(JSON.stringify(metadata));
    const send = (value: unknown) =>
      alice.post(`/api/channels/${channel.id}/messages`, { content: 'x', metadata: value });
    expect((await send({ x: 'x'.repeat(32 * 1024) })).status).to.equal(400);
    expect((await send([1])).status).to.equal(400);
    expect((await send({ 'a\u0000': 1 })).status).to.equal(400);
  });

  it('comes with metadata of any shape: what is nested deeply comes back from everywhere', async () => {
    const { alice, bob, channel } = here;
    const nested = (depth: number): Loose => JSON.parse(`${'{"a":['.repeat(depth / 2)}${']}'.repeat(depth / 2)}`);
    const metadata = nested(96);
    const text = JSON.stringify(metadata);
    const ear = await bob.listen(channel.id);
    const sent = [
      await alice.say(channel.id, 'x', { metadata }),
      (await ear.emit('message:send', { channelId: channel.id, content: 'y', metadata })).message,
    ];
    for (const { id } of sent) {
      const heard = await ear.next('message:new', (message) => message.id === id);
      const read = (await bob.get(`/api/messages/${id}`)).body;
      const listed = (await bob.get(`/api/channels/${channel.id}/messages`)).body.messages;
      const logged = (await bob.get(`/api/channels/${channel.id}/events?after=0&limit=500`)).body.events;
      const all = [
        heard,
        read,
        ...[...listed, ...logged.map(({ data }: Loose) => data)].filter((one) => one.id === id),
      ];
      expect(all).to.have.lengthOf(4);
      for (const one of all) expect(JSON.stringify(one.metadata)).to.equal(text);
    }
    const { status, body } = await alice.post(`/api/channels/${channel.id}/messages`, {
      content: 'x',
      metadata: nested(200),
    });
    expect([status, body.code]).to.deep.equal([400, 'MALFORMED_JSON']);
    ear.close();
  });

  it('answers another message, and knows when that is edited or gone', async () => {
    const { alice, bob, channel } = here;
    const first = await alice.say(channel.id, 'question '.repeat(50));
    const reply = await bob.say(channel.id, 'answer', { replyToId: first.id });
    const preview = { id: first.id, authorId: alice.id, content: first.content.slice(0, 200), deleted: false };
    expect(reply.replyTo).to.deep.equal(preview);
    await alice.patch(`/api/messages/${first.id}`, { content: 'better question' });
    const read = async () => (await bob.get(`/api/messages/${reply.id}`)).body.replyTo;
    expect(await read()).to.deep.equal({ ...preview, content: 'better question' });
    await alice.delete(`/api/messages/${first.id}`);
    expect(await read()).to.deep.equal({ ...preview, content: '', deleted: true });
    const again = await bob.post(`/api/channels/${channel.id}/messages`, { content: 'x', replyToId: first.id });
    expect([again.status, again.body.code]).to.deep.equal([404, 'MESSAGE_NOT_FOUND']);
    const malformed = await bob.post(`/api/channels/${channel.id}/messages`, { content: 'x', replyToId: 'x' });
    expect(malformed.status).to.equal(400);
  });

  it('answers only messages of the same channel', async () => {
    const { alice, server, channel } = here;
    const other = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'other' })).body;
    const elsewhere = await alice.say(other.id, 'elsewhere');
    const reply = { content: 'x', replyToId: elsewhere.id };
    expect((await alice.post(`/api/channels/${channel.id}/messages`, reply)).status).to.equal(404);
  });

  it('quotes what holds, also when it changes in the same moment', async () => {
    const { alice, bob, channel } = here;
    const ear = await bob.listen(channel.id);
    for (let round = 0; round < 10; round++) {
      const question = await alice.say(channel.id, 'old words');
      const [answers] = await Promise.all([
        Promise.all(
          Array.from({ length: 5 }, () =>
            bob.post(`/api/channels/${channel.id}/messages`, { content: 'answer', replyToId: question.id }),
          ),
        ),
        alice.delete(`/api/messages/${question.id}`),
      ]);
      const gone = await ear.next('message:deleted', (event) => event.id === question.id);
      for (const { status, body } of answers) {
        expect(status).to.be.oneOf([201, 404]);
        if (status === 201) expect(body.seq).to.be.lessThan(gone.eventSeq);
      }
    }
    ear.close();
  });

  it('is edited and deleted by those who may, and everyone hears of both', async () => {
    const { alice, bob, channel } = here;
    const ear = await alice.listen(channel.id);
    const sent = await bob.say(channel.id, 'mine');
    expect((await alice.patch(`/api/messages/${sent.id}`, { content: 'x' })).body.code).to.equal('FORBIDDEN');
    const edited = (await bob.patch(`/api/messages/${sent.id}`, { content: 'still mine' })).body;
    expect(edited).to.include({ content: 'still mine', isEdited: true, seq: sent.seq, createdAt: sent.createdAt });
    const { eventSeq, ...told } = await ear.next('message:updated');
    expect(told).to.deep.equal(edited);
    expect(eventSeq).to.equal(sent.seq + 1);
    expect((await bob.delete(`/api/messages/${sent.id}`)).body).to.include({ ok: true });
    const gone = { id: sent.id, channelId: channel.id, seq: sent.seq, threadId: null, authorId: bob.id };
    expect(await ear.next('message:deleted')).to.deep.include(gone);
    expect((await bob.get(`/api/messages/${sent.id}`)).status).to.equal(404);
    expect((await bob.delete(`/api/messages/${sent.id}`)).status).to.equal(404);
    expect((await bob.patch(`/api/messages/${sent.id}`, { content: 'x' })).status).to.equal(404);
    const other = await alice.say(channel.id, 'not bob’s');
    expect((await bob.delete(`/api/messages/${other.id}`)).body.code).to.equal('FORBIDDEN');
  });

  it('is edited over sockets too, in the order in which it is told', async () => {
    const { alice, channel } = here;
    const mouth = await alice.listen(channel.id);
    const { message } = await mouth.emit('message:send', { channelId: channel.id, content: '0' });
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => mouth.emit('message:edit', { messageId: message.id, content: `${i + 1}` })),
    );
    const heard = () => mouth.all('message:updated').filter((event: Loose) => event.id === message.id);
    await until(() => heard().length >= 20);
    const told = heard();
    expect(told).to.have.length(20);
    expect((await alice.get(`/api/messages/${message.id}`)).body.content).to.equal(told.at(-1).content);
    expect((await mouth.emit('message:delete', { messageId: message.id })).message.id).to.equal(message.id);
  });

  it('says who is typing, to the others, and keeps no trace of it', async () => {
    const { alice, bob, channel } = here;
    const [ear, mouth] = [await bob.listen(channel.id), await alice.listen(channel.id)];
    expect((await mouth.emit('message:typing', { channelId: channel.id })).ok).to.equal(true);
    const told = await ear.next('message:typing');
    expect(told).to.deep.include({ channelId: channel.id, threadId: null, userId: alice.id, typing: true });
    await mouth.emit('message:typing', { channelId: channel.id, typing: false });
    await ear.next('message:typing', (event) => !event.typing);
    expect(mouth.all('message:typing')).to.deep.equal([]);
    const log = (await bob.get(`/api/channels/${channel.id}/events?after=0&limit=500`)).body.events;
    expect(log.map((entry: Loose) => entry.event)).to.not.include('message:typing');
  });
});
