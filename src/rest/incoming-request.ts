import type { Context } from 'koa';
import { acceptedLanguage, type Language } from '../contract/languages.ts';
import type { AnyRequest, RawRequest, Route } from './route.ts';

type Checked = Pick<
  AnyRequest,
  'actor' | 'params' | 'query' | 'body' | 'headers' | 'file' | 'caller' | 'idempotencyKey'
>;

/** A request as its handler sees it: the declared inputs are validated, everything else is read on demand. */
export class IncomingRequest implements AnyRequest {
  readonly actor: AnyRequest['actor'];
  readonly params: AnyRequest['params'];
  readonly query: unknown;
  readonly body: unknown;
  readonly headers: unknown;
  readonly file: unknown;
  readonly caller: unknown;
  readonly idempotencyKey: string | null;
  private readonly route: Route;
  private readonly context: Context;

  constructor(route: Route, context: Context, checked: Checked) {
    this.route = route;
    this.context = context;
    this.actor = checked.actor;
    this.params = checked.params;
    this.query = checked.query;
    this.body = checked.body;
    this.headers = checked.headers;
    this.file = checked.file;
    this.caller = checked.caller;
    this.idempotencyKey = checked.idempotencyKey;
  }

  get host(): string {
    return this.context.host;
  }

  get ip(): string {
    return this.context.ip;
  }

  get userAgent(): string | null {
    return this.context.get('user-agent').slice(0, 500) || null;
  }

  get deviceName(): string | null {
    return this.context.get('x-device-name').slice(0, 100) || null;
  }

  get language(): Language | null {
    return acceptedLanguage(this.context.get('accept-language'));
  }

  get requestId(): string {
    return this.context.state.requestId;
  }

  readonly raw = (): RawRequest => rawRequest(this.route, this.context);

  readonly signal = (): AbortSignal => {
    const { res } = this.context;
    const controller = new AbortController();
    if (res.closed) controller.abort();
    else res.once('close', () => controller.abort());
    return controller.signal;
  };
}

function rawRequest(route: Route, context: Context): RawRequest {
  const { method, path, search, req } = context;
  const tail = route.path.split('/').findIndex((segment) => segment.startsWith('*'));
  const segments = tail < 0 ? [] : path.split('/').slice(tail);
  return {
    method,
    path,
    rest: segments.map((segment) => `/${segment}`).join(''),
    search,
    headers: req.headers,
    body: req,
  };
}
