// nodes: own

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import yauzl from 'yauzl';
import { exportServer } from '../../src/cli/transfer/export.ts';
import { importServer } from '../../src/cli/transfer/import.ts';
import { maxMentions } from '../../src/contract/mention.ts';
import { Database, type Rows } from '../../src/database/database.ts';
import { DatabaseBlobStore, inTransaction } from '../../src/features/blobs/blob.store.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { type Entry, zip } from '../apps/zip.ts';
import { atEnd } from '../rig/ending.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { type Cluster, startCluster, testSettings } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';
import { furnish } from './furnished.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'parley-transfer-'));
atEnd(() => rmSync(folder, { recursive: true, force: true }));
const plenty = 1024 ** 3;
/** Files that earlier versions did not write. */
const added = [
  ...['direct-channels.jsonl', 'dm-channels.jsonl', 'group-channels.jsonl', 'group-members.jsonl', 'blocks.jsonl'],
  ...['channel-levels.jsonl', 'server-levels.jsonl', 'webhooks.jsonl', 'hooks.jsonl'],
  ...['notifications.jsonl', 'notification-sources.jsonl', 'channel-categories.jsonl', 'channel-favorites.jsonl'],
  'workspace-versions.jsonl',
];

type Lines = Record<string, unknown>[];
type Change = (files: Map<string, Entry>) => void;

/** Changes the records of one of the files. */
const records =
  (name: string, change: (lines: Lines) => unknown): Change =>
  (files) => {
    const lines: Lines = String(files.get(name)?.content ?? '')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    change(lines);
    files.set(name, { name, content: lines.map((line) => `${JSON.stringify(line)}\n`).join('') });
  };
const manifest =
  (change: (said: Record<string, unknown>) => unknown): Change =>
  (files) => {
    const said = JSON.parse(String(files.get('manifest.json')?.content));
    change(said);
    files.set('manifest.json', { name: 'manifest.json', content: JSON.stringify(said) });
  };
const put =
  (entry: Entry & { name: string }): Change =>
  (files) =>
    void files.set(`${entry.name} again`, entry);
const text =
  (name: string, change: (content: string) => string): Change =>
  (files) =>
    void files.set(name, { name, content: change(String(files.get(name)?.content)) });

const blobsOver = (rows: Rows) => new DatabaseBlobStore(inTransaction(rows));

