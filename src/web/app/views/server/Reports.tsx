import type { RestInput, ServerRecord } from '../../../../client/index.ts';
import { decisions } from '../../../../contract/report-decisions.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import type { Permission } from '../../state/rights.ts';
import type { Texts } from '../../state/texts.ts';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { type Case, CaseList, choicesFor, type Queue } from './CaseList.tsx';

type Action = RestInput<'POST /api/reports/:id/decide'>['body']['action'];

const actions: { value: Action; label: Message; needs: Permission }[] = [
  { value: 'dismiss', label: 'Dismiss it', needs: 'report:decide' },
  { value: 'delete', label: 'Delete', needs: 'message:delete-others' },
  { value: 'timeout', label: 'Time them out for a day', needs: 'member:timeout' },
  { value: 'kick', label: 'Remove them from the server', needs: 'member:kick' },
  { value: 'ban', label: 'Ban them from the server', needs: 'member:ban' },
];

/** What was reported in a server, for those who decide it. */
export function Reports({ server }: { server: ServerRecord }) {
  const texts = useTexts();
  return <CaseList queue={queueOf(texts, useApp(), server)} on={server.id} />;
}

function queueOf({ t }: Texts, { client, rights }: AppState, server: ServerRecord): Queue {
  const { id } = server;
  const allowedFor =
    ({ kind }: Case) =>
    ({ value, needs }: (typeof actions)[number]) =>
      rights.may(server, value === 'delete' && kind === 'app' ? 'app:manage' : needs);
  return {
    about: t('Messages, members and apps of this server that people reported. Nobody sees what is about themselves.'),
    list: (status, cursor) => client.rest('GET /api/servers/:id/reports', { id, query: { status, cursor } }),
    get: (id) => client.rest('GET /api/reports/:id', { id }),
    choices: (report: Case) =>
      choicesFor(report, actions.filter(allowedFor(report)), decisions[report.kind].moderators),
    decide(id, chosen, more) {
      const action = actions.find(({ value }) => value === chosen)?.value ?? 'dismiss';
      return client.rest('POST /api/reports/:id/decide', { id, body: { action, ...more } });
    },
    escalate: (id) => client.rest('POST /api/reports/:id/escalate', { id }),
  };
}
