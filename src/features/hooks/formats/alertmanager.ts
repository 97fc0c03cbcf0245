import type { HookFormat } from './format.ts';
import type { Telling } from './told.ts';
import { told } from './told.ts';

/** One alert, as Grafana sends it too. */
export const alerts = {
  of: 'alerts',
  lines: [
    '{status|sign} {labels.alertname|bold}: {status}',
    '> {annotations.summary}',
    '{annotations.description|whole}',
    '> {annotations.message}',
    '{annotations|notes}',
    '> {labels|pairs}',
    '> since {startsAt}',
    '> [Source]({generatorURL})',
  ],
  most: 30,
  parts: ['status', 'labels', 'annotations', 'startsAt', 'endsAt', 'generatorURL', 'fingerprint'],
};

const telling: Telling = {
  lines: ['{status|sign} **{status|upper}** ({alerts|count}) {receiver}', '{groupLabels|pairs}', '{externalURL}'],
  each: alerts,
  parts: [
    'version',
    'groupKey',
    'status',
    'receiver',
    'groupLabels',
    'commonLabels',
    'commonAnnotations',
    'externalURL',
  ],
};

/** Webhooks of Prometheus' Alertmanager, version 4 of their form. */
export const alertmanager: HookFormat = {
  name: 'alertmanager',
  recognises: ({ body }) => Array.isArray(body.alerts) && typeof body.groupKey === 'string',
  deliveryIds: [],
  // `truncatedAlerts`, where alerts were left out, is in the text by its name.
  read: ({ body }) => ({ text: told({ ...body, truncatedAlerts: body.truncatedAlerts || null }, telling, []) }),
};
