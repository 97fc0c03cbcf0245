// nodes: one and two

import { expect } from 'chai';
import type { Loose } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const json = async (answer: Response): Promise<Loose> => answer.json();
const refused = async (answer: Response) => [answer.status, (await json(answer)).code];

describe('the files of a post to an incoming webhook', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  const make = async (): Promise<Loose> =>
    (await here.alice.post(`/api/channels/${here.channel.id}/hooks`, { name: 'Robot of builds' })).body;
  const messages = async (): Promise<Loose[]> =>
    (await here.bob.get(`/api/channels/${here.channel.id}/messages`)).body.messages;

  it('are attached, for all who are in the channel, and none is left behind', async () => {
    const { token, userId } = await make();
    const send = async (fields: Record<string, string>, files: Record<string, string>) => {
      const parts = new FormData();
      for (const [name, content] of Object.entries(files))
        parts.append(`files[${name}]`, new Blob([content]), `${name}.txt`);
      for (const [name, value] of Object.entries(fields)) parts.append(name, value);
      const sent = await fetch(`${here.bob.node.url}/hooks/${token}/discord?wait=true`, {
        method: 'POST',
        body: parts,
      });
      expect(sent.status).to.equal(200);
      return json(sent);
    };
    const told = [
      { id: 0, filename: 'zero.txt' },
      { id: 1, filename: '1.txt', description: 'the second' },
    ];
    const payload = { content: 'two files', attachments: told };
    const shown = await send({ payload_json: JSON.stringify(payload) }, { 0: 'first', 1: 'second' });
    expect(shown.attachments.map(({ filename, size }: Loose) => [filename, size])).to.deep.equal([
      ['0.txt', 5],
      ['1.txt', 6],
    ]);
    const [message] = await messages();
    expect(message.content).to.contain('two files').and.to.contain('the second').and.not.to.contain('zero');
    const headers = { authorization: `Bearer ${here.bob.token}` };
    const first = await fetch(here.bob.node.url + message.attachments[0].url, { headers });
    expect(await first.text()).to.equal('first');
    await send({}, { 0: 'alone' });
    expect((await messages())[0]).to.deep.include({ content: '' });
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [at, `number ${at}`]));
    await send({ payload_json: JSON.stringify({ content: 'many' }) }, many);
    const [last] = await messages();
    expect(last.attachments).to.have.lengthOf(10);
    expect(last.content).to.equal(
      'many\nfiles[10]: 10.txt (9 bytes, not taken)\nfiles[11]: 11.txt (9 bytes, not taken)',
    );
    // The same once more posts nothing, and keeps nothing.
    const repeat = async () => {
      const parts = new FormData();
      parts.append('payload_json', JSON.stringify({ content: 'once' }));
      parts.append('files[0]', new Blob(['abc']), 'log.txt');
      const with1 = { method: 'POST', body: parts, headers: { 'idempotency-key': 'the same' } };
      return json(await fetch(`${here.bob.node.url}/hooks/${token}?wait=true`, with1));
    };
    expect((await repeat()).id).to.equal((await repeat()).id);
    const unsent = 'SELECT id FROM attachments WHERE uploader_id = $1 AND message_id IS NULL';
    expect(await query(here.cluster.databaseUrl, unsent, [userId])).to.deep.equal([]);
  });

  it('are named in the text where the server has no room for them', async () => {
    const { token } = await make();
    const { databaseUrl } = here.cluster;
    const quota = 'INSERT INTO storage_quotas (subject_id, bytes) VALUES ($1, 1000)';
    await query(databaseUrl, quota, [here.server.id]);
    const send = (size: number) => {
      const parts = new FormData();
      parts.append('payload_json', JSON.stringify({ content: 'look' }));
      parts.append('files[0]', new Blob(['x'.repeat(size)]), 'log.txt');
      return fetch(`${here.bob.node.url}/hooks/${token}`, { method: 'POST', body: parts });
    };
    const sent = await Promise.all([send(600), send(600), send(600), send(5000)]);
    expect(sent.map(({ status }) => status)).to.deep.equal([204, 204, 204, 204]);
    const said = await messages();
    expect(said.filter(({ attachments }) => attachments.length === 1)).to.have.lengthOf(1);
    expect(said.map(({ content }) => content).sort()).to.deep.equal([
      'look',
      'look\nfiles[0]: log.txt (5000 bytes, not taken)',
      'look\nfiles[0]: log.txt (600 bytes, not taken)',
      'look\nfiles[0]: log.txt (600 bytes, not taken)',
    ]);
  });

  it('are no reason to lose a message', async () => {
    const { token } = await make();
    const send = async (content: string, size: number) => {
      const parts = new FormData();
      parts.append('file', new Blob(['x'.repeat(size)]), 'screen.png');
      parts.append('payload_json', JSON.stringify({ content }));
      return fetch(`${here.bob.node.url}/hooks/${token}`, { method: 'POST', body: parts });
    };
    expect((await send('look', 27_000_000)).status).to.equal(204);
    expect((await messages())[0].content).to.equal('look\nfile: screen.png (27000000 bytes, not taken)');
    expect(await refused(await send('more', 34_000_000))).to.deep.equal([413, 'BODY_TOO_LARGE']);
    expect(await refused(await send('y'.repeat(600_000), 1))).to.deep.equal([413, 'BODY_TOO_LARGE']);
  });
});
