import { type Context, context, ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Log } from './log.ts';
import { type StatementWatch, withoutValues } from './statement-watch.ts';
import type { SpanSpec, Tracing } from './tracing.ts';
import { version } from './version.ts';
import { within } from './within.ts';

const closingMs = 1000;

/** Logs when spans are refused, and when they are accepted again, once each: nothing else reveals a wrong address. */
class LoggingExporter extends OTLPTraceExporter {
  private readonly log: Log;
  private arrives = true;

  constructor(url: string, log: Log) {
    super({ url });
    this.log = log;
  }

  override export(...[spans, done]: Parameters<OTLPTraceExporter['export']>): void {
    super.export(spans, (result) => {
      this.report(result.code === 0, result.error?.message);
      done(result);
    });
  }

  private report(arrives: boolean, reason: string | undefined): void {
    if (arrives === this.arrives) return;
    this.arrives = arrives;
    if (arrives) this.log.info('Traces arrive at their collector again.');
    else this.log.warn({ reason }, 'Traces do not arrive at their collector; they are thrown away until they do.');
  }
}

/**
 * Sends spans to a collector by OTLP over HTTP. The standard's variables configure everything else: the sampler
 * (OTEL_TRACES_SAMPLER), headers (OTEL_EXPORTER_OTLP_HEADERS), batches (OTEL_BSP_…), resource attributes.
 */
export function exportTraces(url: string, nodeId: string, log: Log): Tracing {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const own = { 'service.name': 'parley', 'service.version': version, 'service.instance.id': nodeId };
  const resource = defaultResource()
    .merge(resourceFromAttributes(own))
    .merge(detectResources({ detectors: [envDetector] }));
  const spanProcessors = [new BatchSpanProcessor(new LoggingExporter(url, log))];
  const provider = new BasicTracerProvider({ resource, spanProcessors });
  const tracer = provider.getTracer('parley', version);
  return {
    span: (spec, work) => {
      const kind = spec.kind === 'server' ? SpanKind.SERVER : SpanKind.INTERNAL;
      return tracer.startActiveSpan(spec.name, { kind }, parentOf(spec), async (span) => {
        const fail = (code: string) => void span.setStatus({ code: SpanStatusCode.ERROR, message: code });
        try {
          return await work({
            set: (name, value) => {
              span.setAttribute(name, value);
              if (name === 'http.route') span.updateName(`${spec.name} ${value}`);
            },
            fail,
          });
        } catch (error) {
          fail(error instanceof Error ? error.name : 'error');
          throw error;
        } finally {
          span.end();
        }
      });
    },
    statements: statementSpans(tracer),
    // An unreachable collector must not keep the node from exiting.
    async close() {
      await within(provider.shutdown(), closingMs);
    },
  };
}

function parentOf({ parent, alone }: SpanSpec): Context {
  if (alone) return ROOT_CONTEXT;
  const [, traceId, spanId, flags] = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})/.exec(parent ?? '') ?? [];
  if (!traceId || !spanId || !flags) return context.active();
  const traceFlags = Number.parseInt(flags, 16) & 1;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

/** Background work (sweeps, health checks) would flood the collector: only statements inside a span become spans. */
function statementSpans(tracer: Tracer): StatementWatch {
  return (text) => {
    const within = context.active();
    if (!trace.getSpan(within)?.isRecording()) return () => {};
    const statement = withoutValues(text);
    const span = tracer.startSpan(statement.split(' ', 1)[0] ?? 'SQL', { kind: SpanKind.CLIENT }, within);
    span.setAttribute('db.system.name', 'postgresql');
    span.setAttribute('db.query.text', statement);
    return ({ rows, error }) => {
      if (rows !== null) span.setAttribute('db.response.returned_rows', rows);
      if (error) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    };
  };
}
