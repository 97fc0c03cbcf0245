import { expect } from 'chai';
import type { Loose, Person } from '../world/person.ts';
import { register, type World, world } from '../world/world.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAFElEQVR4nGP8z8DAwMDAxAADCAYAAB4EAQMvYJ3sAAAAAElFTkSuQmCC',
  'base64',
);

describe('files that come in parts', () => {
  let here: World;
  let alice: Person;

  before(async () => {
    here = await world();
  });
  beforeEach(async () => {
    alice = await register(here.alice.node);
  });
  after(() => here.close());

  const part = (who: Person, bytes: Uint8Array<ArrayBuffer>): Promise<Loose> =>
    who.upload('a part', bytes, { part: 'true' });
  const join = (who: Person, parts: string[], more: Loose = {}) =>
    who.post('/api/media/join', { parts, filename: 'whole.png', ...more });
  const used = async () => (await alice.get('/api/auth/me/storage')).body.usedBytes;
  const bytesOf = async (id: string) => {
    const answer = await fetch(`${alice.node.url}/api/media/${id}`, {
      headers: { authorization: `Bearer ${alice.token}` },
    });
    return answer.status === 200 ? Buffer.from(await answer.arrayBuffer()) : answer.status;
  };

  it('become one file, in their order, that is what all of it is, and count once', async () => {
    const [first, second] = [await part(alice, png.subarray(0, 30)), await part(alice, png.subarray(30))];
    // The beginning of a picture is none.
    expect([first.contentType, first.width]).to.deep.equal(['application/octet-stream', null]);
    const { status, body } = await join(alice, [first.id, second.id], { isSpoiler: true });
    expect(status).to.equal(201);
    expect(body).to.deep.include({
      filename: 'whole.png',
      contentType: 'image/png',
      size: png.length,
      width: 3,
      height: 2,
    });
    expect([body.isSpoiler, body.voice, body.key]).to.deep.equal([true, false, body.id]);
    expect(await bytesOf(body.id)).to.deep.equal(png);
    expect(await bytesOf(first.id)).to.equal(404);
    expect(await used()).to.equal(png.length);
  });

  it('are uploads of the same person that were not sent, each joined once', async () => {
    const [mine, others] = [await part(alice, png), await part(here.bob, png)];
    expect((await join(alice, [mine.id, others.id])).body.code).to.equal('ATTACHMENT_NOT_FOUND');
    expect((await join(alice, [mine.id, mine.id])).body.code).to.equal('VALIDATION_FAILED');
    const both = await Promise.all([join(alice, [mine.id]), join(alice, [mine.id])]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([201, 404]);
    expect(await used()).to.equal(png.length);
    const { id } = (await alice.post('/api/dm/channels', { userId: here.bob.id })).body;
    const sent = await part(alice, png);
    await alice.say(id, 'with a part', { attachments: [{ id: sent.id }] });
    expect((await join(alice, [sent.id])).body.code).to.equal('ATTACHMENT_NOT_FOUND');
  });

  it('are deleted before they are sent by whoever uploaded them, and not after', async () => {
    const mine = await part(alice, png);
    expect((await here.bob.delete(`/api/attachments/${mine.id}`)).body.code).to.equal('ATTACHMENT_NOT_FOUND');
    expect((await alice.delete(`/api/attachments/${mine.id}`)).status).to.equal(200);
    expect((await alice.delete(`/api/attachments/${mine.id}`)).body.code).to.equal('ATTACHMENT_NOT_FOUND');
    expect(await used()).to.equal(0);
    const { id } = (await alice.post('/api/dm/channels', { userId: here.bob.id })).body;
    const sent = await part(alice, png);
    await alice.say(id, 'sent', { attachments: [{ id: sent.id }] });
    expect((await alice.delete(`/api/attachments/${sent.id}`)).body.code).to.equal('ATTACHMENT_INVALID');
  });

  it('are no larger together than one file may be, which everyone can ask for', async () => {
    const { fileBytes } = (await alice.get('/api/auth/me/storage')).body;
    expect(fileBytes).to.be.above(0);
    const ofServer = (await here.alice.get(`/api/servers/${here.server.id}/storage`)).body;
    expect(ofServer.fileBytes).to.be.at.least(fileBytes);
    const half = await part(alice, Buffer.alloc(fileBytes / 2 + 1));
    const other = await part(alice, Buffer.alloc(fileBytes / 2 + 1, 1));
    const refused = await join(alice, [half.id, other.id]);
    expect([refused.status, refused.body.code]).to.deep.equal([413, 'BODY_TOO_LARGE']);
    // They are there still, to be joined otherwise.
    expect((await join(alice, [half.id])).status).to.equal(201);
  });
});
