import { expect } from 'chai';
import type { Node } from '../../src/node/node.ts';
import { forgetKeys } from '../../src/rest/idempotency.ts';
import { type Loose, type Person, request } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';
import { expectError } from './verdict.ts';

const keyed = (key: string) => ({ 'idempotency-key': key });
const newKey = () => crypto.randomUUID();
/** Bodies that no route takes. */
const unfit = ['{', '', [], 7, { name: '', content: 7 }];

describe('Idempotency-Key', () => {
  let here: World;
  /** Alice on every node. */
  let alices: Person[];

  beforeEach(async () => {
    here = await world();
    alices = here.cluster.nodes.map((node: Node) => here.alice.on(node));
  });
  afterEach(() => here.close());

  /** Alice on one node after the other. */
  const alice = (i: number): Person => {
    const found = alices[i % alices.length];
    if (!found) throw new Error('no node');
    return found;
  };
  /** An upload of alice's; without a file it is one that cannot be read. */
  const upload = async (key: string, file?: Blob) => {
    const body = new FormData();
    if (file) body.append('file', file, 'a.txt');
    const headers = { authorization: `Bearer ${here.alice.token}`, ...keyed(key) };
    const answer: Loose = await (
      await fetch(`${here.alice.node.url}/api/media/upload`, { method: 'POST', body, headers })
    ).json();
    return answer;
  };
  const ownServers = async () => (await here.alice.get('/api/servers')).body.length;

  it('is forgotten when it is two days old', async () => {
    const keys = await withRows(here.cluster.databaseUrl, async (rows) => {
      for (const name of ['old', 'young']) await here.alice.post('/api/servers', { name }, keyed(newKey()));
      const own = 'SELECT answer FROM idempotency_keys WHERE user_id = $1';
      const age = `UPDATE idempotency_keys SET created_at = now() - interval '49 hours'
        WHERE user_id = $1 AND answer->>'name' = 'old'`;
      await rows(age, [here.alice.id]);
      while ((await forgetKeys.step(rows)) > 0);
      return rows<{ answer: { name: string } }>(own, [here.alice.id]);
    });
    expect(keys.map(({ answer }) => answer.name)).to.deep.equal(['young']);
  });

  it('gives the first answer again, on every node, and does nothing twice', async () => {
    const key = newKey();
    const first = await alice(0).post('/api/servers', { name: 'once' }, keyed(key));
    expect(first.status).to.equal(201);
    expect(first.headers.get('idempotency-replayed')).to.equal(null);
    for (let i = 1; i < 4; i++) {
      const again = await alice(i).post('/api/servers', { name: 'once' }, keyed(key));
      expect(again.status).to.equal(201);
      expect(again.body).to.deep.equal(first.body);
      expect(again.headers.get('idempotency-replayed')).to.equal('true');
      expect(again.headers.get('content-type')).to.contain('application/json');
    }
    expect(await ownServers()).to.equal(2);
  });

  it('gives the same to all who ask at once, on all nodes', async () => {
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => alice(i).post('/api/servers', { name: 'raced' }, keyed(key))),
    );
    expect(new Set(answers.map(({ body }) => body.id)).size).to.equal(1);
    for (const { status } of answers) expect(status).to.equal(201);
    const fresh = answers.filter(({ headers }) => headers.get('idempotency-replayed') === null);
    expect(fresh).to.have.lengthOf(1);
    expect(await ownServers()).to.equal(2);
  });

  it('counts for the first body, whatever the others say', async () => {
    const key = newKey();
    const first = await alice(0).post('/api/servers', { name: 'first' }, keyed(key));
    const other = await alice(1).post('/api/servers', { name: 'other', isPublic: true }, keyed(key));
    expect(other.body).to.deep.equal(first.body);
    for (const body of unfit) {
      const again = await alice(1).post('/api/servers', body, keyed(key));
      expect([again.status, again.body]).to.deep.equal([201, first.body]);
      expect(again.headers.get('idempotency-replayed')).to.equal('true');
    }
    const file = await upload(key, new Blob(['x']));
    expect(await upload(key)).to.deep.equal(file);
  });

  it('counts for nothing with a first body that cannot be read', async () => {
    const key = newKey();
    for (const body of unfit) expect((await alice(0).post('/api/servers', body, keyed(key))).status).to.equal(400);
    expect((await alice(1).post('/api/servers', { name: 'well' }, keyed(key))).body.name).to.equal('well');
    expect((await upload(key)).code).to.equal('VALIDATION_FAILED');
    expect((await upload(key, new Blob(['x']))).size).to.equal(1);
  });

  it('is everyone’s own', async () => {
    const key = newKey();
    const [one, other] = await Promise.all([
      here.alice.post('/api/servers', { name: 'hers' }, keyed(key)),
      here.bob.post('/api/servers', { name: 'his' }, keyed(key)),
    ]);
    expect([one.body.name, other.body.name]).to.deep.equal(['hers', 'his']);
  });

  it('comes after the nonce of a message, which its author gets back', async () => {
    const path = `/api/channels/${here.channel.id}/messages`;
    const message = { content: 'once', nonce: newKey() };
    const [mouth, ear] = [await here.alice.connect(), await here.alice.listen(here.channel.id)];
    const first = await alice(0).post(path, message, keyed(newKey()));
    expect(first.body.nonce).to.equal(message.nonce);
    expect((await ear.next('message:new')).nonce).to.equal(message.nonce);
    const again = await alice(1).post(path, message, keyed(newKey()));
    const bySocket = await mouth.emit('message:send', { channelId: here.channel.id, ...message });
    expect([again.body.id, bySocket.message.id]).to.deep.equal([first.body.id, first.body.id]);
  });

  it('is each address’s own', async () => {
    const key = newKey();
    const second = (await here.alice.post('/api/servers', { name: 'second' })).body;
    const path = (id: string) => `/api/servers/${id}/channels`;
    const [one, other] = await Promise.all(
      [here.server.id, second.id].map((id) => here.alice.post(path(id), { name: 'news' }, keyed(key))),
    );
    expect(one?.body.id).not.to.equal(other?.body.id);
    const server = await here.alice.post('/api/servers', { name: 'third' }, keyed(key));
    expect(server.body.name).to.equal('third');
  });

  it('is one for an address in all its spellings: by id or slug, in any case', async () => {
    const { id, slug } = here.server;
    for (const last of ['channels', 'workspace/folders']) {
      const key = newKey();
      const spellings = [id, slug, id.toUpperCase(), slug, id].map((name) => `/api/servers/${name}/${last}`);
      const posts = [...spellings, `/API/servers/${id}/${last}/`].map((path, i) =>
        alice(i).post(path, { name: `try ${i}` }, keyed(key)),
      );
      const made = await Promise.all(posts);
      expect(new Set(made.map(({ status, body }) => `${status} ${body.id}`))).to.have.lengthOf(1);
      expect(made[0]?.status).to.equal(201);
    }
    const [key, path] = [newKey(), `/api/channels/${here.channel.id}/messages`];
    const { body } = await here.alice.post(path, { content: 'once' }, keyed(key));
    expect((await here.alice.post(path.toUpperCase(), { content: 'x' }, keyed(key))).body.id).to.equal(body.id);
  });

  it('is known by a slug that is another’s, or nobody’s, by then, and by the id all the same', async () => {
    const { alice: owner } = here;
    const slug = () => `s-${newKey().slice(0, 13)}`;
    const [before, after] = [slug(), slug()];
    const { id } = (await owner.post('/api/servers', { name: 'renamed', slug: before })).body;
    const key = newKey();
    const make = (i: number, name: string) =>
      alice(i).post(`/api/servers/${name}/channels`, { name: 'news' }, keyed(key));
    const first = await make(0, before);
    expect(first.status).to.equal(201);
    expect((await owner.patch(`/api/servers/${id}`, { slug: after })).status).to.equal(200);
    for (const name of [before, id, after]) expect((await make(1, name)).body).to.deep.equal(first.body);
    await owner.post('/api/servers', { name: 'successor', slug: before });
    for (const name of [before, id, after]) expect((await make(1, name)).body).to.deep.equal(first.body);
    expect((await owner.get(`/api/servers/${id}/channels`)).body).to.have.lengthOf(2);
  });

  it('is free again after a refusal, for nothing was done', async () => {
    const key = newKey();
    const { slug } = here.server;
    expectError(await alice(0).post('/api/servers', { name: 'x', slug }, keyed(key)), 'SLUG_TAKEN');
    const mended = await alice(1).post('/api/servers', { name: 'x' }, keyed(key));
    expect(mended.status).to.equal(201);
  });

  it('does not get in the way of what the request itself may be refused for', async () => {
    const { bob, server } = here;
    const path = `/api/servers/${server.id}/join`;
    const again = await bob.post(path, { inviteCode: server.inviteCode }, keyed(newKey()));
    expectError(again, 'ALREADY_MEMBER');
    expect(again.body.server.id).to.equal(server.id);
  });

  it('lets one of two different keys win where only one can', async () => {
    const { carol, cluster, server } = here;
    const carols = cluster.nodes.map((node) => carol.on(node));
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        (carols[i % carols.length] ?? carol).post(
          `/api/servers/${server.id}/join`,
          { inviteCode: server.inviteCode },
          keyed(newKey()),
        ),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).to.have.lengthOf(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expectError(answer, 'ALREADY_MEMBER');
    expect((await carol.get(`/api/servers/${server.id}`)).body.memberCount).to.equal(3);
  });

  it('is not heeded where it means nothing: other methods, and callers who are nobody', async () => {
    const key = newKey();
    const { alice, channel } = here;
    const message = await alice.say(channel.id, 'one');
    for (const content of ['two', 'three']) {
      const edited = await alice.patch(`/api/messages/${message.id}`, { content }, keyed(key));
      expect(edited.body.content).to.equal(content);
    }
    const account = { email: `${newKey()}@example.com`, password: 'correct horse' };
    const tokens = await Promise.all([1, 2].map(() => alice.post('/api/auth/register', account, keyed(key))));
    expect(tokens.map(({ status }) => status)).to.deep.equal([201, 201]);
    expect(new Set(tokens.map(({ body }) => body.user.id)).size).to.equal(2);
    // Nobody looks at it either.
    const login = { email: account.email, password: account.password };
    const visitor = await request(alice.node, 'POST', '/api/auth/login', login, keyed('x'.repeat(1000)));
    expect(visitor.status).to.equal(200);
  });

  it('keeps nobody waiting for a connection, however many come at once', async () => {
    const people = await Promise.all(Array.from({ length: 24 }, (_, i) => register(alice(i).node)));
    const { alice: owner, server } = here;
    const joins = people.map((person) =>
      person.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode }, keyed(newKey())),
    );
    const same = newKey();
    const path = `/api/servers/${server.id}/channels`;
    const creates = Array.from({ length: 40 }, () => owner.post(path, { name: 'crowd' }, keyed(same)));
    const answers = await Promise.all([...joins, ...creates]);
    expect([...new Set(answers.map(({ status }) => status))].sort()).to.deep.equal([200, 201]);
    expect(new Set(answers.slice(people.length).map(({ body }) => body.id)).size).to.equal(1);
  });

  describe('and nonce, on messages,', () => {
    const path = () => `/api/channels/${here.channel.id}/messages`;
    const count = async () => (await here.alice.get(`${path()}?limit=100`)).body.messages.length;

    it('send once, on every node, also at once', async () => {
      const key = newKey();
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, i) => alice(i).post(path(), { content: 'once' }, keyed(key))),
      );
      expect(new Set(answers.map(({ body }) => body.id)).size).to.equal(1);
      for (const { status } of answers) expect(status).to.equal(201);
      const nonce = 'n-1';
      const others = await Promise.all(
        Array.from({ length: 10 }, (_, i) => alice(i).post(path(), { content: `try ${i}`, nonce })),
      );
      expect(new Set(others.map(({ body }) => `${body.id} ${body.content}`)).size).to.equal(1);
      expect(others.map(({ status }) => status).filter((status) => status === 201)).to.have.lengthOf(1);
      expect(await count()).to.equal(2);
    });

    it('count whatever a repeat says, in channels, threads and DMs', async () => {
      const { alice, bob, channel } = here;
      const parentMessageId = (await alice.say(channel.id, 'parent')).id;
      const thread = await alice.post(`/api/channels/${channel.id}/threads`, { name: 'talk', parentMessageId });
      const dm = await alice.post('/api/dm/channels', { userId: bob.id });
      const places = [path(), `/api/threads/${thread.body.id}/messages`, `/api/dm/channels/${dm.body.id}/messages`];
      for (const place of places) {
        const key = newKey();
        for (const body of unfit) expect((await alice.post(place, body, keyed(key))).status).to.equal(400);
        const first = await alice.post(place, { content: 'once' }, keyed(key));
        expect(first.status).to.equal(201);
        for (const body of unfit) {
          const again = await alice.post(place, body, keyed(key));
          expect([again.status, again.body]).to.deep.equal([201, first.body]);
          expect(again.headers.get('idempotency-replayed')).to.equal('true');
        }
        expectError(await here.carol.post(place, '{', keyed(key)));
      }
    });

    it('are the same over REST and sockets, and are shown to the author alone', async () => {
      const { alice, bob, channel } = here;
      const [mouth, ear] = [await alice.listen(channel.id), await bob.listen(channel.id)];
      const sent = await mouth.emit('message:send', { channelId: channel.id, content: 'hi', nonce: 'n-2' });
      const again = await alice.post(path(), { content: 'hi again', nonce: 'n-2' });
      expect(again.status).to.equal(200);
      expect(again.body).to.include({ id: sent.message.id, content: 'hi', nonce: 'n-2' });
      expect((await bob.get(`/api/messages/${again.body.id}`)).body).not.to.have.property('nonce');
      await alice.post(path(), { content: 'after' });
      await ear.next('message:new', (message) => message.content === 'after');
      expect(ear.all('message:new').map((message) => message.content)).to.deep.equal(['hi', 'after']);
    });

    it('are per author and per channel', async () => {
      const { alice, bob, server, channel } = here;
      const other = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'other' })).body;
      const sent = await Promise.all([
        alice.say(channel.id, 'a', { nonce: 'same' }),
        bob.say(channel.id, 'b', { nonce: 'same' }),
        alice.say(other.id, 'c', { nonce: 'same' }),
      ]);
      expect(sent.map((message) => message.content)).to.deep.equal(['a', 'b', 'c']);
    });

    it('hold both where a message has both, on every node, also at once', async () => {
      const { alice: author, channel } = here;
      const [key, nonce] = [newKey(), newKey()];
      const send = (i: number, body: object, ...keys: string[]) =>
        alice(i).post(path(), { content: `try ${i}`, ...body }, keys[0] ? keyed(keys[0]) : {});
      const tries = Array.from({ length: 12 }, (_, i) =>
        i % 3 === 0
          ? send(i, { nonce }, key)
          : i % 3 === 1
            ? send(i, { nonce: newKey() }, key)
            : send(i, { nonce }, newKey()),
      );
      // Whichever is the first of all has the one or the other; those that share neither with it are the second message.
      const ids = new Set((await Promise.all(tries)).map(({ body }) => body.id));
      expect(ids.size).to.be.at.most(2);
      const [both, other] = [newKey(), newKey()];
      const first = (await send(0, { nonce: both }, both)).body;
      const again = [
        await send(1, { nonce: other }, both),
        await send(2, { nonce: both }, other),
        await send(3, {}, both),
        await send(4, { nonce: both }),
      ];
      expect(again.map(({ body }) => [body.id, body.nonce])).to.deep.equal(again.map(() => [first.id, both]));
      const mouth = await author.connect();
      const bySocket = await mouth.emit('message:send', { channelId: channel.id, content: 'x', nonce: both });
      expect(bySocket.message.id).to.equal(first.id);
      mouth.close();
    });

    it('count both where the key came later than the nonce, on every node, also at once', async () => {
      const [keys, nonces] = [
        [newKey(), newKey()],
        [newKey(), newKey()],
      ];
      const send = async (i: number, nonce?: string, key?: string) =>
        (await alice(i).post(path(), { content: `try ${i}`, nonce }, key ? keyed(key) : {})).body.id;
      const [key = '', other = ''] = keys;
      const [nonce, late] = nonces;
      const first = await send(0, nonce);
      expect(await send(1, nonce, key)).to.equal(first);
      expect(await send(2, undefined, key)).to.equal(first);
      expect(await send(3, newKey(), key)).to.equal(first);
      const ids = await Promise.all(Array.from({ length: 8 }, (_, i) => send(i, late, i % 2 ? other : undefined)));
      expect(new Set(ids).size).to.equal(1);
      expect(await send(1, undefined, other)).to.equal(ids[0]);
      // One key for what came by different nonces counts for one of them.
      const [one, two, both] = [newKey(), newKey(), newKey()];
      const sent = [await send(0, one), await send(0, two)];
      await Promise.all([send(0, one, both), send(0, two, both)]);
      expect(sent).to.include(await send(1, undefined, both));
    });

    it('count by the key where they were used for different messages', async () => {
      const [key, nonce] = [newKey(), newKey()];
      const byKey = (await alice(0).post(path(), { content: 'by key' }, keyed(key))).body;
      await alice(0).post(path(), { content: 'by nonce', nonce });
      expect((await alice(1).post(path(), { content: 'both', nonce }, keyed(key))).body).to.deep.equal(byKey);
    });

    it('do not meet: a key is no nonce', async () => {
      const { alice, channel } = here;
      const byNonce = await alice.say(channel.id, 'by nonce', { nonce: 'k' });
      const byKey = await alice.post(path(), { content: 'by key' }, keyed('k'));
      expect(byKey.status).to.equal(201);
      expect(byKey.body.id).not.to.equal(byNonce.id);
      expect(byKey.body.nonce ?? null).to.equal(null);
      for (const nonce of ['\u0001k', 'key:k']) {
        const other = await alice.post(path(), { content: 'other', nonce });
        expect(other.body).to.include({ content: 'other', nonce });
      }
      expect((await alice.post(path(), { content: 'again' }, keyed('k'))).body.id).to.equal(byKey.body.id);
    });

    it('still hold when the message was changed or deleted since', async () => {
      const { alice, channel } = here;
      const sent = await alice.say(channel.id, 'first', { nonce: 'n-3' });
      await alice.patch(`/api/messages/${sent.id}`, { content: 'edited' });
      expect((await alice.post(path(), { content: 'first', nonce: 'n-3' })).body.id).to.equal(sent.id);
      await alice.delete(`/api/messages/${sent.id}`);
      const again = await alice.post(path(), { content: 'first', nonce: 'n-3' });
      expect(again.status).to.equal(200);
      expect(again.body.id).to.equal(sent.id);
      expect(await count()).to.equal(0);
    });

    it('still hold where nothing more may be sent since, as long as one is there', async () => {
      const { alice, bob, channel, server } = here;
      const parentMessageId = (await alice.say(channel.id, 'parent')).id;
      const thread = await alice.post(`/api/channels/${channel.id}/threads`, { name: 'talk', parentMessageId });
      const dm = await alice.post('/api/dm/channels', { userId: bob.id });
      const [inThread, inDm] = [`/api/threads/${thread.body.id}/messages`, `/api/dm/channels/${dm.body.id}/messages`];
      const ends: [string, () => Promise<Loose>, string][] = [
        [inThread, () => alice.patch(`/api/threads/${thread.body.id}`, { isArchived: true }), 'THREAD_ARCHIVED'],
        [inDm, () => alice.put(`/api/friends/blocks/${bob.id}`), 'BLOCKED'],
        [path(), () => alice.post(`/api/channels/${channel.id}/archive`), 'CHANNEL_ARCHIVED'],
      ];
      for (const [place, end, code] of ends) {
        const nonce = newKey();
        const key = keyed(newKey());
        const byNonce = await bob.post(place, { content: 'once', nonce });
        const byKey = await bob.post(place, { content: 'once' }, key);
        await end();
        expect((await bob.post(place, { content: 'once', nonce })).body.id).to.equal(byNonce.body.id);
        expect((await bob.post(place, { content: 'once' }, key)).body.id).to.equal(byKey.body.id);
        expect((await bob.post(place, '{', key)).body.id).to.equal(byKey.body.id);
        expectError(await bob.post(place, { content: 'new', nonce: newKey() }), code);
      }
      const nonce = newKey();
      await alice.post(`/api/channels/${channel.id}/unarchive`);
      await bob.say(channel.id, 'once', { nonce });
      await alice.delete(`/api/servers/${server.id}/members/${bob.id}`);
      expectError(await bob.post(path(), { content: 'once', nonce }), 'CHANNEL_NOT_FOUND');
    });

    it('are checked: 1 to 64 characters, a text', async () => {
      for (const nonce of ['', 'x'.repeat(65), 7, {}, '\0']) {
        expectError(await here.alice.post(path(), { content: 'x', nonce }), 'VALIDATION_FAILED');
      }
      expect((await here.alice.post(path(), { content: 'x', nonce: 'x'.repeat(64) })).status).to.equal(201);
    });
  });
});
