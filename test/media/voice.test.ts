import { expect } from 'chai';
import type { Loose, Person } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

/** The beginnings of the files that browsers record, and of others. */
const webm = Buffer.from(
  '1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878104428581021853806701ffffffffffffff',
  'hex',
);
const ogg = Buffer.concat([
  Buffer.from('4f67675300020000000000000000010000000000000001134f707573486561640101380180bb0000000000', 'hex'),
  Buffer.alloc(64),
]);
const wave = Buffer.from([0, 40, 255, 3]).toString('base64');

async function upload(
  who: Person,
  bytes: Uint8Array,
  fields: Record<string, string>,
): Promise<{ status: number; body: Loose }> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([Uint8Array.from(bytes)]), 'said');
  const headers = { authorization: `Bearer ${who.token}` };
  const response = await fetch(`${who.node.url}/api/media/upload`, { method: 'POST', body: form, headers });
  return { status: response.status, body: await response.json() };
}

describe('voice messages', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  const told = { voice: 'true', durationMs: '2400', waveform: wave };

  it('are files of messages that say how long and how loud they are', async () => {
    const { alice, bob, channel } = here;
    for (const [bytes, type] of [
      [webm, /^audio\/webm$/],
      [ogg, /^audio\/ogg/],
    ] as const) {
      const { status, body } = await upload(alice, bytes, told);
      expect([status, body.voice, body.durationMs, body.waveform]).to.deep.equal([201, true, 2400, wave]);
      expect(body.contentType).to.match(type);
      const said = await alice.say(channel.id, '', { attachments: [{ id: body.id }] });
      const [record] = (await bob.get(`/api/messages/${said.id}`)).body.attachments;
      expect(record).to.include({ voice: true, durationMs: 2400, waveform: wave, contentType: body.contentType });
      const headers = { authorization: `Bearer ${bob.token}` };
      const response = await fetch(`${bob.node.url}${record.url}`, { headers });
      expect(response.headers.get('content-type')).to.match(type);
      expect(response.headers.get('content-disposition')).to.include('inline');
    }
  });

  it('are refused where they are no sound, or what is said of them is out of bounds', async () => {
    const { alice } = here;
    const bad: [Uint8Array, Record<string, string>, string][] = [
      [Buffer.from('words'), told, 'voice'],
      [webm, { voice: 'true' }, 'durationMs'],
      [webm, { ...told, durationMs: '0' }, 'durationMs'],
      [webm, { ...told, durationMs: '-1' }, 'durationMs'],
      [webm, { ...told, durationMs: '86400001' }, 'durationMs'],
      [webm, { ...told, durationMs: 'x' }, 'durationMs'],
      [webm, { ...told, waveform: 'no base64!' }, 'waveform'],
      [webm, { ...told, waveform: Buffer.alloc(97).toString('base64') }, 'waveform'],
      [webm, { ...told, waveform: '' }, 'waveform'],
      [webm, { ...told, voice: 'yes' }, 'voice'],
      [webm, { width: '0' }, 'width'],
      [webm, { width: '99999' }, 'width'],
    ];
    for (const [bytes, fields, path] of bad) {
      const { status, body } = await upload(alice, bytes, fields);
      expect(
        [status, body.code, body.errors?.[0]?.path ?? body.details?.[0]?.path],
        JSON.stringify(fields),
      ).to.include.members(['VALIDATION_FAILED']);
      expect(JSON.stringify(body)).to.include(path);
    }
  });

  it('are apart from other files: those have what was said of videos and of sound, and nothing else', async () => {
    const { alice } = here;
    const video = await upload(alice, webm, { width: '640', height: '360', durationMs: '9000', waveform: wave });
    expect(video.body).to.include({ contentType: 'video/webm', width: 640, height: 360, durationMs: 9000 });
    expect(video.body).to.include({ voice: false, waveform: null });
    const text = await upload(alice, Buffer.from('words'), { width: '640', height: '360', durationMs: '9000' });
    expect(text.body).to.include({ width: null, height: null, durationMs: null, voice: false });
  });
});
