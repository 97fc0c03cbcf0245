import { type Check, ok, problem, reasonOf, warning } from './check.ts';
import { answerMs } from './seen.ts';

const path = '/socket.io/?EIO=4&transport=';
/** With a balancer that spreads requests over two nodes, one in a thousand of such runs would look sticky. */
const sessions = 5;

/** Whether live connections get through: WebSockets, and long polls for those who have none. */
export async function socketChecks(site: URL, nodes: number): Promise<Check[]> {
  return [await webSocketCheck(site), await pollCheck(site, nodes)];
}

async function webSocketCheck(site: URL): Promise<Check> {
  const address = new URL(`${path}websocket`, site);
  address.protocol = site.protocol === 'https:' ? 'wss:' : 'ws:';
  const failure = await new Promise<string | null>((resolve) => {
    const socket = new WebSocket(address);
    const end = (reason: string | null) => {
      clearTimeout(timer);
      socket.close();
      resolve(reason);
    };
    const timer = setTimeout(() => end('no answer'), answerMs);
    // The node speaks first, before anyone has signed in.
    socket.onmessage = ({ data }) => end(String(data).startsWith('0{') ? null : 'an answer of something else');
    socket.onerror = () => end('the upgrade was refused');
    socket.onclose = () => end('it was closed at once');
  });
  if (failure === null) return ok('sockets.websocket', 'the upgrade gets through');
  return problem(
    'sockets.websocket',
    `no WebSocket gets through (${failure})`,
    'Have the proxy pass upgrades on (nginx: proxy_http_version 1.1, Upgrade and Connection headers): all clients poll meanwhile.',
  );
}

/** Each session is opened, written to and read: all three have to reach the node that opened it. */
async function pollCheck(site: URL, nodes: number): Promise<Check> {
  const name = 'sockets.polling';
  try {
    for (let session = 0; session < sessions; session++) {
      const failure = await pollOnce(site);
      if (failure !== null) return lost(name, failure, nodes);
    }
  } catch (error) {
    return problem(name, `long polling does not work (${reasonOf(error)})`, 'See the log of the proxy.');
  }
  return ok(name, `${sessions} sessions of long polls stayed with their nodes`);
}

function lost(name: string, failure: string, nodes: number): Check {
  const advice =
    'Make sessions sticky by a cookie (docs/deploying.md): clients behind proxies that refuse WebSockets depend on it.';
  const text = `a session of long polls was lost (${failure})`;
  return nodes === 1 ? warning(name, text, advice) : problem(name, text, advice);
}

/** @returns why the session was lost; null: it was not */
async function pollOnce(site: URL): Promise<string | null> {
  const opened = await send(site, 'GET', '', '');
  const sid = /"sid":"([\w-]+)"/.exec(opened.text)?.[1];
  if (opened.status !== 200 || sid === undefined) return `opening one was answered with ${opened.status}`;
  // A sign-in without a token is refused, which is an answer to read.
  const posted = await send(site, 'POST', sid, opened.cookie, '40');
  if (posted.status !== 200) return shown(posted);
  const read = await send(site, 'GET', sid, opened.cookie);
  if (read.status !== 200) return shown(read);
  await send(site, 'POST', sid, opened.cookie, '1');
  return null;
}

const shown = ({ status, text }: { status: number; text: string }) => `${status} ${text.slice(0, 80)}`;

async function send(site: URL, method: string, sid: string, cookie: string, body?: string) {
  const address = new URL(`${path}polling${sid && `&sid=${sid}`}`, site);
  const headers = { connection: 'close', ...(cookie && { cookie }), ...(body && { 'content-type': 'text/plain' }) };
  const signal = AbortSignal.timeout(answerMs);
  const response = await fetch(address, { method, headers, redirect: 'manual', signal, ...(body ? { body } : {}) });
  const given = response.headers.getSetCookie().map((one) => one.split(';')[0] ?? '');
  return { status: response.status, text: await response.text(), cookie: given.join('; ') };
}
