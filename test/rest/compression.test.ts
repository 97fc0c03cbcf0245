import { type IncomingHttpHeaders, request } from 'node:http';
import { brotliDecompressSync } from 'node:zlib';
import { expect } from 'chai';
import { type World, world } from '../world/world.ts';

describe('a long answer', () => {
  let here: World;

  before(async () => {
    here = await world();
    for (let i = 0; i < 30; i++) await here.alice.say(here.channel.id, `message ${i}`);
  });
  after(() => here.close());

  const address = () => `/api/channels/${here.channel.id}/messages?limit=30`;
  const ask = (path: string, encoding?: string): Promise<{ headers: IncomingHttpHeaders; bytes: Buffer }> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${here.alice.token}`, ...(encoding && { 'accept-encoding': encoding }) };
      const sent = request(here.alice.node.url + path, { headers }, async (answer) => {
        const pieces: Buffer[] = [];
        for await (const piece of answer) pieces.push(piece);
        resolve({ headers: answer.headers, bytes: Buffer.concat(pieces) });
      });
      sent.once('error', reject).end();
    });

  it('comes packed to those who take it so, and says the same', async () => {
    const plain = await ask(address());
    const small = await ask(address(), 'gzip, deflate, br');
    expect(plain.headers['content-encoding']).to.equal(undefined);
    expect(small.headers['content-encoding']).to.equal('br');
    for (const { headers } of [plain, small]) expect(headers.vary).to.contain('Accept-Encoding');
    expect(brotliDecompressSync(small.bytes).equals(plain.bytes)).to.equal(true);
    expect(small.bytes.length).to.be.below(plain.bytes.length / 4);
  });

  it('stays as it is for those who refuse that, and so does a short one', async () => {
    const refused = await ask(address(), 'gzip, br;q=0');
    expect(refused.headers['content-encoding']).to.equal(undefined);
    const short = await ask('/api/auth/me', 'br');
    expect(short.headers['content-encoding']).to.equal(undefined);
  });
});
