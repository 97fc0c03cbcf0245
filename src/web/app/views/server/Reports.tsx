import type { RestInput, ServerRecord } from '../../../../client/index.ts';
import { decisions } from '../../../../contract/report-decisions.ts';
import { type AppState, useApp } from '../useApp.ts';
import { type Case, CaseList, choicesFor, type Queue } from './CaseList.tsx';

type Action = RestInput<'POST /api/reports/:id/decide'>['body']['action'];

const actions: { value: Action; label: string }[] = [
  { value: 'dismiss', label: 'Dismiss it' },
  { value: 'delete', label: 'Delete' },
  { value: 'timeout', label: 'Time them out for a day' },
  { value: 'kick', label: 'Remove them from the server' },
  { value: 'ban', label: 'Ban them from the server' },
];

/** What was reported in a server, for its moderators. */
export function Reports({ server }: { server: ServerRecord }) {
  return <CaseList queue={queueOf(useApp(), server.id)} on={server.id} />;
}

function queueOf({ client }: AppState, id: string): Queue {
  return {
    about: 'Messages, members and apps of this server that people reported. Nobody sees what is about themselves.',
    list: (status, cursor) => client.rest('GET /api/servers/:id/reports', { id, query: { status, cursor } }),
    get: (id) => client.rest('GET /api/reports/:id', { id }),
    choices: (report: Case) => choicesFor(report, actions, decisions[report.kind].moderators),
    decide(id, chosen, more) {
      const action = actions.find(({ value }) => value === chosen)?.value ?? 'dismiss';
      return client.rest('POST /api/reports/:id/decide', { id, body: { action, ...more } });
    },
    escalate: (id) => client.rest('POST /api/reports/:id/escalate', { id }),
  };
}
