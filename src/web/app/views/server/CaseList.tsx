import { useEffect, useRef, useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import type { Texts } from '../../state/texts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button, More } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Field, Select } from '../parts/Field.tsx';
import { type Fields, Form, isTyped } from '../parts/Form.tsx';
import { useLoaded, usePages } from '../parts/loading.ts';
import { Block, Row } from '../parts/Page.tsx';
import { categories } from '../people/ReportDialog.tsx';
import { useApp, useTexts } from '../useApp.ts';

export type Case = RestAnswer<'GET /api/reports/:id'>;
export type CaseEntry = RestAnswer<'GET /api/operator/reports'>[number];

/** What someone does about a case. */
export interface Choice {
  value: string;
  label: Message;
}

/** How a queue is read and decided: by moderators, or by operators. */
export interface Queue {
  about: string;
  list(status: 'open' | 'decided', cursor: string | undefined): Promise<readonly CaseEntry[]>;
  get(id: string): Promise<Case>;
  choices(report: Case): readonly Choice[];
  decide(id: string, action: string, more: { reason: string | null; until: string | null }): Promise<unknown>;
  /** Null: there is nobody above. */
  escalate: ((id: string) => Promise<unknown>) | null;
}

/** What can be done about a case: what fits its kind, and where a person is to answer for it, only if one is known. */
export function choicesFor(
  { kind, about }: Case,
  labels: readonly Choice[],
  fitting: readonly Choice['value'][],
): Choice[] {
  const isPossible = ({ value }: Choice) => about !== null || value === 'dismiss' || value === 'delete';
  return labels
    .filter((choice) => fitting.includes(choice.value) && isPossible(choice))
    .map(({ value, label }) => ({ value, label: value === 'delete' ? deletions[kind] : label }));
}

const deletions: Record<Case['kind'], Message> = {
  message: 'Delete the message',
  user: 'Delete the user',
  server: 'Delete the server',
  app: 'Delete the app',
};

const pageSize = 50;

/** The open and the decided cases of a queue, live. */
export function CaseList({ queue, on }: { queue: Queue; on: string }) {
  const texts = useTexts();
  const { t } = texts;
  const { client, attempt } = useApp();
  const [status, setStatus] = useState<'open' | 'decided'>('open');
  const [shown, setShown] = useState<string | null>(null);
  const [isOld, setIsOld] = useState(false);
  const isPrompted = queue.escalate === null;
  const { list, load, onMore } = usePages<CaseEntry>(pageSize, (known) => queue.list(status, known.at(-1)?.id), [
    on,
    status,
  ]);
  const hasFurther = useRef(false);
  hasFurther.current = (list?.length ?? 0) > pageSize;
  const renew = () => {
    setIsOld(false);
    void attempt(load);
  };
  useEffect(() => {
    // Operators confirm who they are for each look, and nobody is thrown back from older pages.
    const again = () => (isPrompted || hasFurther.current ? setIsOld(true) : void attempt(load));
    const off = [client.on('report:created', again), client.on('report:updated', again)];
    return () => {
      for (const end of off) end();
    };
  }, [on, status]);
  return (
    <Block title={t('Reports')} about={queue.about}>
      <Select
        label={t('Show')}
        value={status}
        options={[
          { value: 'open', label: t('Undecided') },
          { value: 'decided', label: t('Decided') },
        ]}
        onChange={(value) => setStatus(value === 'decided' ? 'decided' : 'open')}
      />
      {isOld && <Button label={t('Show what is new')} kind="quiet" onClick={renew} />}
      {list?.length === 0 && (
        <p class="empty">{status === 'open' ? t('Nothing is waiting for a decision.') : t('No reports.')}</p>
      )}
      <ul class="people">
        {list?.map((entry) => (
          <Row
            key={entry.id}
            picture={entry.about && <Avatar user={entry.about} />}
            name={entry.title || nameOf(texts, entry)}
            about={summaryOf(texts, entry)}
          >
            <Button label={t('Open')} kind="quiet" onClick={() => setShown(entry.id)} />
          </Row>
        ))}
      </ul>
      {onMore && <More onMore={onMore} />}
      {shown && <CaseDialog key={shown} id={shown} queue={queue} onClose={() => setShown(null)} onDone={load} />}
    </Block>
  );
}

const kinds: Record<Case['kind'], Message> = { message: 'Message', user: 'Person', server: 'Server', app: 'App' };
const gone: Record<Case['kind'], Message> = {
  message: 'The message has been deleted.',
  user: 'The account has been deleted.',
  server: 'The server has been deleted.',
  app: 'The app has been deleted.',
};
const nameOf = ({ t }: Texts, { kind, about }: CaseEntry) =>
  about ? t('{what} of {name}', { what: t(kinds[kind]), name: about.displayName }) : t(kinds[kind]);
function labelOf({ t }: Texts, category: string): string {
  if (category === 'filter') return t('Flagged by a filter');
  const known = categories.find(({ value }) => value === category);
  return known ? t(known.label) : category;
}

const doneWords: Record<NonNullable<CaseEntry['action']>, Message> = {
  dismiss: 'Dismissed',
  delete: 'Deleted',
  timeout: 'Timed out',
  kick: 'Removed from the server',
  ban: 'Banned',
  suspend: 'Suspended',
};

function summaryOf(texts: Texts, entry: CaseEntry): string {
  const { listed, shortTime, t } = texts;
  const { reportCount, createdAt, action, decidedBy, toOperators, status } = entry;
  const count = t('{count, plural, one {# report} other {# reports}}', { count: reportCount });
  const done = action && t(doneWords[action]);
  const decided = done && decidedBy ? t('{what} by {name}', { what: done, name: decidedBy.displayName }) : done;
  const waiting = toOperators && status === 'open' && t('with the operators');
  const parts = [
    nameOf(texts, entry),
    listed(entry.categories.map((category) => labelOf(texts, category))),
    count,
    shortTime(createdAt),
    decided,
    waiting,
  ];
  return parts.filter(Boolean).join(' · ');
}

interface CaseDialogProps {
  id: string;
  queue: Queue;
  onClose(): void;
  onDone(): Promise<void>;
}

function CaseDialog({ id, queue, onClose, onDone }: CaseDialogProps) {
  const { t } = useTexts();
  const { value: report } = useLoaded(() => queue.get(id), [id]);
  const { escalate } = queue;
  const done = async (work: Promise<unknown>) => {
    await work;
    onClose();
    await onDone();
  };
  const isTheirs = escalate !== null && report?.toOperators;
  const decide = report && <Decide report={report} queue={queue} done={done} />;
  return (
    <Dialog title={t('Report')} size="wide" onClose={onClose}>
      {report && <CaseText report={report} />}
      {report?.status === 'open' && (isTheirs ? <p class="note">{t('The operators decide this.')}</p> : decide)}
      {report?.status === 'open' && escalate && !report.toOperators && (
        <Form action={t('Pass on to the operators')} work={() => done(escalate(id))} />
      )}
    </Dialog>
  );
}

function CaseText({ report }: { report: Case }) {
  const texts = useTexts();
  const { shortTime, t } = texts;
  const { snapshot, current } = report;
  const messages = snapshot?.messages ?? [];
  const said = messages.find(({ reported }) => reported);
  return (
    <>
      <p class="faint">{summaryOf(texts, report)}</p>
      {report.reason && <p>{t('Reason: {reason}', { reason: report.reason })}</p>}
      {!snapshot && <p class="note">{t('What was reported is no longer kept.')}</p>}
      {snapshot?.name && <p>{snapshot.name}</p>}
      {snapshot?.description && <p class="faint">{snapshot.description}</p>}
      <ul class="people" aria-label={t('Messages')}>
        {messages.map(({ id, author, content, attachments, createdAt, reported }) => (
          <Row
            key={id}
            picture={author && <Avatar user={author} size="small" />}
            name={reported ? <strong>{content || attachments.join(', ')}</strong> : content || attachments.join(', ')}
            about={[author?.displayName, shortTime(createdAt), reported && 'reported'].filter(Boolean).join(' · ')}
          />
        ))}
      </ul>
      {current === null && <p class="note">{t(gone[report.kind])}</p>}
      {said && current !== null && current !== said.content && (
        <p class="note">{t('It has been edited since: {current}', { current })}</p>
      )}
      <h3>{t('Who reported it')}</h3>
      <ul class="people">
        {report.reports.map(({ id, reporter, category, text, createdAt }) => (
          <Row
            key={id}
            name={reporter?.displayName ?? (category === 'filter' ? t('A filter') : t('Someone'))}
            about={[labelOf(texts, category), category === 'filter' ? `“${text}”` : text, shortTime(createdAt)]
              .filter(Boolean)
              .join(' · ')}
          />
        ))}
      </ul>
      {report.earlier.length > 0 && (
        <>
          <h3>{t('Other reports about them')}</h3>
          <ul class="people">
            {report.earlier.map((entry) => (
              <Row key={entry.id} name={entry.title || nameOf(texts, entry)} about={summaryOf(texts, entry)} />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

const day = 86_400_000;
export const lengths: { value: string; label: Message }[] = [
  { value: '', label: 'Until it is lifted' },
  { value: String(day), label: 'For a day' },
  { value: String(7 * day), label: 'For a week' },
  { value: String(30 * day), label: 'For 30 days' },
];

export function untilOf(text: string): string | null {
  const ms = Number(text);
  return ms > 0 ? new Date(Date.now() + ms).toISOString() : null;
}

interface DecideProps {
  report: Case;
  queue: Queue;
  done(work: Promise<unknown>): Promise<void>;
}

function Decide({ report, queue, done }: DecideProps) {
  const { labelled, t } = useTexts();
  const [action, setAction] = useState('dismiss');
  const lasts = action === 'ban' || action === 'suspend';
  const choices = queue.choices(report);
  const endsServer = action === 'delete' && report.kind === 'server';
  const decide = async ({ text }: Fields) => {
    if (endsServer && !isTyped(text('name'), report.title)) throw new Error(t('That is not the name of the server.'));
    await done(
      queue.decide(report.id, action, {
        reason: text('reason') || null,
        until: lasts ? untilOf(text('length')) : null,
      }),
    );
  };
  const options = labelled(choices);
  return (
    <Form action={options.find(({ value }) => value === action)?.label ?? t('Decide')} work={decide}>
      <Select label={t('What to do')} value={action} options={options} onChange={setAction} />
      {lasts && <Select label={t('How long')} name="length" options={labelled(lengths)} />}
      {endsServer && (
        <>
          <p class="note">{t('The server is deleted for everyone, with its channels, messages and files.')}</p>
          <Field label={t('Type “{name}” to confirm', { name: report.title })} name="name" required />
        </>
      )}
      <Field
        label={t('Reason')}
        name="reason"
        maxlength={500}
        hint={t('Saved with the decision. People who are timed out, banned or suspended see it.')}
      />
    </Form>
  );
}
