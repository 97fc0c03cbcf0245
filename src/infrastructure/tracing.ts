import type { Context, Next } from 'koa';
import type { StatementWatch } from '../database/statements.ts';
import type { Settings } from '../settings.ts';
import type { Log } from './log.ts';
import { matchedRoute } from './matched-route.ts';

/** A piece of work in a trace. */
export interface Span {
  /** @param name as in OpenTelemetry's semantic conventions, where they have one */
  set(name: string, value: string | number): void;
  /** @param code what went wrong, without anything of a request in it */
  fail(code: string): void;
}

export interface SpanSpec {
  name: string;
  /** `server`: it answers someone outside. */
  kind: 'server' | 'internal';
  /** Whose trace it belongs to, as the header `traceparent` says (W3C Trace Context). */
  parent?: string;
  /** It belongs to none: others' work is done in it too. */
  alone?: boolean;
}

/** Where the time goes, for those who run an OpenTelemetry collector. */
export interface Tracing {
  /** Runs `work` in a span; what it starts becomes a part of it. A failure marks the span and is thrown on. */
  span<T>(spec: SpanSpec, work: (span: Span) => Promise<T>): Promise<T>;
  /** Makes statements a part of the span they are run in; null: nobody wants to know. */
  statements: StatementWatch | null;
  /** Sends off what is left. */
  close(): Promise<void>;
}

const silent: Span = { set() {}, fail() {} };

/** Nothing is loaded, nothing is noted. */
export const untraced: Tracing = { span: (_, work) => work(silent), statements: null, close: async () => {} };

/** Tracing as the environment asks for it. The parts of OpenTelemetry are loaded only then. */
export async function openTracing(
  { tracesUrl }: Pick<Settings, 'tracesUrl'>,
  nodeId: string,
  log: Log,
): Promise<Tracing> {
  if (!tracesUrl) return untraced;
  const { exportTraces } = await import('./otlp.ts');
  return exportTraces(tracesUrl, nodeId, log);
}

/** A span for each request. */
export const traceRequests =
  (tracing: Tracing) =>
  (context: Context, next: Next): Promise<void> => {
    if (tracing === untraced) return next();
    const spec = { name: context.method, kind: 'server', parent: context.get('traceparent') } as const;
    return tracing.span(spec, async (span) => {
      await next();
      span.set('http.request.method', context.method);
      span.set('http.route', matchedRoute(context));
      span.set('http.response.status_code', context.status);
      span.set('parley.request_id', String(context.state.requestId));
      if (context.status >= 500) span.fail(String(context.status));
    });
  };
