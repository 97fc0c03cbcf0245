import type { Context, Next } from 'koa';
import type { Settings } from '../settings/settings.ts';
import type { Log } from './log.ts';
import { matchedRoute } from './matched-route.ts';
import type { StatementWatch } from './statement-watch.ts';

/** A span. */
export interface Span {
  /** @param name as in OpenTelemetry's semantic conventions, where they have one */
  set(name: string, value: string | number): void;
  /** @param code the error's code, without anything from the request */
  fail(code: string): void;
}

export interface SpanSpec {
  name: string;
  /** `server`: it answers an outside request. */
  kind: 'server' | 'internal';
  /** The trace it belongs to, from the header `traceparent` (W3C Trace Context). */
  parent?: string;
  /** A trace of its own: the work serves other callers too. */
  alone?: boolean;
}

/** Traces where time is spent, for operators of an OpenTelemetry collector. */
export interface Tracing {
  /** Runs `work` in a span, the parent of spans inside it. A failure marks the span and is rethrown. */
  span<T>(spec: SpanSpec, work: (span: Span) => Promise<T>): Promise<T>;
  /** Records statements in the span they run in; null: tracing is off. */
  statements: StatementWatch | null;
  /** Flushes the remaining spans. */
  close(): Promise<void>;
}

const silent: Span = { set() {}, fail() {} };

/** Nothing is loaded, nothing is recorded. */
export const untraced: Tracing = { span: (_, work) => work(silent), statements: null, close: async () => {} };

/** Tracing as configured by the environment. OpenTelemetry is loaded only if it is on. */
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
