import { expect } from 'chai';
import { until } from '../rig/until.ts';
import type { Loose, Person } from '../world/person.ts';
import { register, type World, world } from '../world/world.ts';

describe('notifications of what waits for an answer', () => {
  let here: World;
  /** An admin on another node than the owner, where there is one. */
  let admin: Person;
  beforeEach(async () => {
    here = await world();
    admin = here.bob;
    await setRole(admin, 'admin');
    for (const person of [here.alice, admin]) await person.post('/api/notifications/read-all');
  });
  afterEach(() => here.close());

  const setRole = (person: Person, role: string) =>
    here.alice.patch(`/api/servers/${here.server.id}/members/${person.id}`, { role });
  const unread = async (person: Person, kind: string): Promise<Loose[]> =>
    (await person.get('/api/notifications?unread=true')).body.filter((entry: Loose) => entry.kind === kind);
  const isUnread = (person: Person, kind: string) => until(async () => (await unread(person, kind)).length > 0);
  const isRead = (person: Person, kind: string) => until(async () => (await unread(person, kind)).length === 0);
  const ask = async (person: Person): Promise<string> =>
    (await person.post(`/api/servers/${here.server.id}/join-requests`)).body.requestId;
  const decide = (requestId: string, status: string) =>
    here.alice.patch(`/api/servers/join-requests/${requestId}`, { status });
  const joinByCode = (person: Person) => person.post('/api/servers/_/join', { inviteCode: here.server.inviteCode });

  describe('to be let in', () => {
    const kind = 'server.join_request';

    for (const status of ['approved', 'rejected']) {
      it(`count no longer for anyone once it was ${status}`, async () => {
        const { alice, carol } = here;
        const requestId = await ask(carol);
        for (const person of [alice, admin]) await isUnread(person, kind);
        const [{ id }] = await unread(admin, kind);
        const ears = [await admin.connect(), await alice.connect()];
        expect((await decide(requestId, status)).status).to.equal(200);
        for (const person of [alice, admin]) await isRead(person, kind);
        const [told] = await Promise.all(ears.map((ear) => ear.next('notification:read')));
        expect(told?.ids).to.deep.equal([id]);
      });
    }

    it('count no longer once who asked came in by another way', async () => {
      await ask(here.carol);
      await isUnread(admin, kind);
      await joinByCode(here.carol);
      await isRead(admin, kind);
    });

    it('count until the last of those is decided that were put together', async () => {
      const dave = await register(admin.node);
      const [first, second] = [await ask(here.carol), await ask(dave)];
      await until(async () => (await unread(admin, kind))[0]?.aggregatedCount === 2);
      await decide(second, 'rejected');
      // What follows a decision is made in order.
      await here.alice.post(`/api/servers/${here.server.id}/channels`, { name: 'later' });
      await here.alice.say(here.channel.id, `@${admin.username}`);
      await isUnread(admin, 'message.mention');
      expect(await unread(admin, kind)).to.have.lengthOf(1);
      await decide(first, 'approved');
      await isRead(admin, kind);
    });

    it('count no longer for who does not decide any more', async () => {
      await ask(here.carol);
      for (const person of [here.alice, admin]) await isUnread(person, kind);
      await setRole(admin, 'moderator');
      await isRead(admin, kind);
      expect(await unread(here.alice, kind)).to.have.lengthOf(1);
    });

    it('never count after the decision, however soon that comes', async () => {
      const people = await Promise.all(Array.from({ length: 8 }, () => register(admin.node)));
      await Promise.all(people.map(async (person) => decide(await ask(person), 'rejected')));
      await here.alice.say(here.channel.id, `@${admin.username}`);
      await isUnread(admin, 'message.mention');
      await isRead(admin, kind);
    });
  });

  describe('to be let into a channel', () => {
    const kind = 'channel.join_request';
    let hidden: string;
    beforeEach(async () => {
      await joinByCode(here.carol);
      const fields = { name: 'hidden', isPrivate: true };
      hidden = (await here.alice.post(`/api/servers/${here.server.id}/channels`, fields)).body.id;
      expect((await here.carol.post(`/api/channels/${hidden}/join-requests`)).status).to.equal(202);
      await isUnread(admin, kind);
    });
    const waiting = async () => (await admin.get(`/api/servers/${here.server.id}/join-requests`)).body;

    const ends: Record<string, () => Promise<{ status: number }>> = {
      'it was let in': () => here.alice.post(`/api/channels/${hidden}/members`, { userId: here.carol.id }),
      'it left the server': () => here.carol.post(`/api/servers/${here.server.id}/leave`),
      'it was thrown out': () => here.alice.delete(`/api/servers/${here.server.id}/members/${here.carol.id}`),
      'the channel was deleted': () => here.alice.delete(`/api/channels/${hidden}`),
    };
    for (const [what, end] of Object.entries(ends)) {
      it(`count no longer once ${what}, and all who decide hear that nothing waits`, async () => {
        const ear = await admin.connect();
        expect((await end()).status).to.be.below(300);
        const { request } = await ear.next('join-request:decided');
        expect(request).to.include({ channelId: hidden, userId: here.carol.id });
        expect(request.status).not.to.equal('pending');
        expect(await waiting()).to.deep.equal([]);
        await isRead(admin, kind);
      });
    }
  });

  describe('to come in', () => {
    const kind = 'server.invite';
    const invite = async () => {
      const { alice, carol, server } = here;
      expect((await alice.post(`/api/servers/${server.id}/invite-member`, { userId: carol.id })).status).to.equal(200);
    };
    const ends: Record<string, () => Promise<{ status: number }>> = {
      'it was followed': () => joinByCode(here.carol),
      'its code opens nothing': () => here.alice.post(`/api/servers/${here.server.id}/invite/regenerate`),
      'the server is gone': () => here.alice.delete(`/api/servers/${here.server.id}`),
    };

    for (const [what, end] of Object.entries(ends)) {
      it(`count no longer once ${what}`, async () => {
        const { carol } = here;
        await invite();
        await isUnread(carol, kind);
        const ear = await carol.connect();
        expect((await end()).status).to.be.below(300);
        expect(await ear.next('notification:read')).to.include({ unreadCount: 0 });
        expect(await unread(carol, kind)).to.deep.equal([]);
      });
    }

    for (const what of ['it was followed', 'the server is gone']) {
      it(`never count after ${what}, however soon that comes`, async () => {
        await invite();
        expect((await ends[what]?.())?.status).to.be.below(300);
        const dm = (await here.alice.post('/api/dm/channels', { userId: here.carol.id })).body;
        await here.alice.say(dm.id, 'later');
        await isUnread(here.carol, 'dm.message');
        await isRead(here.carol, kind);
      });
    }
  });
});
