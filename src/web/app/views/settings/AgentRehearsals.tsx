import { useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Field, Secret } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block, Row } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { type Context, ContextDialog, contextOf } from './AgentAnswers.tsx';
import type { Agent } from './Agents.tsx';

type Rehearsal = RestAnswer<'GET /api/agents/:id/rehearsals'>[number];
type Differences = RestAnswer<'GET /api/agents/:id/rehearsals/:rehearsalId/differences'>;
type Difference = Differences['differences'][number];

const pageSize = 50;

/** Trying a new version of a bot on what was. */
export function AgentRehearsals({ agent }: { agent: Agent }) {
  const { t, fullTime } = useTexts();
  const { client } = useApp();
  const { id } = agent;
  const { value: list, load, after } = useLoaded(() => client.rest('GET /api/agents/:id/rehearsals', { id }), [id]);
  const [token, setToken] = useState<string | null>(null);
  const [shown, setShown] = useState<Rehearsal | null>(null);
  const start = async ({ text }: Fields) => {
    const body = { name: text('name') || undefined };
    setToken((await client.rest('POST /api/agents/:id/rehearsals', { id, body })).token);
    await load();
  };
  const about = (one: Rehearsal) =>
    [
      fullTime(one.createdAt),
      t('{played} of {rooms} places played', { played: one.playedRooms, rooms: one.rooms }),
      t('{count, plural, one {# message} other {# messages}}', { count: one.captured }),
    ].join(' · ');
  return (
    <Block
      title={t('Rehearsals')}
      about={t(
        'A new version polls the events of the last week again, with a token of its own. What it sends is shown here and nowhere else.',
      )}
    >
      <ul class="people">
        {list?.map((one) => (
          <Row key={one.id} name={one.name} about={about(one)}>
            <span class={`state ${one.state === 'running' ? 'running' : 'stopped'}`}>{t(stateNames[one.state])}</span>
            <Button label={t('Differences')} kind="quiet" onClick={() => setShown(one)} />
            {one.state === 'running' && (
              <Button
                label={t('End the rehearsal')}
                kind="quiet"
                onClick={() =>
                  after(() =>
                    client.rest('POST /api/agents/:id/rehearsals/:rehearsalId/end', { id, rehearsalId: one.id }),
                  )
                }
              />
            )}
          </Row>
        ))}
      </ul>
      <Form action={t('Start a rehearsal')} work={start} clear>
        <Field label={t('Name of the version')} name="name" maxlength={100} hint={t('Optional.')} />
      </Form>
      <Secret title={t('The token of the rehearsal')} secret={token} />
      {shown && <DifferencesDialog agentId={id} rehearsal={shown} onClose={() => setShown(null)} />}
    </Block>
  );
}

const stateNames: Record<Rehearsal['state'], Message> = { running: 'Running', ended: 'Ended' };

interface DifferencesProps {
  agentId: string;
  rehearsal: Rehearsal;
  onClose(): void;
}

function DifferencesDialog({ agentId, rehearsal, onClose }: DifferencesProps) {
  const { t } = useTexts();
  const app = useApp();
  const { client, attempt } = app;
  const read = (offset: number) =>
    client.rest('GET /api/agents/:id/rehearsals/:rehearsalId/differences', {
      id: agentId,
      rehearsalId: rehearsal.id,
      query: { only: 'different', limit: pageSize, offset },
    });
  const { value, update } = useLoaded(() => read(0), [rehearsal.id]);
  const more = ({ differences }: Differences) =>
    attempt(async () => {
      const next = await read(differences.length);
      update((now) => ({ ...next, differences: [...now.differences, ...next.differences] }));
    });
  const [context, setContext] = useState<Context | null>(null);
  const open = (messageId: string) => void attempt(async () => setContext(await contextOf(app, agentId, messageId)));
  return (
    <Dialog title={t('What {name} would have said instead', { name: rehearsal.name })} onClose={onClose}>
      {value && (
        <>
          <p class="hint" role="status">
            {t('{same} the same, {changed} changed, {missing} missing, {added} added', value.counts)}
          </p>
          {value.isCut && <p class="hint">{t('Only the first messages are compared.')}</p>}
          <ul class="people">
            {value.differences.map((one) => (
              <DifferenceRow key={one.before?.messageId ?? one.after?.messageId} one={one} onContext={open} />
            ))}
          </ul>
          {value.hasMore && <Button label={t('Show more')} kind="quiet" onClick={() => void more(value)} />}
        </>
      )}
      {context && (
        <ContextDialog key={context.messageId} agentId={agentId} first={context} onClose={() => setContext(null)} />
      )}
    </Dialog>
  );
}

const kindNames: Record<Difference['kind'], Message> = {
  same: 'Same',
  changed: 'Changed',
  missing: 'Missing',
  added: 'Added',
};

function DifferenceRow({ one, onContext }: { one: Difference; onContext(messageId: string): void }) {
  const { t } = useTexts();
  const { kind, before, after, answersTo } = one;
  const about = [
    before && t('Before: {content}', { content: before.content }),
    after && t('After: {content}', { content: after.content }),
  ];
  return (
    <Row name={t(kindNames[kind])} about={about.filter(Boolean).join(' · ')}>
      {before && answersTo !== null && (
        <Button label={t('What it had read')} kind="quiet" onClick={() => onContext(before.messageId)} />
      )}
    </Row>
  );
}
