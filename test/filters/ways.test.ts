import { expect } from 'chai';
import { allCalls, allClientEvents } from '../../src/contract/calls.ts';
import { type Bot, botIn } from '../world/bot.ts';
import type { Listener, Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

/** Calls of these groups show nobody in a server a text, or one that they chose as managers, or their own name. */
const groups: Record<string, string> = {
  Accounts: 'names of people are no messages',
  Apps: 'apps are made by those who manage them',
  'Direct messages': 'no server has a say in conversations',
  Documents: 'reads',
  Friends: 'asks and answers',
  'Identity providers': 'signing in',
  'Invite codes': 'their notes are for oneself',
  'Join requests': 'asks and answers',
  Later: 'one’s own; what is scheduled goes by the filters when it is sent',
  Membership: 'of the installation',
  Mentions: 'reads',
  Models: 'answers the caller alone; what is delivered into channels is said by `streamReply`',
  'Model Context Protocol': 'its tools are calls of the others',
  Notifications: 'one’s own',
  Pages: 'reads',
  Polls: 'votes; the texts come with a message',
  'OAuth apps': 'what apps are called is shown to whoever may allow them',
  'Personal access tokens': 'one’s own',
  Operators: 'what operators do, which no other people read',
  Reactions: 'emoji, which are no words',
  Reports: 'moderators and operators alone read them',
  Rooms: 'reads',
  Search: 'reads',
  Servers: 'names are chosen by those who manage the server',
  Sessions: 'one’s own',
  Webhooks: 'one’s own',
  Workspace: 'files are not messages: whoever works in it names them',
};

/** Single ones of the other groups. */
const without: Record<string, string> = {
  ...Object.fromEntries(
    [
      'deleteMessage',
      'deleteHookMessage',
      'deleteHookMessageAs',
      'removePreviews',
      'pinInChannel',
      'unpinInChannel',
      'pinMessage',
      'unpinMessage',
      'deleteThread',
    ].map((name) => [name, 'no text']),
  ),
  ...Object.fromEntries(['approveHeld', 'rejectHeld', 'withdrawHeld'].map((name) => [name, 'a moderator decides'])),
  ...Object.fromEntries(
    ['uploadPicture', 'linkOutsidePictures', 'changeAttachment', 'joinUploads', 'forgetUpload'].map((name) => [
      name,
      'no text',
    ]),
  ),
  ...Object.fromEntries(
    ['followThread', 'unfollowThread', 'markThreadRead', 'markAllThreadsRead', 'markUnread', 'setReceiptChoice'].map(
      (name) => [name, 'one’s own reading'],
    ),
  ),
  ...Object.fromEntries(
    ['thread:read', 'thread:follow', 'thread:unfollow', 'message:unread'].map((name) => [name, 'one’s own reading']),
  ),
  ...Object.fromEntries(
    ['setCustomStatus', 'clearCustomStatus'].map((name) => [
      name,
      'of a person, wherever they are known, as their name',
    ]),
  ),
  invokeCommand: 'the bot alone reads it',
  completeCommand: 'the bot alone reads it',
  'command:choices': 'one person alone reads it, as they type',
  ...Object.fromEntries(
    ['useComponent', 'submitForm', 'interaction:use', 'interaction:submit'].map((name) => [
      name,
      'its bot alone reads it',
    ]),
  ),
  dismissEphemeral: 'one’s own',
  ...Object.fromEntries(
    ['createHook', 'updateHook', 'renewHook', 'deleteHook'].map((name) => [
      name,
      'names are chosen by those who manage the channel',
    ]),
  ),
  stopStream: 'no text',
  'message:stream-stop': 'no text',
  'message:delete': 'no text',
  'message:typing': 'no text',
  'thread:join': 'reads',
  'thread:leave': 'reads',
  'presence:active': 'no text',
  'presence:update': 'one of a few words',
  'presence:subscribe': 'reads',
};
const agents = 'bots are described by their owners, as people describe themselves';
const channels = 'names are chosen by those who manage the channel';
/** They show what bots say. */
const streams = ['message:stream', 'streamReply'];

const reasonFor = (name: string, tag: string): string | undefined =>
  without[name] ??
  groups[tag] ??
  (tag === 'Agents' && !streams.includes(name) ? agents : undefined) ??
  (tag === 'Channels' ? channels : undefined);

/** Whoever adds a call or an event has to decide whether others see what is said by it. */
describe('everything that others see as text', () => {
  let here: World;
  let robot: Bot;
  let mouth: Listener;
  let botMouth: Listener;
  const word = 'unspeakable';

  before(async () => {
    here = await world();
    robot = await botIn(here.server, here.alice);
    [mouth, botMouth] = [await here.bob.listen(here.channel.id), await robot.listen(here.channel.id)];
    const body = { kind: 'word', action: 'refuse', patterns: [word] };
    expect((await here.alice.post(`/api/servers/${here.server.id}/filters`, body)).status).to.equal(201);
  });
  after(() => {
    robot.hangUp();
    here.close();
  });

  /** Says the word by each call and event. @returns the codes of the refusals, by the name of the way */
  const ways: Record<string, () => Promise<Loose>> = {
    sendMessage: async () => (await here.bob.post(`/api/channels/${here.channel.id}/messages`, { content: word })).body,
    editMessage: async () => (await here.bob.patch(`/api/messages/${await message()}`, { content: word })).body,
    createThread: async () => {
      const body = { name: word, parentMessageId: await message() };
      return (await here.bob.post(`/api/channels/${here.channel.id}/threads`, body)).body;
    },
    startThread: async () => (await here.bob.post(`/api/messages/${await message()}/thread`, { name: word })).body,
    updateThread: async () => (await here.bob.patch(`/api/threads/${await thread()}`, { name: word })).body,
    sendThreadMessage: async () =>
      (await here.bob.post(`/api/threads/${await thread()}/messages`, { content: word })).body,
    uploadMedia: async () => {
      const form = new FormData();
      form.append('messageId', await message());
      form.append('file', new Blob(['x']), `${word}.txt`);
      const headers = { authorization: `Bearer ${here.bob.token}` };
      return (await fetch(`${here.bob.node.url}/api/media/upload`, { method: 'POST', body: form, headers })).json();
    },
    answerInteraction: async () => {
      const path = `/api/interactions/${await interaction()}/answers`;
      return (await robot.post(path, { type: 'ephemeral', content: word })).body;
    },
    'interaction:answer': async () =>
      botMouth.emit('interaction:answer', { interactionId: await interaction(), type: 'reply', content: word }),
    postToHook: () => posted({ text: word }),
    postToHookAs: () => posted({ text: word }, '/slack'),
    editHookMessage: () => edited('', { text: word }),
    editHookMessageAs: () => edited('/discord', { content: word }),
    'message:send': () => mouth.emit('message:send', { channelId: here.channel.id, content: word }),
    'message:edit': async () => mouth.emit('message:edit', { messageId: await message(), content: word }),
    'message:stream': () =>
      botMouth.emit('message:stream', { channelId: here.channel.id, streamId: 'x', delta: `${word} ` }),
    streamReply: async () =>
      (await robot.post(`/api/channels/${here.channel.id}/streams`, { streamId: 'y', delta: `${word} ` })).body,
    'presence:activity': () => mouth.emit('presence:activity', { channelId: here.channel.id, activity: word }),
  };

  const hookToken = async (): Promise<string> =>
    (await here.alice.post(`/api/channels/${here.channel.id}/hooks`, { name: 'Tool of ours' })).body.token;
  const posted = async (body: object, format = ''): Promise<Loose> =>
    (await here.bob.post(`/hooks/${await hookToken()}${format}`, body)).body;
  const edited = async (format: string, body: object): Promise<Loose> => {
    const token = await hookToken();
    const { messages } = (await here.bob.post(`/hooks/${token}/parley`, { content: 'fine' })).body;
    return (await here.bob.patch(`/hooks/${token}${format}/messages/${messages[0].id}`, body)).body;
  };
  const message = async (): Promise<string> => (await here.bob.say(here.channel.id, 'fine')).id;
  const thread = async (): Promise<string> =>
    (await here.bob.post(`/api/messages/${await message()}/thread`, { name: 'fine' })).body.id;

  const interaction = async (): Promise<string> => {
    const components = { items: [{ type: 'button', id: 'go', label: 'Go' }] };
    const { id } = await robot.say(here.channel.id, '', { components });
    return (await here.bob.post(`/api/messages/${id}/uses`, { componentId: 'go' })).body.id;
  };

  it('goes by the filters, or does not for a reason', () => {
    const calls = Object.entries(allCalls).filter(([, { method }]) => method !== 'GET');
    const all = [...calls, ...Object.entries(allClientEvents)];
    const undecided = all.filter(([name, { tag }]) => !ways[name] && !reasonFor(name, tag)).map(([name]) => name);
    expect(undecided).to.deep.equal([]);
    const names = new Set(all.map(([name]) => name));
    expect([...Object.keys(ways), ...Object.keys(without)].filter((name) => !names.has(name))).to.deep.equal([]);
  });

  for (const name of Object.keys(ways)) {
    it(`is refused by ${name}`, async () => {
      expect(await ways[name]?.()).to.include({ ok: false, code: 'MESSAGE_REFUSED' });
    });
  }
});
