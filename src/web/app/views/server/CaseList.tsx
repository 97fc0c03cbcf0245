import { useEffect, useRef, useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button, More } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Field, Select } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded, usePages } from '../parts/loading.ts';
import { Block, Row } from '../parts/Page.tsx';
import { shortTime } from '../parts/time.ts';
import { categories } from '../people/ReportDialog.tsx';
import { useApp } from '../useApp.ts';

export type Case = RestAnswer<'GET /api/reports/:id'>;
export type CaseEntry = RestAnswer<'GET /api/operator/reports'>[number];

/** What someone does about a case. */
export interface Choice {
  value: string;
  label: string;
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
    .map(({ value, label }) => ({ value, label: value === 'delete' ? `${label} the ${kind}` : label }));
}

const pageSize = 50;

/** The open and the decided cases of a queue, live. */
export function CaseList({ queue, on }: { queue: Queue; on: string }) {
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
    <Block title="Reports" about={queue.about}>
      <Select
        label="Show"
        value={status}
        options={[
          { value: 'open', label: 'Open' },
          { value: 'decided', label: 'Decided' },
        ]}
        onChange={(value) => setStatus(value === 'decided' ? 'decided' : 'open')}
      />
      {isOld && <Button label="Show what is new" kind="quiet" onClick={renew} />}
      {list?.length === 0 && (
        <p class="empty">{status === 'open' ? 'Nothing waits for a decision.' : 'There are none.'}</p>
      )}
      <ul class="people">
        {list?.map((entry) => (
          <Row
            key={entry.id}
            picture={entry.about && <Avatar user={entry.about} />}
            name={entry.title || nameOf(entry)}
            about={summaryOf(entry)}
          >
            <Button label="Open" kind="quiet" onClick={() => setShown(entry.id)} />
          </Row>
        ))}
      </ul>
      {onMore && <More onMore={onMore} />}
      {shown && <CaseDialog key={shown} id={shown} queue={queue} onClose={() => setShown(null)} onDone={load} />}
    </Block>
  );
}

const kinds = { message: 'Message', user: 'Person', server: 'Server', app: 'App' };
const gone = {
  message: 'The message is deleted by now.',
  user: 'The account is deleted by now.',
  server: 'The server is deleted by now.',
  app: 'The app is deleted by now.',
};
const nameOf = ({ kind, about }: CaseEntry) => `${kinds[kind]}${about ? ` of ${about.displayName}` : ''}`;
const labelOf = (category: string) =>
  category === 'filter'
    ? 'Flagged by a filter'
    : (categories.find(({ value }) => value === category)?.label ?? category);

const doneWords: Record<NonNullable<CaseEntry['action']>, string> = {
  dismiss: 'Dismissed',
  delete: 'Deleted',
  timeout: 'Timed out',
  kick: 'Removed from the server',
  ban: 'Banned',
  suspend: 'Suspended',
};

function summaryOf(entry: CaseEntry): string {
  const { reportCount, createdAt, action, decidedBy, toOperators, status } = entry;
  const count = reportCount === 1 ? '1 report' : `${reportCount} reports`;
  const decided = action && `${doneWords[action]}${decidedBy ? ` by ${decidedBy.displayName}` : ''}`;
  const waiting = toOperators && status === 'open' && 'with the operators';
  const parts = [
    nameOf(entry),
    entry.categories.map(labelOf).join(', '),
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
    <Dialog title="Report" size="wide" onClose={onClose}>
      {report && <CaseText report={report} />}
      {report?.status === 'open' && (isTheirs ? <p class="note">The operators decide this.</p> : decide)}
      {report?.status === 'open' && escalate && !report.toOperators && (
        <Form action="Hand to the operators" work={() => done(escalate(id))} />
      )}
    </Dialog>
  );
}

function CaseText({ report }: { report: Case }) {
  const { snapshot, current } = report;
  const messages = snapshot?.messages ?? [];
  const said = messages.find(({ reported }) => reported);
  return (
    <>
      <p class="faint">{summaryOf(report)}</p>
      {report.reason && <p>Reason: {report.reason}</p>}
      {!snapshot && <p class="note">What was reported is not kept any more.</p>}
      {snapshot?.name && <p>{snapshot.name}</p>}
      {snapshot?.description && <p class="faint">{snapshot.description}</p>}
      <ul class="people" aria-label="What was said">
        {messages.map(({ id, author, content, attachments, createdAt, reported }) => (
          <Row
            key={id}
            picture={author && <Avatar user={author} size="small" />}
            name={reported ? <strong>{content || attachments.join(', ')}</strong> : content || attachments.join(', ')}
            about={[author?.displayName, shortTime(createdAt), reported && 'reported'].filter(Boolean).join(' · ')}
          />
        ))}
      </ul>
      {current === null && <p class="note">{gone[report.kind]}</p>}
      {said && current !== null && current !== said.content && <p class="note">It was edited since: {current}</p>}
      <h3>Who reported it</h3>
      <ul class="people">
        {report.reports.map(({ id, reporter, category, text, createdAt }) => (
          <Row
            key={id}
            name={reporter?.displayName ?? (category === 'filter' ? 'A filter' : 'Someone')}
            about={[labelOf(category), category === 'filter' ? `“${text}”` : text, shortTime(createdAt)]
              .filter(Boolean)
              .join(' · ')}
          />
        ))}
      </ul>
      {report.earlier.length > 0 && (
        <>
          <h3>Other reports about them</h3>
          <ul class="people">
            {report.earlier.map((entry) => (
              <Row key={entry.id} name={entry.title || nameOf(entry)} about={summaryOf(entry)} />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

const day = 86_400_000;
export const lengths = [
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
  const [action, setAction] = useState('dismiss');
  const lasts = action === 'ban' || action === 'suspend';
  const choices = queue.choices(report);
  const endsServer = action === 'delete' && report.kind === 'server';
  const decide = async ({ text }: Fields) => {
    if (endsServer && text('name') !== report.title) throw new Error('That is not the name of the server.');
    await done(
      queue.decide(report.id, action, {
        reason: text('reason') || null,
        until: lasts ? untilOf(text('length')) : null,
      }),
    );
  };
  return (
    <Form action={choices.find(({ value }) => value === action)?.label ?? 'Decide'} work={decide}>
      <Select label="What to do" value={action} options={choices} onChange={setAction} />
      {lasts && <Select label="How long" name="length" options={lengths} />}
      {endsServer && (
        <>
          <p class="note">The server is deleted for everyone, with its channels, messages and files.</p>
          <Field label={`Type "${report.title}" to confirm`} name="name" required />
        </>
      )}
      <Field
        label="Reason"
        name="reason"
        maxlength={500}
        hint="Kept with the decision; who is timed out, banned or suspended is told."
      />
    </Form>
  );
}
