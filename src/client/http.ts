import { asParleyError, errorBody, networkError, ParleyError } from './errors.ts';
import type { RestAnswer, RestArguments, RestCall } from './rest.ts';
import type { Session } from './session.ts';

/** How long a response may stall; as a whole it may take its time, on a slow line. */
const timeoutMs = 15_000;
/** For uploads and downloads. */
const transferTimeoutMs = 10 * 60_000;

/** Asks the user to confirm that it is them, by one of these methods. @returns whether they did */
export type Confirm = (methods: readonly string[]) => Promise<boolean>;

interface HttpOptions {
  confirm?: Confirm;
  fetch?: typeof fetch;
}

/** Sends a request as `fetch` does, and reports that more of its body was sent: `fetch` itself cannot tell. */
export type Transport = (url: string, request: RequestInit, onSent: () => void) => Promise<Response>;

/** How a call is made. */
export interface CallOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
  /** In place of `fetch`. */
  transport?: Transport | undefined;
}

interface Call {
  method: string;
  path: string;
  body: unknown;
  headers: Record<string, string>;
  signal: AbortSignal | undefined;
  timeoutMs: number;
  transport?: Transport | undefined;
}

/** REST calls. A refused access token is renewed once, and a call that has to be confirmed is made again once it is; nothing else is retried here. */
export class Http {
  private readonly url: string;
  private readonly session: Session;
  private readonly confirm: Confirm | undefined;
  private readonly fetch: typeof fetch;

  constructor(url: string, session: Session, options: HttpOptions = {}) {
    this.url = url;
    this.session = session;
    this.confirm = options.confirm;
    this.fetch = options.fetch ?? ((input, init) => fetch(input, init));
  }

  /** @throws ParleyError */
  async call<C extends RestCall>(
    name: C,
    [input]: RestArguments<C>,
    options: CallOptions = {},
  ): Promise<RestAnswer<C>> {
    const prepared = prepare(name, input ?? {});
    const isTransfer = prepared.body instanceof FormData || name.endsWith('/download');
    const patience = isTransfer ? transferTimeoutMs : timeoutMs;
    const { signal, transport } = options;
    const call = { ...prepared, signal, transport, timeoutMs: options.timeoutMs ?? patience };
    try {
      return await this.sendSignedIn(call);
    } catch (error) {
      const refused = asParleyError(error);
      if (refused.code !== 'CONFIRMATION_REQUIRED' || !(await this.confirm?.(refused.methods))) throw refused;
      return await this.sendSignedIn(call);
    }
  }

  /** Without a token, for calls that obtain one. @throws ParleyError */
  async open<C extends RestCall>(name: C, [input]: RestArguments<C>): Promise<RestAnswer<C>> {
    return this.send({ ...prepare(name, input ?? {}), signal: undefined, timeoutMs }, undefined);
  }

  private async sendSignedIn(call: Call) {
    const token = this.session.tokens?.accessToken;
    try {
      return await this.send(call, token);
    } catch (error) {
      const refused = asParleyError(error);
      const emptied = refused.code === 'AUTH_TOKEN_MISSING' && !this.session.tokens;
      if (refused.code === 'SESSION_REVOKED' || refused.code === 'ACCOUNT_SUSPENDED' || emptied)
        this.session.end(refused);
      if (!token || refused.code !== 'ACCESS_TOKEN_INVALID') throw refused;
      return await this.send(call, await this.session.renew(token));
    }
  }

  private async send(call: Call, token: string | undefined) {
    const headers = { ...call.headers };
    if (token) headers.authorization = `Bearer ${token}`;
    // The browser itself sets the boundary of a form.
    const isForm = call.body instanceof FormData;
    if (call.body !== undefined && !isForm) headers['content-type'] = 'application/json';
    const limit = new Silence(call.timeoutMs);
    const signal = call.signal ? AbortSignal.any([limit.signal, call.signal]) : limit.signal;
    const body = call.body instanceof FormData ? call.body : JSON.stringify(call.body);
    try {
      const request = { method: call.method, headers, body, signal };
      const url = this.url + call.path;
      const { transport } = call;
      const response = await (transport ? transport(url, request, () => limit.heard()) : this.fetch(url, request));
      const type = response.headers.get('content-type') ?? '';
      const bytes = await received(response, limit);
      if (response.ok && files.test(type)) return bytes;
      const text = await bytes.text();
      if (!type.includes('json')) throw networkError(`HTTP ${response.status}`);
      const answer = JSON.parse(text);
      // What waits for a moderator is accepted, and not done (contract §6).
      if (response.ok && !errorBody(answer)) return answer;
      throw asError(answer, response.status);
    } catch (error) {
      throw error instanceof ParleyError ? error : networkError(error);
    } finally {
      limit.end();
    }
  }
}

/** Aborts a transfer that has stalled for this long. */
class Silence {
  private readonly controller = new AbortController();
  readonly signal = this.controller.signal;
  private readonly ms: number;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number) {
    this.ms = ms;
    this.heard();
  }

  heard(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.controller.abort(), this.ms);
  }

  end(): void {
    clearTimeout(this.timer);
  }
}

/** What is a file, not a record. */
const files = /^(application\/(zip|x-ndjson)|text\/csv)\b/;

/** The body of a response, piece by piece if that is supported. */
async function received(response: Response, silence: Silence): Promise<Blob> {
  const reader = response.body?.getReader();
  if (!reader) return response.blob();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (;;) {
    silence.heard();
    const { done, value } = await reader.read();
    if (done) return new Blob(pieces, { type: response.headers.get('content-type') ?? '' });
    pieces.push(value);
  }
}

/** An error page that is not ours is from a proxy or the like in between: it counts as no answer. */
function asError(answer: unknown, status: number): ParleyError {
  const body = errorBody(answer);
  return body ? new ParleyError(body, status) : networkError(`HTTP ${status}`);
}

function prepare(name: string, input: object): Pick<Call, 'method' | 'path' | 'body' | 'headers'> {
  const [method = 'GET', pattern = '/'] = name.split(' ');
  const values = new Map<string, unknown>(Object.entries(input));
  const path = pattern.replace(/:(\w+)/g, (_, key) => encodeURIComponent(String(values.get(key))));
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(values.get('query') ?? {})) {
    if (value !== undefined && value !== null) query.set(key, String(value));
  }
  const text = query.size > 0 ? `?${query}` : '';
  const headers = Object.fromEntries(
    Object.entries(values.get('headers') ?? {}).map(([key, value]) => [key, String(value)]),
  );
  return { method, path: path + text, body: values.get('form') ?? values.get('body'), headers };
}
