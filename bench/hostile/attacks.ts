import { createHmac } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { Attacker } from './attacker.ts';
import { brokenPictures, form, manySizes, nested } from './nasty.ts';

/** By name; each goes on until the attacker is over. */
export const attacks: Record<string, (attacker: Attacker) => Promise<void>> = {
  'nested JSON, before sign-in': (a) =>
    a.loop(8, () => a.ask('POST', '/api/auth/disconnect', { body: nested.brackets })),
  'nested JSON in the connect of a socket': (a) => a.loop(8, async () => (await a.socket(nested.objects)).terminate()),
  'JSON of very many values, signed in': (a) =>
    a.loop(8, () => a.askAs('POST', `/api/channels/${a.target.channels[0]}/messages`, { body: nested.keys })),
  'events of 2 MB': async (a) => {
    const texts = [nested.brackets, nested.keys, nested.numbers, JSON.stringify('x'.repeat(2_000_000))];
    await a.loop(8, async () => {
      const socket = await a.socket(JSON.stringify({ token: a.token }));
      for (const text of texts) {
        if (socket.readyState !== socket.OPEN) break;
        socket.send(`42["message:send",${text}]`);
        await a.pause(100);
      }
      socket.terminate();
    });
  },
  '1500 half-sent requests and slow heads': async (a) => {
    const head = 'POST /api/auth/login HTTP/1.1\r\nHost: parley\r\nContent-Type: application/json\r\n';
    const texts = [`${head}Content-Length: 10000\r\n\r\n{"email":`, head, `${head}Transfer-Encoding: chunked\r\n\r\n`];
    const drip = ['a', 'x', '1\r\na\r\n'];
    for (let i = 0; i < 1500 && !a.isOver; i++) {
      const socket = await a.raw();
      socket.write(texts[i % 3] ?? '');
      const timer = setInterval(() => socket.write(drip[i % 3] ?? ''), 1000);
      socket.on('close', () => clearInterval(timer));
      a.count('opened');
    }
    await a.loop(1, () => a.pause(100));
  },
  'slow readers of large answers': async (a) => {
    const paths = ['/api/openapi.json', `/api/servers/${a.target.largeServer}/workspace/tree`, '/app'];
    for (let i = 0; i < 200 && !a.isOver; i++) {
      const socket = await a.raw();
      socket.write(`GET ${paths[i % 3]} HTTP/1.1\r\nHost: parley\r\nAuthorization: Bearer ${a.token}\r\n\r\n`);
      const timer = setInterval(() => socket.read(1), 1000);
      socket.on('close', () => clearInterval(timer));
      a.count('opened');
    }
    await a.loop(1, () => a.pause(100));
  },
  'ZIP of 3 000 files, given up': (a) => givenUp(a, '3000'),
  'ZIP of 15 000 files, given up': (a) => givenUp(a, '15000'),
  'ZIP bomb and ZIP of 2 000 entries as apps': (a) => {
    let n = 0;
    return a.loop(6, () => {
      const fileId = a.target.archives[n++ % a.target.archives.length];
      return a.askAs('POST', `/api/servers/${a.target.server}/apps`, {
        body: JSON.stringify({ name: `zip ${n}`, type: 'zip', fileId }),
      });
    });
  },
  'tree of 48 000 nodes': (a) =>
    a.loop(10, () => a.askAs('GET', `/api/servers/${a.target.largeServer}/workspace/tree`)),
  'HEIC of 13 100 sizes': (a) => a.loop(8, () => upload(a, 'a.heic', manySizes)),
  'other broken pictures': (a) => {
    let n = 0;
    return a.loop(8, () => upload(a, 'picture', brokenPictures[n++ % brokenPictures.length] ?? manySizes));
  },
  '240 requests to an app that never answers': (a) =>
    a.loop(240, () => a.ask('GET', `/api/app-proxy/${a.target.app}/`, { giveUpMs: 3000 })),
  'API documents and the web app': (a) => {
    const paths = ['/api/openapi.json', '/app', '/docs', '/api/asyncapi.json'];
    let n = 0;
    return a.loop(16, () => a.ask('GET', paths[n++ % paths.length] ?? '/'));
  },
  'searches with nasty queries': (a) => {
    const queries = [
      '-a',
      '"'.repeat(256),
      'or '.repeat(85),
      '-'.repeat(256),
      'a '.repeat(128),
      '中'.repeat(256),
      '%_\\'.repeat(80),
    ];
    let n = 0;
    return a.loop(16, () => {
      const query = encodeURIComponent(queries[n++ % queries.length] ?? '');
      const paths = [`/api/search/messages?query=${query}`, `/api/servers/discover?query=${query}`];
      return a.askAs(
        'GET',
        paths[n % 3] ?? `/api/servers/${a.target.largeServer}/workspace/files/search?query=${query}`,
      );
    });
  },
  'deep pages': (a) => {
    const paths = [
      '/api/notifications?offset=100000',
      '/api/servers/discover?offset=10000',
      `/api/servers/${a.target.server}/apps?offset=1000000`,
      `/api/channels/${a.target.channels[0]}/messages?after=0&limit=100`,
    ];
    let n = 0;
    return a.loop(16, () => a.askAs('GET', paths[n++ % paths.length] ?? '/'));
  },
  'messages up to the limits': (a) =>
    onSockets(a, 20, (i) => ['message:send', { channelId: room(a, i), content: 'spam' }]),
  'joins and leaves': (a) =>
    onSockets(a, 20, (i) => [i % 2 ? 'channel:leave' : 'channel:join', { channelId: room(a, Math.floor(i / 2)) }]),
  'messages with thousands of mentions': (a) => {
    const texts = [0, 1, 2].map((kind) => mentions(kind));
    return onSockets(a, 10, (i) => ['message:send', { channelId: room(a, i), content: texts[i % 3] }]);
  },
  'uploads given up half-way': async (a) => {
    const half = Buffer.alloc(3_000_000, 'x');
    const { type, body } = form('half.bin', half);
    await a.loop(8, async () => {
      const socket = await a.raw();
      const paths = [`/api/servers/${a.target.server}/workspace/upload`, '/api/media/upload'];
      const lines = [
        `POST ${paths[Math.random() < 0.5 ? 0 : 1]} HTTP/1.1`,
        'Host: parley',
        `Authorization: Bearer ${a.token}`,
      ];
      socket.write(`${[...lines, `Content-Type: ${type}`, 'Content-Length: 9000000'].join('\r\n')}\r\n\r\n`);
      socket.write(body);
      await a.pause(150);
      socket.destroy();
      a.count('given up');
    });
  },
  'uploads to a folder that is not there': (a) => {
    const { type, body } = form('a.bin', Buffer.alloc(1_000_000, 'y'), { parentId: crypto.randomUUID() });
    const path = `/api/servers/${a.target.server}/workspace/upload`;
    return a.loop(8, () => a.askAs('POST', path, { body, headers: { 'content-type': type } }));
  },
  'refused tokens': (a) =>
    a.loop(32, () => a.ask('GET', '/api/auth/me', { headers: { authorization: `Bearer ${forged()}` } })),
  'logins with wrong passwords': (a) => {
    let n = 0;
    const body = () => JSON.stringify({ email: `attacker${n++ % 5}@example.com`, password: `wrong ${n}` });
    return a.loop(16, () => a.ask('POST', '/api/auth/login', { body: body() }));
  },
  '300 sockets a second with bad tokens': (a) =>
    a.loop(1, async () => {
      for (let i = 0; i < 30; i++)
        void a.socket(JSON.stringify({ token: forged() })).then((socket) => socket.terminate());
      await a.pause(100);
    }),
};

