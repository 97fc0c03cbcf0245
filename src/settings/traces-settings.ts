import { z } from 'zod';
import { told, url } from './settings-lists.ts';

/** The environment variables about traces. */
export const tracesVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http', 'https')
    .optional()
    .meta(
      told(
        'an OpenTelemetry collector (OTLP over HTTP) for traces; OpenTelemetry’s other variables apply too',
        'no traces',
      ),
    ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url('http', 'https')
    .optional()
    .meta(told('the same, as the full URL for traces', 'the one above with `/v1/traces`')),
  OTEL_SDK_DISABLED: z.string().optional().meta(told('`true` turns traces off regardless', 'no')),
};

/** By OpenTelemetry's specification: the endpoint for traces as it is, the common one with the path for traces added. */
export function tracesUrl(env: z.infer<z.ZodObject<typeof tracesVariables>>): string | null {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return null;
  const common = env.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/+$/, '');
  return env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (common ? `${common}/v1/traces` : null);
}
