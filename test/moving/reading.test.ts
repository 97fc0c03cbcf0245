// nodes: own

import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import type { Archive } from '../../src/cli/moving/archive.ts';
import { contentsOf } from '../../src/cli/moving/content.ts';
import { emojiNamed, withEmoji } from '../../src/cli/moving/emoji.ts';
import type { ForeignMessage, ForeignRecord } from '../../src/cli/moving/foreign.ts';
import { idIn } from '../../src/cli/moving/ids.ts';
import { type JsonItem, jsonItems } from '../../src/cli/moving/json-items.ts';
import { personMark, piecesOf } from '../../src/cli/moving/marks.ts';
import { openArchive } from '../../src/cli/moving/open-archive.ts';
import { readDiscord } from '../../src/cli/moving/products/discord.ts';
import { discordText } from '../../src/cli/moving/products/discord-text.ts';
import { readMattermost } from '../../src/cli/moving/products/mattermost.ts';
import { readRocketChat } from '../../src/cli/moving/products/rocketchat.ts';
import { readSlack } from '../../src/cli/moving/products/slack.ts';
import { maxContent } from '../../src/contract/message.ts';
import { idSchema } from '../../src/contract/schema.ts';
import { type Entry, zip } from '../apps/zip.ts';
import { atEnd } from '../rig/ending.ts';
import { discordExport, inFolder, mattermostExport, rocketChatExport, slackExport } from './exports.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'parley-moving-'));
atEnd(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

function zipped(entries: Entry[]): string {
  const file = path.join(folder, `${++count}.zip`);
  writeFileSync(file, zip(entries));
  return file;
}

type Reader = (archive: Archive) => AsyncGenerator<ForeignRecord>;

async function read(entries: Entry[], reader: Reader): Promise<ForeignRecord[]> {
  const archive = await openArchive(zipped(entries), null);
  try {
    return await Array.fromAsync(reader(archive));
  } finally {
    archive.close();
  }
}

const messagesIn = (records: ForeignRecord[]): ForeignMessage[] =>
  records.filter((record) => record.kind === 'message');
const problemsIn = (records: ForeignRecord[]): string[] =>
  records.flatMap((record) => (record.kind === 'problem' ? [record.what] : []));
/** A text with its marks readable. */
const shown = (text: string): string =>
  piecesOf(text)
    .map((piece) => (typeof piece === 'string' ? piece : `{${piece.kind} ${piece.key}}`))
    .join('');

async function itemsIn(text: string, size: number): Promise<JsonItem[]> {
  const bytes = Buffer.from(text);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  return Array.fromAsync(jsonItems('x.json', pieces()));
}

describe('JSON that is read piece by piece', () => {
  const cases: [text: string, values: [key: string | null, value: unknown][]][] = [
    ['[]', []],
    [
      '[1, "a", null, {"b": [1, {"c": "]}"}]}, [2], true]',
      [
        [null, 1],
        [null, 'a'],
        [null, null],
        [null, { b: [1, { c: ']}' }] }],
        [null, [2]],
        [null, true],
      ],
    ],
    [
      '{"a": {"b": 1}, "list": [{"x": "\\"}"}, 2], "n": -1.5e3 }',
      [
        ['a', { b: 1 }],
        ['list', { x: '"}' }],
        ['list', 2],
        ['n', -1500],
      ],
    ],
    ['\ufeff [ "ü€😀" ]', [[null, 'ü€😀']]],
  ];
  for (const [text, values] of cases) {
    it(`gives the same values however it is cut: ${text}`, async () => {
      for (const size of [1, 2, 3, 7, 1000]) {
        expect((await itemsIn(text, size)).map(({ key, value }) => [key, value])).to.deep.equal(values);
      }
    });
  }

  it('passes over a value that is none, and tells where the rest cannot be read', async () => {
    expect((await itemsIn('[1, {"a": tru}, 3]', 4)).map(({ value }) => value)).to.deep.equal([1, undefined, 3]);
    for (const broken of ['[1, {"a"', '[1}', '{"a" "b"', 'nothing', '[1] [2]', '', `[${'['.repeat(500)}`, '{1: 2}']) {
      const error = await itemsIn(broken, 5).then(
        () => null,
        (error: Error) => error,
      );
      expect(error?.message, broken).to.match(/^x\.json: after \d values /);
    }
  });
});

describe('an archive of an export', () => {
  const refusal = (file: string, maxBytes: number | null = null) =>
    openArchive(file, maxBytes).then(
      (archive) => archive.close(),
      (error: Error) => error.message,
    );

  it('is refused for what would fill a disk, is hidden, or leads elsewhere', async () => {
    expect(await refusal(path.join(folder, 'none.zip'))).to.match(/^There is no file or folder/);
    expect(await refusal(zipped([{ name: 'a', content: 'x'.repeat(100) }]), 99)).to.match(/--max-bytes/);
    expect(await refusal(zipped([{ name: '../a', content: 'x' }]))).to.match(/cannot be read/);
    expect(await refusal(zipped([{ name: '/a', content: 'x' }]))).to.match(/cannot be read/);
    expect(await refusal(zipped([{ name: 'a' }, { name: 'a' }]))).to.match(/there twice/);
    expect(await refusal(zipped([{ name: 'a', claims: { flags: 0x0801 } }]))).to.match(/encrypted/);
    expect(await refusal(zipped([{ name: `${'a/'.repeat(30)}b` }]))).to.match(/too deep/);
    expect(await refusal(zipped([{ name: 'x'.repeat(2000) }]))).to.match(/too long/);
  });

  it('gives no more bytes than it announced, and none that are damaged', async () => {
    for (const claims of [{ size: 1 }, { crc: 1 }]) {
      const archive = await openArchive(zipped([{ name: 'a', content: 'x'.repeat(5000), claims }]), null);
      const error = await Array.fromAsync(archive.read('a')).then(
        () => null,
        (error: Error) => error.message,
      );
      expect(error).to.match(/^a: it /);
      archive.close();
    }
  });

  it('of a folder has its own files alone, and the same fingerprint wherever it lies', async () => {
    const [one, other] = [path.join(folder, 'one'), path.join(folder, 'other')];
    for (const place of [one, other]) inFolder(place, discordExport());
    symlinkSync('/etc/passwd', path.join(one, 'passwd.json'));
    symlinkSync('/etc', path.join(one, 'etc'));
    const [here, there] = [await openArchive(one, null), await openArchive(other, null)];
    expect(here.names).to.deep.equal(there.names);
    expect(here.fingerprint).to.equal(there.fingerprint);
    inFolder(other, [{ name: 'more.json', content: '{}' }]);
    expect((await openArchive(other, null)).fingerprint).not.to.equal(here.fingerprint);
  });
});

describe('an export of Slack', () => {
  it('is read with its people, channels, threads, reactions and files, and its marks as Markdown', async () => {
    const records = await read(slackExport(), readSlack);
    const messages = messagesIn(records);
    expect(messages.map(({ author, text, root }) => [author, shown(text), root])).to.deep.equal([
      ['U1', 'Hi {person U2}, see {channel C2} and [the *plan*](https://example.com/a?b=1&c=2) <now> @here 🎉', null],
      ['U2', 'It is **bold**, _soft_ and ~~gone~~; `*code*` & {person UNKNOWN}', null],
      ['U3', 'an answer', 'C1/1600000001.000100'],
      ['U4', 'an answer to nothing', 'C1/1500000000.000100'],
      ['bot:B1', '> **[Build 7](https://ci.example/7)**\n> It **passed**', null],
      ['U9', 'from elsewhere', null],
      ['U1', 'whole', null],
      ['U2', 'quiet here', null],
      ['U2', 'hush', null],
    ]);
    const [first, second] = messages;
    expect(first?.reactions).to.deep.equal([
      { emoji: '👍🏼', people: ['U2', 'U3'], nameless: 1 },
      { emoji: ':partyparrot:', people: ['U1'], nameless: 0 },
    ]);
    expect(second).to.include({ at: 1_600_000_003_000, editedAt: 1_600_000_009_000, isPinned: true });
    expect(second?.files.map(({ name, path }) => [name, path])).to.deep.equal([
      ['plan.txt', '__uploads/F1/plan.txt'],
      ['lost.pdf', null],
    ]);
    const channels = records.filter(({ kind }) => kind === 'channel');
    expect(channels.map((channel) => 'access' in channel && channel.access)).to.deep.equal([
      'open',
      'open',
      'private',
      'direct',
    ]);
    const people = records.filter((record) => record.kind === 'person');
    expect(people.find(({ key }) => key === 'U3')).to.include({ isGone: true, displayName: 'Gone G' });
    expect(people.find(({ key }) => key === 'bot:B1')).to.include({ isBot: true, username: 'Deploys' });
  });

  it('tells what of it is malformed, and reads on', async () => {
    const problems = problemsIn(await read(slackExport(), readSlack));
    expect(
      problems.filter((what) => what !== 'it is no message of anyone, such as that someone joined'),
    ).to.have.members([
      'someone has no id',
      'someone has no id',
      'a conversation has no id',
      'a message has no time',
      'a message has no author',
      'a file cannot be read to its end',
    ]);
  });

  it('is found in a folder around it', async () => {
    const inside = slackExport().map((entry) => ({ ...entry, name: `export of us/${entry.name}` }));
    expect(messagesIn(await read(inside, readSlack))).to.have.lengthOf(9);
  });
});

describe('an export of Mattermost', () => {
  it('is read line by line, with replies in their posts', async () => {
    const records = await read(mattermostExport(), readMattermost);
    expect(
      messagesIn(records).map(({ author, text, root, channel }) => [channel, author, shown(text), root]),
    ).to.deep.equal([
      [
        'acme/town-square',
        'ann',
        'second {person ben}, {person nobody} and @all in {channel acme/hq} :blob_wave: `@ben`',
        null,
      ],
      ['acme/town-square', 'ben', 'a reply', '8'],
      ['acme/town-square', 'ben', 'first', null],
      ['acme/town-square', 'ghost', 'of nobody known', null],
      ['acme/hq', 'ann', 'behind doors', null],
      ['acme/gone', 'ann', 'nowhere', null],
    ]);
    expect(messagesIn(records)[0]?.files.map(({ path }) => path)).to.deep.equal([
      'data/2020/files/pixel.png',
      null,
      null,
    ]);
    expect(problemsIn(records)).to.have.members([
      'a value is no JSON',
      'a message has no author or no time',
      'it is no message of anyone, such as that someone joined',
      'a direct message was left out',
    ]);
  });
});

describe('an export of Discord', () => {
  it('is read channel by channel, then thread by thread', async () => {
    const records = await read(discordExport(), readDiscord);
    expect(
      messagesIn(records).map(({ key, channel, text, root, replyTo }) => [
        key.slice(-2),
        channel.slice(0, 1),
        shown(text),
        root?.slice(-2) ?? null,
        replyTo?.slice(-2) ?? null,
      ]),
    ).to.deep.equal([
      [
        '01',
        '2',
        'hello {person 100000000000000002}, ||secret|| :blob: 2023-01-01 00:00 UTC {person 100000000000000002}',
        null,
        null,
      ],
      ['02', '2', 'yes', null, '01'],
      ['11', '2', 'inside', '01', null],
      ['01', '2', '**A side talk**', null, null],
    ]);
    const [first] = messagesIn(records);
    expect(first?.files).to.deep.equal([
      { name: 'SPOILER_pic ture.png', path: 'lobby.json_Files/pic ture-1.png', url: '', isSpoiler: true },
      {
        name: 'lost.png',
        path: null,
        url: 'https://cdn.discordapp.com/attachments/1/2/lost.png?ex=1&hm=secret',
        isSpoiler: false,
      },
    ]);
    expect(first?.reactions).to.deep.equal([
      { emoji: '👍', people: ['100000000000000001'], nameless: 1 },
      { emoji: ':blob:', people: ['100000000000000001'], nameless: 0 },
    ]);
    expect(records.filter(({ kind }) => kind === 'emoji')).to.deep.equal([
      { kind: 'emoji', name: 'blob', file: 'lobby.json_Files/blob.png' },
    ]);
    expect(records.filter(({ kind }) => kind === 'thread')).to.deep.equal([
      { kind: 'thread', channel: '200000000000000001', root: '300000000000000001', name: 'A side talk' },
    ]);
    expect(problemsIn(records)).to.include.members([
      'a file is no export of a channel',
      'a message has no id, no author or no time',
    ]);
  });

  it('keeps what is code, and knows everything that Discord names', () => {
    const text = discordText(
      '`<@123456>` <#223456> <@&323456> </roll:423456> <a:Run:523456> ```\n:smile:\n``` :smile:',
      [],
    );
    expect(shown(text)).to.equal('`<@123456>` {channel 223456} @role /roll :run: ```\n:smile:\n``` 😄');
  });
});

describe('an export of Rocket.Chat', () => {
  it('is read from its collections', async () => {
    const records = await read(rocketChatExport(), readRocketChat);
    expect(
      messagesIn(records).map(({ key, author, text, root, replyTo }) => [key, author, shown(text), root, replyTo]),
    ).to.deep.equal([
      ['m2', 'ann', '**yes** {person ann} in {channel r1} 😄', null, 'm1'],
      ['m1', 'ann', 'first', null, null],
      ['m3', 'ann', 'my note', 'm1', null],
      ['m5', 'ann', 'hidden words', null, null],
      ['m6', 'ann', 'direct words', null, null],
      ['m7', 'left', 'bye', null, null],
    ]);
    const [second, first, third] = messagesIn(records);
    expect([second?.at, first?.at, first?.editedAt]).to.deep.equal([
      1_600_000_002_000, 1_600_000_000_000, 1_600_000_000_500,
    ]);
    expect(third?.files).to.deep.equal([
      { name: 'note.txt', path: 'rocketchat/uploads/f1.txt', url: '', isSpoiler: false },
    ]);
    expect(second?.reactions).to.deep.equal([{ emoji: '👍', people: ['ann', 'ben'], nameless: 0 }]);
    expect(
      records.filter(({ kind }) => kind === 'person').map((person) => 'key' in person && person.key),
    ).to.deep.equal(['ann', 'ben', 'rocket.cat', 'left']);
  });
});

describe('what an import makes of a text', () => {
  it('names people as they are named here, and cuts at a space where it is too long', () => {
    const ann = { id: idIn('i', 'person', 'A', 0), username: 'ann2', displayName: 'Ann' };
    const words = 'word '.repeat(maxContent / 5 - 1);
    const text = `${personMark('A', 'x')} ${words}${personMark('A', 'x')} ${personMark('B', 'nobody')}`;
    const parts = contentsOf(text, { people: new Map([['A', ann]]), channels: new Map() });
    expect(parts.map(({ content }) => content).join('')).to.equal(`@ann2 ${words}@ann2 @nobody`);
    expect(parts.every(({ content }) => content.length <= maxContent)).to.equal(true);
    expect(
      parts.flatMap(({ content, mentions }) =>
        mentions.map(({ range, token }) => [content.slice(range.start, range.end), token]),
      ),
    ).to.deep.equal([
      ['@ann2', '@ann2'],
      ['@ann2', '@ann2'],
    ]);
  });

  it('has the emoji of other chats, and leaves times and code alone', () => {
    expect(withEmoji('at 10:30:00 `:smile:` :smile: :+1::skin-tone-2: :Own-One: https://x.example/:smile:')).to.equal(
      'at 10:30:00 `:smile:` 😄 👍🏻 :own-one: https://x.example/:smile:',
    );
    expect(
      ['grinning', 'hugging_face', 'rolling_on_the_floor_laughing', 'red_heart', 'no such'].map(emojiNamed),
    ).to.deep.equal(['😀', '🤗', '🤣', '❤️', undefined]);
  });

  it('has ids that are the same each time, in the order of time, and of no two things', () => {
    const id = idIn('i', 'message', 'k', 1_600_000_000_000);
    expect(idSchema.parse(id)).to.equal(id);
    expect(idIn('i', 'message', 'k', 1_600_000_000_000)).to.equal(id);
    expect(idIn('j', 'message', 'k', 1_600_000_000_000)).not.to.equal(id);
    expect(idIn('i', 'message', 'k', 1_600_000_000_001) > id).to.equal(true);
  });
});