function givenUp(a: Attacker, files: string): Promise<void> {
  const path = `/api/servers/${a.target.server}/workspace/folders/${a.target.folders[files]}/download`;
  return a.loop(20, () => a.askAs('GET', path, { giveUpMs: 50 + Math.random() * 400 }));
}

function upload(a: Attacker, name: string, bytes: Buffer): Promise<void> {
  const { type, body } = form(name, bytes);
  return a.askAs('POST', '/api/media/upload', { body, headers: { 'content-type': type } });
}

/** As many events as a few sockets can send. */
async function onSockets(a: Attacker, count: number, event: (i: number) => [string, object]): Promise<void> {
  const sockets: WebSocket[] = [];
  for (let i = 0; i < count; i++) sockets.push(await a.socket(JSON.stringify({ token: a.token })));
  for (const socket of sockets) {
    for (const channelId of a.target.channels)
      socket.send(`42${channelId.length}["channel:join",{"channelId":"${channelId}"}]`);
  }
  let n = 0;
  await a.loop(1, async () => {
    for (const socket of sockets) {
      if (socket.readyState === socket.OPEN) socket.send(`42${n}${JSON.stringify(event(n))}`);
      n++;
    }
    await a.pause(20);
  });
}

const room = (a: Attacker, i: number) => a.target.channels[i % a.target.channels.length] ?? '';

function mentions(kind: number): string {
  if (kind === 0) return '<@'.repeat(8000);
  if (kind === 1)
    return Array.from({ length: 2600 }, (_, i) => `@u${i}`)
      .join(' ')
      .slice(0, 16_000);
  return Array.from({ length: 400 }, () => `<@${crypto.randomUUID()}>`)
    .join('')
    .slice(0, 16_000);
}

let serial = 0;
/** A token of the right form that somebody else signed. */
function forged(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: crypto.randomUUID(), exp: 4e9, n: serial++ })}`;
  return `${signed}.${createHmac('sha256', 'not the secret').update(signed).digest('base64url')}`;
}