describe('an import is refused in one sentence and changes nothing, with', () => {
  let old: Cluster;
  let fresh: Cluster;
  let here: World;
  let there: World;
  let dm: string;
  let into: Database;
  const whole = path.join(folder, 'whole.zip');
  const plain = path.join(folder, 'plain.zip');
  const settings = testSettings('', null);

  before(async () => {
    const allowing = { appProxyAllow: ['127.0.0.1:9'] };
    [old, fresh] = await Promise.all([startCluster({ nodes: 1, settings: allowing }), startCluster({ nodes: 1 })]);
    [here, there] = await Promise.all([world(old), world(fresh)]);
    await furnish(here);
    await talkAside(here);
    const from = await Database.connect(old.databaseUrl, settings, createLog('silent'));
    await exportServer(from, here.server.slug, whole, { emails: true, directMessages: true, blobsOver });
    await exportServer(from, here.server.slug, plain, { emails: true, directMessages: false, blobsOver });
    await from.close();
    // What a node does in the background would change rows and tables too, such as the partitions of the log.
    await Promise.all(fresh.nodes.map((node) => node.stop()));
    into = await Database.connect(fresh.databaseUrl, settings, createLog('silent'));
  });
  after(async () => {
    await into.close();
    await Promise.all([old.stop(), fresh.stop()]);
  });

  /** What is said to some alone, and to and by other programs. */
  async function talkAside({ alice, bob, server, channel }: World): Promise<void> {
    dm = (await alice.post('/api/dm/channels', { userId: bob.id })).body.id;
    await alice.say(dm, 'between us');
    await alice.post(`/api/channels/${channel.id}/hooks`, { name: 'Builds' });
    const { agentId } = await botIn(server, alice);
    const { status } = await alice.put(`/api/agents/${agentId}/webhook`, { url: 'http://127.0.0.1:9/' });
    expect(status).to.equal(200);
    const told = () => bob.get('/api/notifications').then(({ body }) => body);
    await until(async () => (await told()).some(({ kind }: Loose) => kind === 'message.mention'));
  }

  /** The export with something changed in it. */
  const changed = (...changes: Change[]): Promise<string> => changedIn(whole, ...changes);

  async function changedIn(original: string, ...changes: Change[]): Promise<string> {
    const files = await entriesOf(original);
    for (const change of changes) change(files);
    const file = path.join(folder, 'changed.zip');
    writeFileSync(file, zip([...files.values()]));
    return file;
  }

  /** Imports what cannot be imported. @returns the sentence */
  async function refusal(file: string, maxBytes = plenty): Promise<string> {
    const before = await rowsIn(fresh.databaseUrl);
    const error: unknown = await importServer(into, settings, file, maxBytes, blobsOver).then(
      () => 'it was imported',
      (reason) => reason,
    );
    expect(await rowsIn(fresh.databaseUrl)).to.deep.equal(before);
    if (!(error instanceof Error)) throw new Error(String(error));
    expect(error.name, error.stack).to.equal('TransferError');
    expect(error.message).to.match(/^[^\n]+\.$/);
    return error.message;
  }

  it('what is no export, or one of another version', async () => {
    const noise = path.join(folder, 'noise.zip');
    writeFileSync(noise, Buffer.alloc(5000, 'PK'));
    expect(await refusal(noise)).to.contain('cannot be read');
    expect(await refusal(await changed((files) => files.delete('manifest.json')))).to.contain('no manifest.json');
    expect(await refusal(await changed(manifest((said) => Object.assign(said, { version: 2 }))))).to.contain(
      'version 2',
    );
    expect(await refusal(await changed(manifest((said) => Object.assign(said, { format: 'zip' }))))).to.contain(
      'no export',
    );
  });

  it('entries that do not belong there', async () => {
    for (const name of ['../../etc/passwd', '/users.jsonl', 'blobs/x', 'extra.txt', 'C:\\x']) {
      expect(await refusal(await changed(put({ name, content: 'x' }))), name).to.be.a('string');
    }
    expect(await refusal(await changed(put({ name: 'users.jsonl', content: '{}' })))).to.contain('twice');
    expect(await refusal(await changed(put({ name: `blobs/${'0'.repeat(64)}`, content: 'x' })))).to.contain(
      'other bytes',
    );
    const encrypted: Change = (files) => {
      files.set('users.jsonl', { name: 'users.jsonl', content: '{}', claims: { flags: 1 } });
    };
    expect(await refusal(await changed(encrypted))).to.contain('encrypted');
  });

  it('more in it than is allowed to come out, or than it says', async () => {
    const bomb = await changed(text('messages.jsonl', (content) => content + ' '.repeat(30_000_000)));
    expect(statSync(bomb).size).to.be.lessThan(200_000);
    expect(await refusal(bomb, 20_000_000)).to.contain('--max-bytes');
    expect(await refusal(bomb)).to.match(/^messages\.jsonl, line \d+: it has more than 4194304 bytes\.$/);
    const small: Change = (files) => {
      const file = files.get('messages.jsonl');
      files.set('messages.jsonl', { name: 'messages.jsonl', content: file?.content, claims: { size: 10 } });
    };
    expect(await refusal(await changed(small))).to.match(/^messages\.jsonl: /);
    const damaged: Change = (files) => {
      const file = files.get('users.jsonl');
      files.set('users.jsonl', { name: 'users.jsonl', content: file?.content, claims: { crc: 1 } });
    };
    expect(await refusal(await changed(damaged))).to.contain('users.jsonl: it is damaged');
  });

  it('lines that are no records, naming file and line', async () => {
    const broken = text('messages.jsonl', (content) => content.split('\n').toSpliced(6, 0, '{"id": ').join('\n'));
    expect(await refusal(await changed(broken))).to.match(/^messages\.jsonl, line 7: this is no JSON/);
    const list = text('users.jsonl', (content) => `[]\n${content}`);
    expect(await refusal(await changed(list))).to.match(/^users\.jsonl, line 1: /);
    const wrong = records('channels.jsonl', ([, second]) => Object.assign(second ?? {}, { type: 'hologram' }));
    expect(await refusal(await changed(wrong))).to.match(/^channels\.jsonl, line 2: type/);
    const nul = records('messages.jsonl', ([first]) => Object.assign(first ?? {}, { content: 'a\0b' }));
    expect(await refusal(await changed(nul))).to.match(/^messages\.jsonl, line 1: content.*U\+0000/);
    const large = records('messages.jsonl', ([first]) =>
      Object.assign(first ?? {}, { metadata: { a: 'x'.repeat(33_000) } }),
    );
    expect(await refusal(await changed(large))).to.contain(
      'messages.jsonl, line 1: metadata: must have at most 32 KiB',
    );
    for (const [file, field, most] of [
      ['servers.jsonl', 'description', 1024],
      ['servers.jsonl', 'homepageHtml', 256 * 1024],
      ['channels.jsonl', 'description', 1024],
      ['apps.jsonl', 'description', 1024],
    ] as const) {
      const longer = records(file, ([first]) => Object.assign(first ?? {}, { [field]: 'x'.repeat(most + 1) }));
      expect(await refusal(await changed(longer))).to.contain(
        `${file}, line 1: ${field}: must have at most ${most} characters`,
      );
    }
    const less = records('reactions.jsonl', (lines) => lines.pop());
    expect(await refusal(await changed(less)))
      .to.contain('reactions.jsonl')
      .and.contain('manifest');
  });

  it('records of things that it does not bring itself', async () => {
    const foreign: [string, string, string][] = [
      ['messages.jsonl', 'channelId', there.channel.id],
      ['messages.jsonl', 'authorId', there.alice.id],
      ['server-members.jsonl', 'userId', there.bob.id],
      ['channels.jsonl', 'serverId', there.server.id],
      ['agents.jsonl', 'ownerId', there.alice.id],
    ];
    for (const [file, field, id] of foreign) {
      // PostgreSQL takes capital letters for the same id.
      for (const written of [id, id.toUpperCase()]) {
        const change = records(file, ([first]) => Object.assign(first ?? {}, { [field]: written }));
        expect(await refusal(await changed(change)), file).to.contain(`${file}, line 1: ${field}: `);
      }
    }
    const bytes = records('attachments.jsonl', ([first]) => Object.assign(first ?? {}, { sha256: 'f'.repeat(64) }));
    expect(await refusal(await changed(bytes))).to.contain('attachments.jsonl, line 1');
    const circle = records('workspace-nodes.jsonl', (lines) => {
      const folders = lines.filter(({ kind }) => kind === 'dir');
      for (const [at, node] of folders.entries()) node.parentId = folders[1 - at]?.id;
    });
    expect(await refusal(await changed(circle))).to.contain('parentId');
  });

  /** One record of a file, changed; it has what is there with the rest. */
  const one = (file: string, is: (record: Loose) => boolean, change: (record: Loose, others: Loose[]) => unknown) =>
    records(file, (lines) => {
      const record = lines.find(is);
      if (!record) throw new Error(`nothing fits in ${file}`);
      change(record, lines);
    });
  const any = () => true;

  it('numbers that cannot be counted on from, and times that no clock has reached', async () => {
    const nearlyInexact = 2 ** 53 - 1;
    const nearlyTooLong = 2 ** 31 - 1;
    const numbers: [file: string, field: string, value: number][] = [
      ['messages.jsonl', 'seq', nearlyInexact],
      ['messages.jsonl', 'seq', 0],
      ['channels.jsonl', 'lastSeq', nearlyInexact],
      ['channels.jsonl', 'position', nearlyTooLong],
      ['channels.jsonl', 'position', -1],
      ['channel-reads.jsonl', 'lastReadSeq', -1],
      ['agents.jsonl', 'onlineSeconds', 1e300],
      ['reactions.jsonl', 'place', nearlyTooLong],
      ['attachments.jsonl', 'size', -1],
      ['attachments.jsonl', 'width', -1],
      ['workspace-nodes.jsonl', 'version', nearlyTooLong],
      ['apps.jsonl', 'version', nearlyTooLong],
      ['apps.jsonl', 'viewCount', nearlyInexact],
    ];
    for (const [file, field, value] of numbers) {
      const sentence = await refusal(
        await changed(one(file, any, (record) => Object.assign(record, { [field]: value }))),
      );
      expect(sentence).to.match(new RegExp(`^${file}, line 1: ${field}: must be at (most|least) \\d+\\.$`));
    }
    const times = ['0000-01-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'];
    for (const createdAt of times) {
      const change = one('messages.jsonl', any, (record) => Object.assign(record, { createdAt }));
      expect(await refusal(await changed(change))).to.contain('line 1: createdAt: must be between 1970 and now');
    }
  });

  it('messages that refer to what another channel holds, or to what cannot be', async () => {
    const ids = [here.alice.id, here.bob.id].map((targetId) => ({ kind: 'user', targetId, token: '@x', label: 'x' }));
    const isSecret = ({ content }: Loose) => content === 'secret 7';
    const isOpen = ({ content }: Loose) => content === 'beep';
    const changes: [sentence: string, ...Change[]][] = [
      [
        'messages.jsonl: a message replies to one of another channel',
        one('messages.jsonl', isSecret, (secret, all) => {
          // What is replied to has to come first.
          const open = all.splice(all.findIndex(isOpen), 1)[0] ?? {};
          all.splice(all.indexOf(secret) + 1, 0, { ...open, replyToId: secret.id });
        }),
      ],
      [
        'messages.jsonl: a message is in a thread of another channel',
        one('messages.jsonl', isSecret, (secret, all) => {
          secret.threadId = all.find(({ threadId }) => threadId)?.threadId;
        }),
      ],
      [
        'threads.jsonl: a thread starts from a message that is not in its channel, or is itself in a thread',
        one('messages.jsonl', any, (_, all) => {
          const { threadId } = all.find((message) => message.threadId) ?? {};
          for (const message of all) if (message.content === 'two\nlines\tand a tab') message.threadId = threadId;
        }),
      ],
      [
        'threads.jsonl, line 1: parentMessageId: ',
        one('threads.jsonl', any, (thread) => (thread.parentMessageId = null)),
      ],
      [
        'mentions: must have their ranges within the content',
        one('messages.jsonl', isOpen, (message) => {
          message.mentions = ids.map((name) => ({ ...name, range: { start: 3, end: 5 } }));
        }),
      ],
      [
        `mentions: must have at most ${maxMentions} items`,
        one('messages.jsonl', isOpen, (message) => {
          message.mentions = Array.from({ length: maxMentions + 1 }, () => ({
            ...ids[0],
            range: { start: 0, end: 4 },
          }));
        }),
      ],
      [
        'deletedAt: must be null for a message that still says something',
        one('messages.jsonl', isOpen, (message) => (message.deletedAt = message.createdAt)),
      ],
      [
        'messages.jsonl: a deleted message has reactions or attachments',
        one(
          'messages.jsonl',
          ({ content, deletedAt }) => content === '' && !deletedAt,
          (message) => {
            message.deletedAt = message.createdAt;
          },
        ),
      ],
      [
        'messages.jsonl: a channel has more than 50 pinned messages',
        records('messages.jsonl', (all) => {
          for (const one of all) if (String(one.content).startsWith('secret')) one.pinnedAt = one.createdAt;
        }),
      ],
    ];
    for (const [sentence, ...all] of changes) expect(await refusal(await changed(...all))).to.contain(sentence);
  });

  it('more of something than anybody may have, or the same twice', async () => {
    const copies = (file: string, count: number, field: string, value: (at: number) => unknown): Change[] => [
      records(file, (lines) => {
        for (let at = 0; at < count; at++) lines.push({ ...lines[0], [field]: value(at) });
      }),
      manifest(({ counts }) => {
        const counted: Loose = counts;
        counted[file] += count;
      }),
    ];
    const emoji = (at: number) => String.fromCodePoint(0x4e00 + at);
    const reactions = 'reactions.jsonl';
    const byAnyone = records(reactions, (all) => {
      const people = [...new Set(all.map(({ userId }) => userId))];
      for (const [at, reaction] of all.entries()) if (at > 3) reaction.userId = people[at % people.length];
    });
    const changes: [sentence: string, ...Change[]][] = [
      ['someone has more than 20 reactions on one message', ...copies(reactions, 25, 'emoji', emoji)],
      ['a message has more than 200 different reactions', ...copies(reactions, 300, 'emoji', emoji), byAnyone],
      ['a message has more than 10 attachments', ...copies('attachments.jsonl', 10, 'id', () => randomUUID())],
      ['an id is there twice', ...copies('messages.jsonl', 1, 'seq', () => 1_000_000)],
      ['has it twice', ...copies('messages.jsonl', 1, 'id', () => randomUUID())],
      ['of another version than its app', ...copies('app-files.jsonl', 1, 'version', () => 2)],
      [
        'email: must be null for bots and for deleted users',
        one(
          'users.jsonl',
          ({ email }) => email !== null,
          (user) => (user.deletedAt = user.createdAt),
        ),
      ],
      [
        'agents.jsonl, line 1: slashCommands: must have at most 50 items',
        one('agents.jsonl', any, (agent) => {
          agent.slashCommands = Array.from({ length: 51 }, (_, at) => ({
            name: `c${at}`,
            description: '',
            aliases: [],
          }));
        }),
      ],
    ];
    for (const [sentence, ...all] of changes) expect(await refusal(await changed(...all))).to.contain(sentence);
  });

  it('bots that are people, or belong to bots', async () => {
    const people: Change = (files) => {
      const hooks = String(files.get('hooks.jsonl')?.content);
      // Hooks that write as people are refused too.
      const change = (users: Lines) => {
        for (const user of users) if (!hooks.includes(String(user.id))) user.isBot = false;
      };
      records('users.jsonl', change)(files);
    };
    expect(await refusal(await changed(people))).to.contain('agents.jsonl');
    const ofBots = records('agents.jsonl', (agents) =>
      agents.map((agent) => Object.assign(agent, { ownerId: agent.userId })),
    );
    expect(await refusal(await changed(ofBots))).to.contain('agents.jsonl');
  });

  it('an owner beside the owner', async () => {
    const owners = records('server-members.jsonl', (all) => all.map((one) => Object.assign(one, { role: 'owner' })));
    expect(await refusal(await changed(owners))).to.contain('server-members.jsonl');
  });

  it('versions of files that are none of theirs', async () => {
    const first = (change: object) =>
      records('workspace-versions.jsonl', ([version]) => Object.assign(version ?? {}, change));
    for (const change of [{ sizeBytes: 1000 }, { version: 1000 }]) {
      expect(await refusal(await changed(first(change)))).to.contain('workspace-versions.jsonl: a version');
    }
    expect(await refusal(await changed(first({ nodeId: randomUUID() })))).to.contain('nodeId');
  });

  it('files that are not what their bytes are', async () => {
    const ofNodes = (change: (files: Lines, folders: Lines) => unknown) =>
      records('workspace-nodes.jsonl', (nodes) =>
        change(
          nodes.filter(({ kind }) => kind === 'file'),
          nodes.filter(({ kind }) => kind === 'dir'),
        ),
      );
    const each = (field: string, value: unknown) => (lines: Lines) =>
      lines.map((line) => Object.assign(line, { [field]: value }));
    const changes: [string, Change][] = [
      ['a file has no bytes', ofNodes(each('sizeBytes', 3))],
      ['a file has no bytes', ofNodes(each('sha256', null))],
      ['a file has no bytes', ofNodes((_, folders) => each('sizeBytes', 3)(folders))],
      ['a file has no bytes', ofNodes(([file], folders) => each('sha256', file?.sha256)(folders))],
      ['lies in a file', ofNodes(([first, ...others]) => each('parentId', first?.id)(others))],
      ['mime: must be a media type', ofNodes(each('mime', 'image/png;\r\nX-More: than a type'))],
      ['attachments.jsonl: a file has another size', records('attachments.jsonl', each('size', 3))],
      ['contentType: must be a media type', records('attachments.jsonl', each('contentType', 'text/html\r\nX: y'))],
      ['app-files.jsonl: a file has another size', records('app-files.jsonl', each('sizeBytes', 3))],
    ];
    for (const [sentence, change] of changes) expect(await refusal(await changed(change))).to.contain(sentence);
  });

  it('conversations in which others are than the file says', async () => {
    const inDm: (record: Loose) => boolean = ({ channelId }) => channelId === dm;
    const changes: [sentence: string, Change][] = [
      ['dm-channels.jsonl: others are', one('dm-channels.jsonl', any, (all) => (all.highId = all.lowId))],
      ['dm-channels.jsonl: others are', one('channel-members.jsonl', inDm, (row) => (row.userId = here.carol.id))],
      ['dm-channels.jsonl: others are', one('channel-members.jsonl', inDm, (row) => (row.excluded = true))],
      ['direct-channels.jsonl: a conversation', one('direct-channels.jsonl', any, (row) => (row.kind = 'group'))],
      ['direct-channels.jsonl, line 1: kind', one('direct-channels.jsonl', any, (row) => (row.kind = 'server'))],
      [
        'dm-channels.jsonl, line 1: channelId: the file brings no direct channels',
        one('dm-channels.jsonl', any, (row) => (row.channelId = here.channel.id)),
      ],
    ];
    for (const [sentence, change] of changes) expect(await refusal(await changed(change))).to.contain(sentence);
  });

  it('webhooks that write as people, or where no server is, and notifications of what is elsewhere', async () => {
    const elsewhere = (row: Loose) => (row.channelId = dm);
    const changes: [sentence: string, Change][] = [
      ['hooks.jsonl: an incoming webhook writes as', one('hooks.jsonl', any, (row) => (row.userId = here.bob.id))],
      ['hooks.jsonl, line 1: channelId: the file brings no server channels', one('hooks.jsonl', any, elsewhere)],
      ['webhooks.jsonl, line 1: url', one('webhooks.jsonl', any, (row) => (row.url = 'file:///etc/passwd'))],
      ['notifications.jsonl: a notification is of a bot, or', one('notifications.jsonl', any, elsewhere)],
      ['notifications.jsonl: a notification shows', one('notifications.jsonl', any, (row) => (row.referenceId = dm))],
      ['notifications.jsonl: a notification is merged', one('notifications.jsonl', any, (row) => (row.scope = dm))],
      [
        'notification-sources.jsonl: a notification counts',
        one('notification-sources.jsonl', any, (row) => (row.userId = here.carol.id)),
      ],
    ];
    for (const [sentence, change] of changes) expect(await refusal(await changed(change))).to.contain(sentence);
  });

  it('a server or people who are there already', async () => {
    const named = records('users.jsonl', ([first]) => Object.assign(first ?? {}, { username: there.alice.username }));
    expect(await refusal(await changed(named))).to.contain(`username_key "${there.alice.username}"`);
    const mail = { email: `${there.alice.username}@example.com` };
    expect(
      await refusal(await changed(records('users.jsonl', ([first]) => Object.assign(first ?? {}, mail)))),
    ).to.contain(mail.email);
    const farAhead = records('channel-reads.jsonl', (all) => {
      for (const pointer of all) pointer.lastReadSeq = 1_000_000;
    });
    // Of an earlier version, which had none of these.
    const earlier: Change = (files) => {
      for (const name of added) files.delete(name);
    };
    const inNone = records('channels.jsonl', (all) => {
      for (const channel of all) delete channel.categoryId;
    });
    const counts = manifest((said) => {
      const counted: Loose = said.counts;
      for (const name of added) delete counted[name];
    });
    await importServer(into, settings, await changedIn(plain, farAhead, earlier, inNone, counts), plenty, blobsOver);
    // What is written next would have been read already.
    const ahead = await withRows(fresh.databaseUrl, (rows) =>
      rows('SELECT FROM channel_reads r JOIN streams s ON s.id = r.channel_id WHERE r.last_read_seq > s.last_seq'),
    );
    expect(ahead).to.have.lengthOf(0);
    expect(await refusal(whole)).to.contain('already has the id');
  });
});

/** The entries of a ZIP file with their contents, by their names. */
async function entriesOf(file: string): Promise<Map<string, Entry>> {
  const opened = await yauzl.openPromise(file, { lazyEntries: true, autoClose: false });
  const entries = new Map<string, Entry>();
  for await (const entry of opened.eachEntry()) {
    const content = await buffer(await opened.openReadStreamPromise(entry));
    entries.set(entry.fileName, { name: entry.fileName, content });
  }
  opened.close();
  return entries;
}

/** How many rows each table has, but for those of the search, which are written in the background. */
function rowsIn(databaseUrl: string): Promise<Record<string, number>> {
  return withRows(databaseUrl, async (rows) => {
    const tables = await rows<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname !~ '^search_' ORDER BY 1",
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const [row] = await rows<{ count: string }>(`SELECT count(*) FROM ${name}`);
      counts[name] = Number(row?.count);
    }
    return counts;
  });
}
