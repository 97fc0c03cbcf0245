import { expect } from 'chai';
import { until } from '../rig/until.ts';
import type { Loose, Person } from '../world/person.ts';
import { register, type World, world } from '../world/world.ts';

/** The ways around a channel that was closed to someone, on the node on which it was not closed, right after the answer. */
describe('a channel that is denied to some', () => {
  let here: World;
  let channelId: string;
  let out: Person;
  let inside: Person;

  beforeEach(async () => {
    here = await world();
    channelId = await here.newChannel('garden');
    [out, inside] = [await guest(), await guest()];
  });
  afterEach(() => {
    for (const one of [out, inside]) one.hangUp();
    here.close();
  });

  async function guest(): Promise<Person> {
    const made = await register(here.bob.node);
    const { inviteCode } = (await here.alice.get(`/api/servers/${here.server.id}`)).body;
    await made.post('/api/servers/_/join', { inviteCode });
    return made;
  }
  const deny = async (who: Person) => {
    const answer = await here.alice.put(`/api/channels/${channelId}/overrides/users/${who.id}`, { deny: ['view'] });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
  };

  it('tells them nothing by what was open before: polls, threads, recovery, lists of news', async () => {
    const { alice } = here;
    const parent = await alice.say(channelId, `for @${out.username} and @${inside.username}`);
    const threadId = (await alice.post(`/api/messages/${parent.id}/thread`)).body.id;
    const noticed = async (who: Person, id: string) =>
      JSON.stringify((await who.get('/api/notifications')).body).includes(id);
    for (const who of [out, inside]) await until(() => noticed(who, parent.id), { message: 'no notification' });
    const ears = await Promise.all([out, inside].map((who) => who.listen(channelId)));
    for (const ear of ears) expect((await ear.emit('thread:join', { threadId })).ok).to.equal(true);
    const { lastSeq } = (await alice.get(`/api/channels/${channelId}`)).body;
    const polls = [out, inside].map((who) => who.get(`/api/channels/${channelId}/events?after=${lastSeq}&wait=20`));
    await deny(out);
    const said = await alice.say(channelId, `secret @${out.username} @${inside.username}`);
    const answer = await alice.post(`/api/threads/${threadId}/messages`, { content: 'deeper secret' });
    const mouth = await alice.listen(channelId);
    await mouth.emit('message:typing', { channelId, typing: true });
    await alice.post(`/api/messages/${said.id}/reactions`, { emoji: '🎉' });
    await alice.put(`/api/channels/${channelId}/pins/${said.id}`);
    await alice.patch(`/api/messages/${said.id}`, {
      // It names them still: a mention that is edited away notifies nobody any more.
      content: `a secret, corrected @${out.username} @${inside.username}`,
    });
    const [shut, open] = await Promise.all(polls);
    // It may be answered with what shut it, which is before its end, and with nothing after that.
    const events = shut?.status === 404 ? [] : shut?.body.events.map(({ event }: Loose) => event);
    const ofTheDenial = ['member:left', 'channel:overridden'];
    expect(ofTheDenial, JSON.stringify(shut?.body)).to.include.members(events);
    expect((await out.get(`/api/channels/${channelId}/events?after=${lastSeq}`)).status).to.equal(404);
    expect(open?.status).to.equal(200);
    const rest = await inside.get(`/api/channels/${channelId}/events?after=${lastSeq}`);
    expect(JSON.stringify(rest.body)).to.contain(said.id);
    const [deaf, hearing] = ears;
    await hearing?.next('message:updated', ({ id }) => id === said.id);
    await hearing?.next('message:new', ({ id }) => id === answer.body.id);
    await deaf?.next('channel:member-removed', (event) => event.channelId === channelId);
    const heard = JSON.stringify(deaf?.received.filter(({ event }) => event !== 'channel:member-removed'));
    for (const id of [said.id, answer.body.id]) expect(heard).to.not.contain(id);
    // Back with the position from before, by each way of coming back.
    const resume = { auth: { resume: { [`channel:${channelId}`]: lastSeq } } };
    const back = await out.connect(resume);
    expect((await back.emit('channel:join', { channelId, after: lastSeq })).code).to.equal('CHANNEL_NOT_FOUND');
    expect((await back.emit('thread:join', { threadId })).ok).to.equal(false);
    expect(JSON.stringify(back.received)).to.not.contain(said.id);
    await until(() => noticed(inside, said.id), { message: 'no notification' });
    expect(await noticed(out, said.id)).to.equal(false);
    // What they were told before stays, and counts as read.
    const { body: told } = await out.get('/api/notifications');
    const unread = told.filter(({ isRead }: Loose) => !isRead);
    expect(JSON.stringify(unread)).to.not.contain(channelId);
    const looks: [string, number][] = [
      [`/api/messages/${said.id}`, 404],
      [`/api/messages/${said.id}/history`, 404],
      [`/api/messages/${said.id}/reactions`, 404],
      [`/api/threads/${threadId}`, 404],
      [`/api/threads/${threadId}/messages`, 404],
      [`/api/channels/${channelId}/held`, 404],
      [`/api/channels/${channelId}/threads`, 404],
    ];
    for (const [path, status] of looks) expect((await out.get(path)).status, path).to.equal(status);
    expect(JSON.stringify((await out.get('/api/search/messages?query=secret')).body)).to.not.contain(said.id);
    // The index follows a moment later.
    const finds = async () => JSON.stringify((await inside.get('/api/search/messages?query=secret')).body);
    await until(async () => (await finds()).includes(said.id), { message: 'not found' });
  });
});
