import type { RestInput } from '../../../../client/index.ts';
import { decisions } from '../../../../contract/report-decisions.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import type { Texts } from '../../state/texts.ts';
import { type Case, CaseList, choicesFor, type Queue } from '../server/CaseList.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';

/** What was reported to the operators. */
export function Cases() {
  return <CaseList queue={queueOf(useTexts(), useApp())} on="operators" />;
}

type Action = RestInput<'POST /api/operator/reports/:id/decide'>['body']['action'];

const actions: { value: Action; label: Message }[] = [
  { value: 'dismiss', label: 'Dismiss it' },
  { value: 'delete', label: 'Delete' },
  { value: 'suspend', label: 'Suspend them' },
  { value: 'ban', label: 'Ban them from this installation' },
];

function queueOf({ t }: Texts, { client }: AppState): Queue {
  return {
    about: t('Reports about direct messages, people, servers and their owners, and those that moderators passed on.'),
    list: (status, cursor) => client.rest('GET /api/operator/reports', { query: { status, cursor } }),
    get: (id) => client.rest('GET /api/operator/reports/:id', { id }),
    choices: (report: Case) => choicesFor(report, actions, decisions[report.kind].operators),
    decide(id, chosen, more) {
      const action = actions.find(({ value }) => value === chosen)?.value ?? 'dismiss';
      return client.rest('POST /api/operator/reports/:id/decide', { id, body: { action, ...more } });
    },
    escalate: null,
  };
}
