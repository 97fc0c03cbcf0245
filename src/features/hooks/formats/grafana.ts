import { alerts } from './alertmanager.ts';
import type { HookFormat } from './format.ts';
import { type Telling, told } from './told.ts';

/** Unified alerting, of Grafana 9 and later: what Alertmanager sends, and more. */
const unified: Telling = {
  lines: ['{status|sign} **{title}**', '{message|whole}'],
  each: {
    ...alerts,
    lines: [
      ...alerts.lines,
      '> {valueString}',
      '> [Dashboard]({dashboardURL})',
      '> [Panel]({panelURL})',
      '> [Silence]({silenceURL})',
      '> {imageURL}',
    ],
    parts: [
      ...alerts.parts,
      ...['values', 'valueString', 'dashboardURL', 'panelURL', 'silenceURL', 'imageURL', 'orgId'],
    ],
  },
  parts: [
    ...['version', 'groupKey', 'status', 'state', 'receiver', 'orgId', 'title', 'message', 'appVersion'],
    ...['groupLabels', 'commonLabels', 'commonAnnotations', 'externalURL'],
  ],
};

/** Alerts of earlier versions. */
const earlier: Telling = {
  lines: ['{state|sign} {title|bold}', '{message|whole}', '{ruleUrl}', '{imageUrl}'],
  each: { of: 'evalMatches', lines: ['> {metric}: {value}'], most: 30, parts: ['metric', 'value', 'tags'] },
  parts: ['title', 'state', 'message', 'ruleUrl', 'ruleId', 'ruleName', 'imageUrl', 'orgId', 'dashboardId', 'panelId'],
};

/** Webhooks of Grafana's alerting. */
export const grafana: HookFormat = {
  name: 'grafana',
  recognises: ({ body }) => 'orgId' in body && (Array.isArray(body.alerts) || 'ruleName' in body),
  deliveryIds: [],
  read({ body }) {
    const isEarlier = !Array.isArray(body.alerts);
    return {
      text: told({ ...body, truncatedAlerts: body.truncatedAlerts || null }, isEarlier ? earlier : unified, []),
    };
  },
};
