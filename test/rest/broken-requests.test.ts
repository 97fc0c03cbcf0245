// nodes: own

import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { createHttpServer } from '../../src/gateway/http-server.ts';
import { world } from '../world/world.ts';

const host = 'Host: here\r\n';

/** What comes back on one connection for what is sent there, until it is closed. */
async function exchange(port: number, ...pieces: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const answers = text(socket);
  for (const piece of pieces) {
    socket.write(piece);
    await delay(20);
  }
  return answers;
}

describe('what is no request', () => {
  let port: number;
  let close: () => void;
  before(async () => {
    const here = await world();
    close = () => here.close();
    port = Number(new URL(here.alice.node.url).port);
  });
  after(() => close());

  const cases: [what: string, sent: string, status: number, code: string][] = [
    ['another protocol', 'hello there\r\n\r\n', 400, 'MALFORMED_REQUEST'],
    [
      'two lengths',
      `POST /api/auth/login HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
      400,
      'MALFORMED_REQUEST',
    ],
    [
      'headers without end',
      `GET / HTTP/1.1\r\n${host}X-Long: ${'x'.repeat(200_000)}\r\n\r\n`,
      431,
      'HEADERS_TOO_LARGE',
    ],
    [
      'a body in broken pieces',
      `POST /api/auth/login HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nnonsense\r\n`,
      400,
      'MALFORMED_REQUEST',
    ],
  ];
  for (const [what, sent, status, code] of cases) {
    it(`is answered as every other error: ${what}`, async () => {
      const [head = '', body = ''] = (await exchange(port, sent)).split('\r\n\r\n');
      expect(head)
        .to.match(new RegExp(`^HTTP/1.1 ${status} `))
        .and.contain('application/json');
      const said = JSON.parse(body);
      expect(said).to.include({ ok: false, code });
      expect(said.error).to.be.a('string');
      expect(head).to.contain(`X-Request-Id: ${said.requestId}`);
      expect(head).to.contain(`Content-Length: ${Buffer.byteLength(body)}`);
    });
  }

  it('ends the connection after the answers that came before', async () => {
    const first = `GET /healthz HTTP/1.1\r\n${host}\r\n`;
    const answers = await exchange(port, first, 'nonsense\r\n\r\n');
    expect([...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)).to.deep.equal(['200', '400']);
  });

  it('is not mixed into an answer that is on its way', async () => {
    const server: Server = createHttpServer((_request, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('half');
    }, 1);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address: AddressInfo | string | null = server.address();
    const own = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const answer = await exchange(own, `GET / HTTP/1.1\r\n${host}\r\n`, 'nonsense\r\n\r\n').catch(() => '');
    expect(answer).to.not.contain('MALFORMED_REQUEST');
    server.close();
  });
});
