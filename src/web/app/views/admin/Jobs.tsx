import type { RestAnswer } from '../../../../client/index.ts';
import { Button, More } from '../parts/Button.tsx';
import { useLoaded, usePages } from '../parts/loading.ts';
import { Block, Row } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { Facts } from './Facts.tsx';

type Dead = RestAnswer<'GET /api/operator/jobs/dead'>[number];

const pageSize = 50;

/** The queue of jobs, and those that were given up. */
export function Jobs() {
  const { countdown, number, t } = useTexts();
  const { client } = useApp();
  const kinds = useLoaded(() => client.rest('GET /api/operator/jobs'), []);
  const late = (seconds: number) =>
    seconds < 60 ? '' : ` · ${t('late by {time}', { time: countdown(seconds * 1000) })}`;
  return (
    <>
      <DeadJobs onChanged={kinds.load} />
      <Block title={t('Waiting jobs')} about={t('Jobs by kind. The queue is healthy when none is late.')}>
        {kinds.value && (
          <Facts
            facts={kinds.value.map(({ kind, waiting, isAbout, oldestSeconds }) => {
              const count = isAbout ? t('about {count}', { count: number(waiting) }) : number(waiting);
              return [kind, `${count}${late(oldestSeconds)}`] as const;
            })}
          />
        )}
      </Block>
    </>
  );
}

function DeadJobs({ onChanged }: { onChanged(): Promise<void> }) {
  const { number, t } = useTexts();
  const { client, attempt, showToast } = useApp();
  const { list, load, onMore } = usePages<Dead>(
    pageSize,
    (known) => client.rest('GET /api/operator/jobs/dead', { query: { limit: pageSize, cursor: known.at(-1)?.id } }),
    [],
  );
  const after = (change: () => Promise<unknown>) =>
    void attempt(change).then(() => attempt(() => Promise.all([load(), onChanged()])));
  const retryAll = async () => {
    const { count } = await client.rest('POST /api/operator/jobs/retry');
    showToast(t('Jobs to run again: {count}', { count: number(count) }));
  };
  return (
    <Block
      title={t('Dead jobs')}
      about={t('Jobs that failed too often and were given up. Fix the cause, then run them again.')}
    >
      {list?.length === 0 && <p class="empty">{t('No dead jobs.')}</p>}
      {list && list.length > 1 && <Button label={t('Run all again')} kind="quiet" onClick={() => after(retryAll)} />}
      <ul class="people">
        {list?.map((job) => (
          <DeadRow key={job.id} job={job} after={after} />
        ))}
      </ul>
      {onMore && <More onMore={onMore} />}
    </Block>
  );
}

function DeadRow({ job, after }: { job: Dead; after(change: () => Promise<unknown>): void }) {
  const { number, shortTime, t } = useTexts();
  const { client } = useApp();
  const { id, kind, attempts, error, diedAt } = job;
  const tries = t('Attempts: {count}', { count: number(attempts) });
  return (
    <Row name={kind} about={[shortTime(diedAt), tries, error].filter(Boolean).join(' · ')}>
      <span class="row-actions">
        <Button
          label={t('Run again')}
          kind="quiet"
          onClick={() => after(() => client.rest('POST /api/operator/jobs/:id/retry', { id }))}
        />
        <Button
          label={t('Delete')}
          kind="danger"
          onClick={() => after(() => client.rest('DELETE /api/operator/jobs/:id', { id }))}
        />
      </span>
    </Row>
  );
}
