import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Entry } from '../apps/zip.ts';

/** Exports as the products write them, made up for these tests: people, channels, threads, files, and what is malformed. */

const json = (value: unknown): string => JSON.stringify(value);
const jsonLines = (values: unknown[]): string => `${values.map(json).join('\n')}\n`;

/** A PNG of one pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Writes entries as files of a folder. */
export function inFolder(folder: string, entries: Entry[]): string {
  for (const { name, content = '' } of entries) {
    const file = path.join(folder, String(name));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return folder;
}

const slackUsers = (domain: string) => [
  {
    id: 'U1',
    name: 'alice',
    deleted: false,
    profile: { real_name: 'Alice A', display_name: 'Alice', email: `alice@${domain}` },
  },
  { id: 'U2', name: 'bob', deleted: false, is_bot: false, profile: { real_name: 'Bob B', email: `bob@${domain}` } },
  { id: 'U3', name: 'gone', deleted: true, profile: { real_name: 'Gone G', email: `gone@${domain}` } },
  { id: 'U4', name: 'nomail', deleted: false, profile: { real_name: 'No Mail' } },
  { id: 'U5', name: 'odd', profile: { real_name: 'Odd', email: 'no address' } },
  { name: 'without an id' },
  'no object',
];

const slackDay = [
  {
    type: 'message',
    subtype: 'channel_join',
    user: 'U1',
    text: '<@U1> has joined the channel',
    ts: '1600000000.000100',
  },
  {
    type: 'message',
    user: 'U1',
    text: 'Hi <@U2>, see <#C2|random> and <https://example.com/a?b=1&amp;c=2|the *plan*> &lt;now&gt; <!here> :tada:',
    ts: '1600000001.000100',
    thread_ts: '1600000001.000100',
    reply_count: 1,
    reactions: [
      { name: '+1::skin-tone-3', users: ['U2', 'U3'], count: 3 },
      { name: 'partyparrot', users: ['U1'], count: 1 },
    ],
  },
  {
    type: 'message',
    user: 'U2',
    text: 'It is *bold*, _soft_ and ~gone~; `*code*` &amp; <@UNKNOWN>',
    ts: '1600000003.000100',
    edited: { user: 'U2', ts: '1600000009.000000' },
    files: [
      {
        id: 'F1',
        name: 'plan.txt',
        mimetype: 'text/plain',
        url_private: 'https://files.slack.com/F1/plan.txt?t=xoxe-secret',
      },
      { id: 'F2', name: 'lost.pdf', url_private: 'https://files.slack.com/F2/lost.pdf?t=xoxe-secret' },
    ],
  },
  { type: 'message', user: 'U3', text: 'an answer', ts: '1600000002.000100', thread_ts: '1600000001.000100' },
  {
    type: 'message',
    user: 'U4',
    text: 'an answer to nothing',
    ts: '1600000004.000100',
    thread_ts: '1500000000.000100',
  },
  {
    type: 'message',
    subtype: 'bot_message',
    bot_id: 'B1',
    username: 'Deploys',
    text: '',
    ts: '1600000005.000100',
    attachments: [{ title: 'Build 7', title_link: 'https://ci.example/7', text: 'It *passed*' }],
  },
  { type: 'message', user: 'U1', text: 'no time' },
  { type: 'message', text: 'no author', ts: '1600000006.000100' },
  {
    type: 'message',
    user: 'U9',
    user_profile: { name: 'guest', real_name: 'A Guest' },
    text: 'from elsewhere',
    ts: '1600000007.000100',
  },
];

/** Slack: a workspace with open, private and direct conversations. @param domain of its people's addresses */
export function slackExport(domain = 'moved.example'): Entry[] {
  const created = 1_599_999_000;
  return [
    { name: 'users.json', content: json(slackUsers(domain)) },
    {
      name: 'channels.json',
      content: json([
        {
          id: 'C1',
          name: 'general',
          created,
          members: ['U1', 'U2'],
          topic: { value: 'All of *us*' },
          purpose: { value: '' },
          pins: [{ id: '1600000003.000100', type: 'C' }],
        },
        {
          id: 'C2',
          name: 'random',
          created,
          is_archived: true,
          members: ['U1'],
          topic: { value: '' },
          purpose: { value: 'Else' },
        },
        { name: 'without an id' },
      ]),
    },
    { name: 'groups.json', content: json([{ id: 'G1', name: 'secret', created, members: ['U2'] }]) },
    { name: 'dms.json', content: json([{ id: 'D1', created, members: ['U1', 'U2'] }]) },
    { name: 'mpims.json', content: '[]' },
    { name: 'general/2020-09-13.json', content: json(slackDay) },
    {
      name: 'general/2020-09-14.json',
      content: `[{"type":"message","user":"U1","text":"whole","ts":"1600050000.000100"},{"type":"mess`,
    },
    {
      name: 'random/2020-09-13.json',
      content: json([{ type: 'message', user: 'U2', text: 'quiet here', ts: '1600000010.000100' }]),
    },
    {
      name: 'secret/2020-09-13.json',
      content: json([{ type: 'message', user: 'U2', text: 'hush', ts: '1600000011.000100' }]),
    },
    {
      name: 'D1/2020-09-13.json',
      content: json([{ type: 'message', user: 'U2', text: 'for two', ts: '1600000012.000100' }]),
    },
    { name: '__uploads/F1/plan.txt', content: 'The plan.\n' },
  ];
}

/** Mattermost: a bulk export with the files in `data/`. Posts are in no order, as in its exports. */
export function mattermostExport(): Entry[] {
  const post = (said: object) => ({ type: 'post', post: { team: 'acme', channel: 'town-square', ...said } });
  const user = (username: string, more: object = {}) => ({
    type: 'user',
    user: {
      username,
      email: `${username}@moved.example`,
      teams: [{ name: 'acme', channels: [{ name: 'town-square' }, { name: 'hq' }] }],
      ...more,
    },
  });
  const lines = [
    { type: 'version', version: 1 },
    { type: 'emoji', emoji: { name: 'blob_wave', image: 'exported_emoji/1/image' } },
    { type: 'team', team: { name: 'acme', display_name: 'Acme', type: 'O' } },
    {
      type: 'channel',
      channel: { team: 'acme', name: 'town-square', display_name: 'Town Square', type: 'O', header: 'For all' },
    },
    { type: 'channel', channel: { team: 'acme', name: 'hq', display_name: 'HQ', type: 'P' } },
    user('ann', { first_name: 'Ann', last_name: 'Lee' }),
    user('ben', { nickname: 'Benny', delete_at: 1_600_000_100_000 }),
    post({
      user: 'ann',
      message: 'second @ben, @nobody and @all in ~hq :blob_wave: `@ben`',
      create_at: 1_600_000_002_000,
      reactions: [{ user: 'ben', create_at: 1_600_000_003_000, emoji_name: 'blob_wave' }],
      attachments: [{ path: '2020/files/pixel.png' }, { path: '2020/files/lost.png' }, { path: '../../etc/passwd' }],
      is_pinned: true,
      replies: [
        {
          user: 'ben',
          message: 'a reply',
          create_at: 1_600_000_004_000,
          reactions: [{ user: 'ann', emoji_name: '+1' }],
        },
        { user: 'ann', message: 'without a time' },
      ],
    }),
    post({ user: 'ben', message: 'first', create_at: 1_600_000_001_000, edit_at: 1_600_000_001_500 }),
    post({ user: 'ann', type: 'system_join_channel', message: 'ann joined', create_at: 1_600_000_000_000 }),
    post({ user: 'ghost', message: 'of nobody known', create_at: 1_600_000_005_000 }),
    post({ channel: 'hq', user: 'ann', message: 'behind doors', create_at: 1_600_000_006_000 }),
    post({ channel: 'gone', user: 'ann', message: 'nowhere', create_at: 1_600_000_007_000 }),
    {
      type: 'direct_post',
      direct_post: { channel_members: ['ann', 'ben'], user: 'ann', message: 'private', create_at: 1 },
    },
  ];
  return [
    {
      name: 'import.jsonl',
      content: `${jsonLines(lines.slice(0, 8))}{"type":"post", broken\n${jsonLines(lines.slice(8))}`,
    },
    { name: 'data/exported_emoji/1/image', content: png },
    { name: 'data/2020/files/pixel.png', content: png },
  ];
}

const discordAuthor = (id: string, name: string, more: object = {}) => ({
  id,
  name,
  discriminator: '0000',
  nickname: name,
  isBot: false,
  ...more,
});
const guild = { id: '9000000000000000001', name: 'The Guild', iconUrl: '' };

function discordFile(channel: object, messages: object[]): string {
  return JSON.stringify(
    {
      guild,
      channel,
      dateRange: { after: null, before: null },
      exportedAt: '2024-01-01T00:00:00+00:00',
      messages,
      messageCount: messages.length,
    },
    null,
    2,
  );
}

/** Discord: files of DiscordChatExporter with media, one of a channel and one of a thread in it. */
export function discordExport(): Entry[] {
  const ann = discordAuthor('100000000000000001', 'ann', { nickname: 'Ann of Discord' });
  const bot = discordAuthor('100000000000000002', 'helper', { isBot: true });
  const base = {
    timestampEdited: null,
    callEndedTimestamp: null,
    isPinned: false,
    attachments: [],
    embeds: [],
    stickers: [],
    reactions: [],
    mentions: [],
  };
  const channel = {
    id: '200000000000000001',
    type: 'GuildTextChat',
    categoryId: '1',
    category: 'Text',
    name: 'lobby',
    topic: 'Come in',
  };
  const thread = {
    id: '300000000000000001',
    type: 'GuildPublicThread',
    categoryId: channel.id,
    category: 'lobby',
    name: 'A side talk',
    topic: null,
  };
  return [
    {
      name: 'The Guild - lobby [200000000000000001].json',
      content: discordFile(channel, [
        {
          ...base,
          id: '290000000000000001',
          type: 'GuildMemberJoin',
          timestamp: '2023-01-01T10:00:00+00:00',
          content: 'Joined.',
          author: ann,
        },
        {
          ...base,
          id: thread.id,
          type: 'Default',
          timestamp: '2023-01-01T10:00:01.5+00:00',
          timestampEdited: '2023-01-01T10:01:00+00:00',
          isPinned: true,
          content: 'hello @Helper, ||secret|| <:blob:400000000000000001> <t:1672531200:F> <@100000000000000002>',
          author: ann,
          mentions: [{ ...bot, nickname: 'Helper' }],
          attachments: [
            {
              id: '1',
              url: 'lobby.json_Files/pic%20ture-1.png',
              fileName: 'SPOILER_pic ture.png',
              fileSizeBytes: png.length,
            },
            {
              id: '2',
              url: 'https://cdn.discordapp.com/attachments/1/2/lost.png?ex=1&hm=secret',
              fileName: 'lost.png',
              fileSizeBytes: 5,
            },
          ],
          reactions: [
            {
              emoji: { id: '', name: '👍', code: 'thumbsup', isAnimated: false, imageUrl: '' },
              count: 2,
              users: [ann],
            },
            {
              emoji: {
                id: '400000000000000001',
                name: 'Blob',
                code: 'Blob',
                isAnimated: false,
                imageUrl: 'lobby.json_Files/blob.png',
              },
              count: 1,
              users: [ann],
            },
          ],
        },
        {
          ...base,
          id: '300000000000000002',
          type: 'Reply',
          timestamp: '2023-01-01T10:00:03+00:00',
          content: 'yes',
          author: bot,
          reference: { messageId: thread.id, channelId: channel.id, guildId: guild.id },
        },
        { ...base, id: '300000000000000003', type: 'Default', timestamp: 'never', content: 'no time', author: ann },
      ]),
    },
    {
      name: 'The Guild - A side talk [300000000000000001].json',
      content: discordFile(thread, [
        {
          ...base,
          id: '300000000000000010',
          type: 'ThreadStarterMessage',
          timestamp: '2023-01-01T10:00:02+00:00',
          content: '',
          author: ann,
        },
        {
          ...base,
          id: '300000000000000011',
          type: 'Default',
          timestamp: '2023-01-01T10:00:02.5+00:00',
          content: 'inside',
          author: ann,
        },
      ]),
    },
    { name: 'lobby.json_Files/pic ture-1.png', content: png },
    { name: 'lobby.json_Files/blob.png', content: png },
    { name: 'notes.json', content: '{"mine": true}' },
  ];
}

const date = (ms: number) => ({ $date: new Date(ms).toISOString() });

/** Rocket.Chat: collections by `mongoexport`, in no order, and uploads by their ids. */
export function rocketChatExport(): Entry[] {
  const ann = { _id: 'u1', username: 'ann', name: 'Ann Lee' };
  const at = 1_600_000_000_000;
  const message = (id: string, said: object) => ({ _id: id, rid: 'r1', u: ann, ts: date(at), ...said });
  return [
    {
      name: 'rocketchat/users.json',
      content: jsonLines([
        { ...ann, emails: [{ address: 'ann@moved.example', verified: true }], type: 'user', active: true },
        { _id: 'u2', username: 'ben', name: 'Ben', type: 'user', active: false },
        { _id: 'u3', username: 'rocket.cat', name: 'Rocket.Cat', type: 'bot', active: true },
        { _id: 'u4', type: 'unknown' },
      ]),
    },
    {
      name: 'rocketchat/rocketchat_room.json',
      content: json([
        { _id: 'r1', t: 'c', name: 'general', topic: 'Everything', ts: date(at) },
        { _id: 'r2', t: 'p', name: 'hidden', ts: date(at) },
        { _id: 'r3', t: 'd', usernames: ['ann', 'ben'] },
      ]),
    },
    { name: 'rocketchat/rocketchat_subscription.json', content: jsonLines([{ rid: 'r2', u: ann }]) },
    {
      name: 'rocketchat/rocketchat_message.json',
      content: jsonLines([
        message('m2', {
          ts: { $date: { $numberLong: String(at + 2000) } },
          msg: '[ ](https://chat.example/channel/general?msg=m1) *yes* @ann in #general :smile:',
          mentions: [ann],
          channels: [{ _id: 'r1', name: 'general' }],
          reactions: { ':thumbsup:': { usernames: ['ann', 'ben'] } },
        }),
        message('m1', { msg: 'first', pinned: true, editedAt: date(at + 500) }),
        message('m3', {
          ts: date(at + 3000),
          tmid: 'm1',
          msg: '',
          files: [
            { _id: 'f1', name: 'note.txt' },
            { _id: 'f2', name: 'thumb-note.txt' },
          ],
          attachments: [{ type: 'file', title: 'note.txt', description: 'my note' }],
        }),
        message('m4', { t: 'uj', msg: 'ann' }),
        message('m5', { rid: 'r2', msg: 'hidden words', ts: date(at + 4000) }),
        message('m6', { rid: 'r3', msg: 'direct words' }),
        message('m7', { u: { username: 'left', name: 'Who Left' }, msg: 'bye', ts: date(at + 5000) }),
      ]),
    },
    { name: 'rocketchat/uploads/f1.txt', content: 'a note' },
  ];
}

/** A workspace of Slack with many messages in a few channels. */
export function largeSlack(channels: number, each: number, people: number): Entry[] {
  const users = Array.from({ length: people }, (_, at) => ({
    id: `U${at}`,
    name: `mover${at}`,
    profile: { real_name: `Mover ${at}`, email: `mover${at}@many.example` },
  }));
  const names = Array.from({ length: channels }, (_, at) => `place-${at}`);
  const dayOf = (channel: number) =>
    Array.from({ length: each }, (_, at) => ({
      type: 'message',
      user: `U${at % people}`,
      text: `${channel}: ${at}`,
      ts: `${1_600_000_000 + at}.000${channel}00`,
    }));
  return [
    { name: 'users.json', content: json(users) },
    {
      name: 'channels.json',
      content: json(names.map((name, at) => ({ id: `C${at}`, name, created: 1_599_000_000, members: [] }))),
    },
    ...names.map((name, at) => ({ name: `${name}/2020-09-13.json`, content: json(dayOf(at)) })),
  ];
}
