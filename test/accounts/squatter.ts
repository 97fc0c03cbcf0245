import { expect } from 'chai';
import type { Node } from '../../src/node/node.ts';
import { until } from '../rig/until.ts';
import { type Answer, type Listener, Person, request } from '../world/person.ts';
import { register } from '../world/world.ts';
import { Browser } from './browser.ts';
import type { Issuer } from './identity-provider.ts';

/** Where they register, and with which provider they link an account of their own. */
export interface Place {
  nodes: Node[];
  site: string;
  issuer: Issuer;
}

/** Everything that someone can arm an account with. */
export class Armed {
  readonly person: Person;
  readonly email: string;
  readonly pat: Person;
  readonly bot: Person;
  readonly agentId: string;
  readonly modelToken: string;
  readonly subject: string;
  readonly sockets: Listener[];
  private readonly place: Place;

  private constructor(place: Place, parts: Omit<Armed, 'place' | 'idToken' | 'doors' | 'hangUp' | 'login'>) {
    this.place = place;
    this.person = parts.person;
    this.email = parts.email;
    this.pat = parts.pat;
    this.bot = parts.bot;
    this.agentId = parts.agentId;
    this.modelToken = parts.modelToken;
    this.subject = parts.subject;
    this.sockets = parts.sockets;
  }

  /** Registers with an address, whoever's it is, and makes one of everything; its sockets are on the last node. */
  static async at(place: Place, email: string, more: object = {}): Promise<Armed> {
    const [node] = place.nodes;
    const last = place.nodes.at(-1);
    if (!node || !last) throw new Error('no node');
    const person = await register(node, { email, ...more });
    const account = { id: person.id, username: person.username, refreshToken: '' };
    const made = async (path: string, body: object) => {
      const answer = await person.post(path, body);
      if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    };
    const token: string = (await made('/api/tokens', { name: 'mine', scope: 'user:write' })).token;
    const agent = await made('/api/agents', { name: `${person.username}-bot` });
    const hook = await person.put(`/api/agents/${agent.id}/webhook`, { url: 'http://127.0.0.1:9/' });
    expect(hook.status).to.be.oneOf([200, 201]);
    const modelToken: string = (await made('/api/ai/tokens', { runtimeId: 'mine' })).token;
    const subject = `own-of-${person.username}`;
    await link(place, person, subject);
    const pat = new Person(node, { ...account, token });
    const bot = new Person(node, { id: agent.userId, username: agent.name, token: agent.token, refreshToken: '' });
    const sockets = await Promise.all([person, pat, bot].map((who) => who.on(last).connect()));
    return new Armed(place, { person, email, pat, bot, agentId: agent.id, modelToken, subject, sockets });
  }

  /** Signs in with the provider's account that was linked; the provider knows no address of it. */
  async idToken(node: Node): Promise<Answer> {
    const idToken = await this.place.issuer.token({ sub: this.subject });
    return request(node, 'POST', '/api/auth/corp/id-token', { idToken });
  }

  login(node: Node, password = 'correct horse'): Promise<Answer> {
    return request(node, 'POST', '/api/auth/login', { email: this.email, password });
  }

  /** What each way in answers at a node: its status and, where it is refused, its code. */
  async doors(node: Node): Promise<Record<string, string>> {
    const at = ({ status, body }: Answer) => `${status} ${body.code ?? ''}`.trim();
    const socket = (who: Person) => knock(who.on(node));
    const model = await request(node, 'GET', '/api/ai/v1/models', undefined, {
      authorization: `Bearer ${this.modelToken}`,
    });
    const refreshed = await request(node, 'POST', '/api/auth/refresh', { refreshToken: this.person.refreshToken });
    return {
      access: at(await this.person.on(node).get('/api/auth/me')),
      refresh: at(refreshed),
      pat: at(await this.pat.on(node).get('/api/auth/me')),
      bot: at(await this.bot.on(node).get('/api/auth/me')),
      model: String(model.status),
      password: at(await this.login(node)),
      accessSocket: await socket(this.person),
      patSocket: await socket(this.pat),
      botSocket: await socket(this.bot),
    };
  }

  hangUp(): void {
    for (const who of [this.person, this.pat, this.bot]) who.hangUp();
  }
}

/** What is true of someone of whom nothing was ended; there is no model here, which only those learn who may ask. */
export const open = {
  ...{ access: '200', refresh: '200', pat: '200', bot: '200', model: '503', password: '200' },
  ...{ accessSocket: 'ready', patSocket: 'ready', botSocket: 'ready' },
};

/** What is left of an account that was taken over. */
export const shut = {
  access: '401 SESSION_REVOKED',
  refresh: '401 REFRESH_TOKEN_INVALID',
  pat: '401 PAT_TOKEN_INVALID',
  bot: '401 ACCESS_TOKEN_INVALID',
  model: '401',
  password: '401 INVALID_CREDENTIALS',
  accessSocket: 'SESSION_REVOKED',
  patSocket: 'PAT_TOKEN_INVALID',
  botSocket: 'ACCESS_TOKEN_INVALID',
};

/** What a socket is told: `ready`, or the code with which it is refused. */
async function knock(who: Person): Promise<string> {
  const listener = who.dial();
  let refusal: string | undefined;
  listener.socket.on('connect_error', (error: Error & { data?: { code?: string } }) => {
    refusal = error.data?.code ?? error.message;
  });
  const outcome = await until(() => refusal ?? (listener.all('ready').length > 0 ? 'ready' : undefined));
  listener.close();
  return outcome;
}

/** Links an account at the provider to someone. */
export async function link({ nodes: [node], site, issuer }: Place, person: Person, subject: string): Promise<void> {
  if (!node) throw new Error('no node');
  const answer = await person.post('/api/auth/oauth/corp/link');
  issuer.signsIn = { sub: subject };
  const browser = new Browser({ [site]: node.url });
  browser.keep(site, answer);
  const end = await browser.follow(answer.body.url, (url) => url.origin === site && url.pathname.startsWith('/app/'));
  expect(end.pathname).to.equal('/app/oauth-callback');
}
