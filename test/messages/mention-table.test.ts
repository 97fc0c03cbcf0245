// nodes: own

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { MentionRecord } from '../../src/contract/mention.ts';
import { findCandidates, unfinishedName } from '../../src/contract/mentions/grammar.ts';
import { type KnownNames, maxLookedUp, mentionsIn, soughtIn } from '../../src/contract/mentions/resolve.ts';
import { usernameKey } from '../../src/contract/username.ts';
import { type Inline, parseInline } from '../../src/web/app/views/parts/inline.ts';
import { type Block, parseText } from '../../src/web/app/views/parts/markdown.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose, Person } from '../world/person.ts';
import { register, type World, world } from '../world/world.ts';

const people = ['bob', 'bob.jr', 'ann', 'everyone-x1', 'José', 'иван', 'محمد', '小明明', 'さくら', '김철수', 'สมชาย'];
const channels = ['general', '1000', 'v1.2', '设计', 'dev ops'];

interface Row {
  text: string;
  tokens: string[];
}

/** The codes of a cell, as Markdown has them; `⏎` and `\u0301` are written for what no line of a table shows. */
const codesIn = (cell: string): string[] =>
  [...cell.matchAll(/(?<!`)(`+)(?!`)(.*?[^`])\1(?!`)/g)].map(([, , code = '']) =>
    code
      .replace(/^ (.*) $/, '$1')
      .replaceAll('⏎', '\n')
      .replaceAll('\\u0301', '\u0301'),
  );

/** The rows of a table of the contract; each code of the first column is a text of its own. */
function rowsAfter(head: string): Row[] {
  const contract = readFileSync(path.resolve(import.meta.dirname, '../../docs/contract.md'), 'utf8');
  const [, table = ''] = contract.split(head);
  const lines = /^(?:\s*\|.*\n)+/.exec(table)?.[0].trim().split('\n') ?? [];
  return lines.flatMap((line) => {
    const [texts = '', tokens = ''] = line.trim().slice(2).split(' | ');
    return codesIn(texts).map((text) => ({ text, tokens: codesIn(tokens) }));
  });
}

const tables = {
  owner: rowsAfter('| text | mentions | because |\n  |---|---|---|'),
  member: rowsAfter('| text | mentions |\n  |---|---|'),
};

/** The people and channels of the table, by their own names as ids. */
function known(mayCallAll: boolean): KnownNames {
  const users = new Map(people.map((name) => [usernameKey(name), { id: name, label: name }]));
  const places = new Map(channels.map((name) => [name, { id: name, label: name }]));
  return {
    userNamed: (name) => users.get(usernameKey(name)),
    channelNamed: (name) => places.get(name.toLowerCase()),
    userOf: () => undefined,
    channelOf: () => undefined,
    everyoneIn: mayCallAll ? 'here' : null,
  };
}

const find = (text: string, mayCallAll = true): MentionRecord[] =>
  mentionsIn(text, findCandidates(text), known(mayCallAll));

const tokensOf = (mentions: { token: string }[]) => mentions.map(({ token }) => token);

/** The tokens that the web client shows as mentions, in their order. */
const shownIn = (blocks: Block[], atoms: ReturnType<typeof parseText>['atoms']): string[] =>
  blocks.flatMap((block) => {
    const inLine = (text: string) => parseInline(text, false, atoms).flatMap(shownAs);
    if (block.kind === 'quote') return shownIn(block.blocks, atoms);
    if (block.kind === 'list') return block.items.flatMap(({ text }) => inLine(text));
    if (block.kind === 'table') return [block.head, ...block.rows].flat().flatMap(inLine);
    return block.kind === 'code' || block.kind === 'rule' ? [] : inLine(block.text);
  });

function shownAs(piece: Inline): string[] {
  if (piece.kind === 'mention') return [piece.mention.token];
  return 'pieces' in piece ? (piece.pieces ?? []).flatMap(shownAs) : [];
}

describe('the table of mentions in the contract', () => {
  it('is read', () => {
    expect(tables.owner.length).to.be.greaterThan(60);
    expect(tables.member).to.have.lengthOf(2);
  });

  it('is what the grammar finds', () => {
    for (const { text, tokens } of tables.owner) expect(tokensOf(find(text)), text).to.deep.equal(tokens);
    for (const { text, tokens } of tables.member) expect(tokensOf(find(text, false)), text).to.deep.equal(tokens);
  });

  it('is what the web client shows', () => {
    for (const { text, tokens } of tables.owner) {
      const { blocks, atoms } = parseText(text, false, find(text));
      expect(shownIn(blocks, atoms), text).to.deep.equal(tokens);
      expect(shownIn(parseText(text).blocks, []), text).to.deep.equal([]);
    }
  });

  it('is where names are suggested while they are typed, and they are nowhere else', () => {
    for (const { text } of tables.owner)
      for (const { token, range } of find(text)) {
        if (token.startsWith('<')) continue;
        const typed = String.fromCodePoint(token.codePointAt(1) ?? 0);
        const sign = /[@＠]/.test(token) ? '@' : '#';
        const unfinished = unfinishedName(text, range.start + 1 + typed.length);
        expect(unfinished, `${text}: ${token}`).to.deep.equal({ sign, typed, start: range.start });
      }
    expect(unfinishedName('请@', 2)).to.deep.equal({ sign: '@', typed: '', start: 1 });
    const none = [
      'mail@b',
      'mail@',
      '5@b',
      '> @b',
      '`a` `@b`',
      'https://a.example/@b',
      'video.example/@b',
      '@@b',
      'C#g',
      '@ b',
      '',
    ];
    for (const text of none) expect(unfinishedName(text, text.replace(/`$/, '').length), text).to.equal(undefined);
  });

  describe('on a server', () => {
    let cluster: Cluster;
    let here: World;
    let member: Person;

    before(async () => {
      cluster = await startCluster({ nodes: 1 });
      here = await world(cluster);
      const { alice, server } = here;
      for (const [i, username] of people.entries()) {
        const person = await register(alice.node, { username, email: `person${i}@example.com` });
        await person.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
        if (username === 'ann') member = person;
      }
      for (const name of channels.slice(1)) await here.newChannel(name);
    });
    after(async () => {
      here.close();
      await cluster.stop();
    });

    it('is what is sent, with places in the text, and what would be sent', async () => {
      const { alice, channel } = here;
      for (const [table, author] of [
        [tables.owner, alice],
        [tables.member, member],
      ] as const)
        for (const { text, tokens } of table) {
          const { mentions } = await author.say(channel.id, text);
          expect(tokensOf(mentions), text).to.deep.equal(tokens);
          for (const { token, range } of mentions) expect(text.slice(range.start, range.end)).to.equal(token);
          const resolved = await author.post('/api/mentions/resolve', { channelId: channel.id, content: text });
          expect(resolved.body.mentions, text).to.deep.equal(mentions);
        }
    });

    it('is what a socket sends, and an edit', async () => {
      const { alice, channel } = here;
      const mouth = await alice.listen(channel.id);
      for (const { text, tokens } of tables.owner.filter((_, i) => i % 5 === 0)) {
        const sent = await mouth.emit('message:send', { channelId: channel.id, content: text });
        expect(tokensOf(sent.message.mentions), text).to.deep.equal(tokens);
        const { body } = await alice.patch(`/api/messages/${sent.message.id}`, { content: `@bob and\n${text}` });
        expect(tokensOf(body.mentions), text).to.deep.equal(['@bob', ...tokens]);
      }
    });

    it('calls the person, not everyone, whose name begins like that', async () => {
      const { alice, channel } = here;
      for (const author of [alice, member]) {
        const { mentions } = await author.say(channel.id, 'see @everyone-x1');
        const [user] = (await alice.get(`/api/mentions/suggest?channelId=${channel.id}&q=everyone-x1`)).body
          .suggestions;
        expect(mentions.map(({ kind, targetId }: Loose) => [kind, targetId])).to.deep.equal([['user', user.targetId]]);
      }
    });

    it('holds behind anything that comes before', async () => {
      const { alice, channel } = here;
      const fillers = ['#1000 '.repeat(60), '#1001 '.repeat(60), '@nobody '.repeat(1500), '@ann '.repeat(2500)];
      const names = Array.from({ length: 600 }, (_, i) => `@someone-${i}`).join(' ');
      for (const filler of [...fillers, `${names} `, '@看看看看看看看 '.repeat(200)]) {
        const { mentions } = await alice.say(channel.id, `${filler}@bob`);
        expect(tokensOf(mentions).at(-1), filler.slice(0, 20)).to.equal('@bob');
        expect(mentions.length).to.be.at.most(100);
      }
    });
  });

  it('names each one before anyone twice, where there are too many', () => {
    const tokens = tokensOf(find(`${'@bob '.repeat(500)}@ann ${'#general '.repeat(500)}#1000`));
    expect(tokens).to.have.lengthOf(100);
    expect(new Set(tokens)).to.deep.equal(new Set(['@bob', '@ann', '#general', '#1000']));
  });

  it('bounds what is looked up, each name once', () => {
    const repeated = '@bob @ann #1000 @小明明看一下 '.repeat(1000);
    const { users, channels: places } = soughtIn(repeated, findCandidates(repeated));
    expect([...users, ...places]).to.have.members([
      ...['bob', 'ann', '小明明看一下', '小明明看一', '小明明看', '小明明'],
      '1000',
    ]);
    const many = Array.from({ length: 10_000 }, (_, i) => `@a${i}`).join(' ');
    expect(soughtIn(many, findCandidates(many)).users).to.have.lengthOf(maxLookedUp);
  });

  it('costs in proportion to the length of a text, whatever that is made of', () => {
    const times = (text: string) => text.repeat(Math.ceil(100_000 / text.length));
    const parts = [
      '@',
      '#',
      '<@',
      '@_',
      '@-',
      ' @ab',
      '#a',
      '`',
      '`a',
      '``` ',
      '> @a\n',
      '|',
      '| a',
      '|a|\n|-|\n',
      '/',
      'a.b/',
      '://',
    ];
    const more = [
      '@a.',
      '@a@b.',
      '@看看看看',
      'a-@',
      '\u0301@',
      '@a_',
      `@a${'_'.repeat(90)}`,
      `@${'a.'.repeat(100)}`,
      `${'a'.repeat(250)}/`,
    ];
    const once = [
      `@${'_'.repeat(100_000)}`,
      `a${'-'.repeat(100_000)}@`,
      `@${'\u0301'.repeat(100_000)}`,
      `@${'看'.repeat(100_000)}`,
      `|${' '.repeat(100_000)}`,
    ];
    const runs = Array.from({ length: 440 }, (_, i) => `${'`'.repeat(i + 1)}a`).join('');
    // Without a sign before it a text is not looked at.
    for (const text of [...[...parts, ...more].map(times), ...once, runs].map((one) => `@ ${one} @bob`)) {
      // Its own time, not what others on the machine take: a hundred times as long would be a hundred times that.
      const before = process.threadCpuUsage();
      const found = find(text);
      const { user, system } = process.threadCpuUsage(before);
      expect((user + system) / 1e6, text.slice(0, 12)).to.be.lessThan(5);
      expect(found.length).to.be.at.most(100);
    }
  }).timeout(120_000);
});
