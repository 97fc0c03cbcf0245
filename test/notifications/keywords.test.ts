// nodes: one and two

import { expect } from 'chai';
import { keptKeywords, Said } from '../../src/features/notifications/keywords.ts';
import { expectError } from '../rest/verdict.ts';
import { until } from '../rig/until.ts';
import type { Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const has = (text: string, keyword: string) => new Said(text, 1000).has(keyword);

describe('a keyword in a text', () => {
  for (const [keyword, texts, others] of [
    ['release', ['The release is out', 'RELEASE!', '(release)', 'pre-release'], ['releases', 'prerelease']],
    ['résumé', ['my resume', 'Mein RÉSUMÉ.'], ['resumed']],
    ['release plan', ['a Release  plan', 'release\nplan'], ['release, plan', 'plan release', 'release the plan']],
    ['C++', ['we use C++ here', 'c++, of course'], ['we use C here', 'C+']],
    ['.net', ['the .NET way'], ['the net', 'a net']],
    ["don't", ['I don’t', "DON'T"], ['don t']],
    ['#42', ['see #42.'], ['see 42', '#421']],
    ['straße', ['die STRASSE', 'Straße'], ['straßen']],
    ['東京', ['明日東京に行く'], ['京東']],
    ['猫', ['黒猫がいる'], ['犬']],
    ['민수', ['민수가 왔다'], ['수민']],
    ['قلم', ['هذا قَلَم'], ['قلمي']],
    ['שלום', ['שָׁלוֹם לכולם'], ['שלומי']],
    ['ภาษา', ['เรียนภาษาไทย'], ['ภาพ']],
    ['привет', ['Привет, мир'], ['приветик']],
    ['٤٢', ['رقم 42'], ['رقم 421']],
  ] as const) {
    it(`is found by whole words: ${keyword}`, () => {
      for (const text of texts) expect(has(text, keyword), text).to.equal(true);
      for (const text of others) expect(has(text, keyword), text).to.equal(false);
    });
  }

  it('is kept once in each of its forms, and must have a word', () => {
    const kept = keptKeywords(['Café', 'cafe', 'C', 'C++', 'big release']);
    expect(kept.map(({ text, word }) => [text, word])).to.deep.equal([
      ['Café', 'cafe'],
      ['C', 'c'],
      ['C++', 'c'],
      ['big release', 'release'],
    ]);
    expect(() => keptKeywords(['ok', '\u{200d}'])).to.throw();
  });
});

describe('keywords', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  const keep = async (person: Person, ...keywords: string[]) => {
    const { status, body } = await person.patch('/api/notifications/settings', { keywords });
    expect(status).to.equal(200);
    return body.keywords;
  };
  const list = async (person: Person) => (await person.get('/api/notifications')).body;
  const toldOf = async (person: Person, message: Loose) =>
    (await list(person)).filter(({ referenceId }: Loose) => referenceId === message.id);
  const told = (person: Person, message: Loose): Promise<Loose> =>
    until(async () => (await toldOf(person, message))[0], { message: 'not notified' });
  /** Everything that was said so far is indexed, and notified of. */
  const settled = (channelId = here.channel.id) =>
    until(async () => {
      const { databaseUrl } = here.cluster;
      const behind = `SELECT FROM streams s LEFT JOIN search_progress p ON p.channel_id = s.id
        WHERE s.id = '${channelId}' AND s.last_seq > coalesce(p.seq, 0)`;
      const waiting = `SELECT FROM jobs WHERE kind IN ('notification', 'message-audience', 'message-keywords')`;
      return (await query(databaseUrl, behind)).length + (await query(databaseUrl, waiting)).length === 0;
    });

  it('notify like a mention: with `mention_only`, in threads, and of bots’ messages too', async () => {
    const { alice, bob, channel } = here;
    expect(await keep(bob, 'deploy', '  big   Deal ', 'DEPLOY')).to.deep.equal(['deploy', 'big Deal']);
    await bob.patch('/api/notifications/preferences', { strategy: 'mention_only' });
    const message = await alice.say(channel.id, 'We Deploy at noon');
    const notification = await told(bob, message);
    expect(notification).to.include({ kind: 'message.keyword', type: 'mention', body: message.content });
    expect(notification.title).to.contain('“deploy” in #general');
    const thread = (await alice.post(`/api/messages/${message.id}/thread`)).body;
    const aside = (await alice.post(`/api/threads/${thread.id}/messages`, { content: 'a big deal' })).body;
    await told(bob, aside);
    const plain = await alice.say(channel.id, 'we deployed');
    await settled();
    expect(await toldOf(bob, plain)).to.deep.equal([]);
    expect((await list(alice)).filter(({ kind }: Loose) => kind === 'message.keyword')).to.deep.equal([]);
  });

  it('notify once, of a mention or an answer where the message is one', async () => {
    const { alice, bob, channel } = here;
    await keep(bob, 'lunch');
    await keep(alice, 'lunch');
    const own = await bob.say(channel.id, 'I want lunch');
    // One after the other: a later mention is merged into the notification of the first, which then names that one.
    await told(bob, await alice.say(channel.id, `@${bob.username} lunch`));
    await told(bob, await alice.say(channel.id, 'lunch now', { replyToId: own.id }));
    await told(bob, await alice.say(channel.id, '@everyone lunch'));
    await told(alice, own);
    await settled();
    const kinds = (await list(bob)).map(({ kind }: Loose) => kind);
    expect(kinds).to.have.members(['message.mention', 'message.reply']);
    const mentions = (await list(bob)).find(({ kind }: Loose) => kind === 'message.mention');
    expect(mentions.aggregatedCount).to.equal(2);
  });

  it('do not notify of what is muted, quoted, blocked, read, or out of sight', async () => {
    const { alice, bob, carol, channel, server } = here;
    for (const person of [bob, carol]) await keep(person, 'secret');
    const hidden = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'hidden', isPrivate: true })).body;
    const there = await alice.say(hidden.id, 'a secret');
    const quoted = await alice.say(channel.id, '> a secret\n`secret`');
    await bob.put(`/api/channels/${channel.id}/notification-level`, { level: 'nothing' });
    const muted = await alice.say(channel.id, 'muted secret');
    await settled();
    await settled(hidden.id);
    await bob.put(`/api/channels/${channel.id}/notification-level`, { level: null });
    await bob.put(`/api/friends/blocks/${alice.id}`);
    const blocked = await alice.say(channel.id, 'blocked secret');
    await settled();
    for (const message of [there, quoted, muted, blocked]) expect(await toldOf(bob, message)).to.deep.equal([]);
    expect(await list(carol)).to.deep.equal([]);
    await bob.delete(`/api/friends/blocks/${alice.id}`);
    const heard = await alice.say(channel.id, 'a secret at last');
    await told(bob, heard);
  });

  it('leave with their message, and stay with an edited one as it reads then', async () => {
    const { alice, bob, channel } = here;
    await keep(bob, 'cake');
    const message = await alice.say(channel.id, 'cake for all');
    await told(bob, message);
    await alice.patch(`/api/messages/${message.id}`, { content: 'cake for some' });
    await until(async () => (await told(bob, message)).body === 'cake for some');
    await alice.delete(`/api/messages/${message.id}`);
    await until(async () => (await toldOf(bob, message)).length === 0);
  });

  it('are bounded, and are told to all devices', async () => {
    const { bob } = here;
    const ears = [await bob.connect(), await bob.on(here.alice.node).connect()];
    await keep(bob, 'one');
    for (const ear of ears) {
      expect(await ear.next('notification:settings')).to.deep.include({ keywords: ['one'] });
    }
    const change = (keywords: string[]) => bob.patch('/api/notifications/settings', { keywords });
    expectError(await change(Array.from({ length: 51 }, (_, i) => `w${i}`)), 'VALIDATION_FAILED');
    expectError(await change(['x'.repeat(65)]), 'VALIDATION_FAILED');
    expectError(await change(['++']), 'VALIDATION_FAILED');
    expect((await bob.get('/api/notifications/settings')).body.keywords).to.deep.equal(['one']);
  });
});
