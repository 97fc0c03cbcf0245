import type { RestAnswer } from '../../../../client/index.ts';
import { vitalSeconds } from '../../../../contract/vitals.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import { formatSize } from '../../state/sizes.ts';
import type { Texts } from '../../state/texts.ts';
import { Block, Row } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { Chart, type Line } from './Chart.tsx';
import { usePolled } from './usePolled.ts';

type ClusterNode = RestAnswer<'GET /api/operator/nodes'>[number];
type Measured = RestAnswer<'GET /api/operator/metrics'>['nodes'];
type Point = Measured[number]['points'][number];

const everyMs = vitalSeconds.every * 1000;
const keptMs = vitalSeconds.kept * 1000;

/** The nodes with their load, now and in the last minutes. */
export function Nodes() {
  const texts = useTexts();
  const { t } = texts;
  const { client } = useApp();
  const nodes = usePolled<readonly ClusterNode[] | null>(2 * everyMs, null, () =>
    client.rest('GET /api/operator/nodes'),
  );
  return (
    <>
      <Block
        title={t('Nodes')}
        about={t('Nodes report every few seconds. One that stopped without notice stays in the list for an hour.')}
      >
        <ul class="people">
          {nodes?.map((node, index) => (
            <Row
              key={node.id}
              picture={<Mark index={orderOf(nodes, node)} />}
              name={nameOf(nodes, index)}
              about={aboutNode(texts, node)}
            />
          ))}
        </ul>
      </Block>
      <Charts />
    </>
  );
}

/** The colour of a node's line: they are drawn in the order of their ids. */
const orderOf = (nodes: readonly ClusterNode[], { id }: ClusterNode): number =>
  nodes
    .filter(({ isSilent }) => !isSilent)
    .map((one) => one.id)
    .sort()
    .indexOf(id);

function Mark({ index }: { index: number }) {
  return (
    <svg class="chart-mark" viewBox="0 0 24 10" aria-hidden="true">
      {index >= 0 && <path class={`line${index % 6}`} d="M0 5L24 5" />}
    </svg>
  );
}

function nameOf(nodes: readonly ClusterNode[], index: number): string {
  const node = nodes[index];
  if (!node) return '';
  const isAlone = nodes.filter(({ host }) => host === node.host).length === 1;
  return isAlone ? node.host : `${node.host} · ${node.pid} · ${node.id.slice(0, 4)}`;
}

function aboutNode(texts: Texts, { version, startedAt, seenAt, isSilent, isHere, vitals }: ClusterNode): string {
  const { countdown, number, shortTime, t } = texts;
  if (isSilent) return t('Silent since {time}', { time: shortTime(seenAt) });
  const load = vitals && [
    t('Sockets: {count}', { count: number(vitals.sockets) }),
    formatSize(vitals.memoryBytes),
    t('{percent} % of a processor', { percent: number(vitals.cpuPercent) }),
    t('event loop late by {ms} ms', { ms: number(vitals.eventLoopMs) }),
  ];
  const age = t('up for {time}', { time: countdown(Math.max(0, Date.parse(seenAt) - Date.parse(startedAt))) });
  return [version, age, ...(load ?? []), isHere && t('this is the one you are on')].filter(Boolean).join(' · ');
}

const charts: readonly { title: Message; of: (point: Point) => number; unit?: 'ms' | 'bytes' | 'percent' }[] = [
  { title: 'Sockets', of: ({ sockets }) => sockets },
  { title: 'Messages per second', of: ({ messagesPerSecond }) => messagesPerSecond },
  { title: 'Requests per second', of: ({ requestsPerSecond }) => requestsPerSecond },
  { title: 'Response time, 95th percentile', of: ({ requestP95Ms }) => requestP95Ms, unit: 'ms' },
  { title: 'Errors per minute', of: ({ errorsPerMinute }) => errorsPerMinute },
  { title: 'Event loop delay', of: ({ eventLoopMs }) => eventLoopMs, unit: 'ms' },
  { title: 'Events not delivered yet', of: ({ lagEvents }) => lagEvents },
  { title: 'Memory', of: ({ memoryBytes }) => memoryBytes, unit: 'bytes' },
  { title: 'Processor', of: ({ cpuPercent }) => cpuPercent, unit: 'percent' },
];

function Charts() {
  const texts = useTexts();
  const { t } = texts;
  const { client } = useApp();
  const measured = usePolled<Measured>(everyMs, [], async (known) => {
    const after = Math.max(0, ...known.flatMap(({ points }) => points.at(-1)?.at ?? []));
    const { nodes } = await client.rest('GET /api/operator/metrics', {
      query: { after: Math.max(0, after - everyMs) },
    });
    return joined(known, nodes);
  });
  const until = Math.max(0, ...measured.flatMap(({ points }) => points.at(-1)?.at ?? []));
  return (
    <Block title={t('The last 15 minutes')} about={t('One line per node. A node that restarts begins a new one.')}>
      <div class="charts">
        {charts.map(({ title, of, unit }) => (
          <Chart
            key={title}
            title={t(title)}
            until={until}
            lasting={keptMs}
            lines={measured.map(
              ({ id, points }): Line => ({ id, points: points.map((point) => ({ at: point.at, value: of(point) })) }),
            )}
            format={(value) => shown(texts, value, unit)}
          />
        ))}
      </div>
    </Block>
  );
}

function shown({ number }: Texts, value: number, unit: 'ms' | 'bytes' | 'percent' | undefined): string {
  if (unit === 'bytes') return formatSize(value);
  const text = number(Math.round(value * 10) / 10);
  return unit === 'ms' ? `${text} ms` : unit === 'percent' ? `${text} %` : text;
}

/** What was known, with what is new: nodes that say nothing new keep their line until it is out of sight. */
function joined(known: Measured, news: Measured): Measured {
  const newest = Math.max(0, ...[...known, ...news].flatMap(({ points }) => points.at(-1)?.at ?? []));
  const nodes = new Map(known.map((node) => [node.id, node]));
  for (const node of news) {
    const before = nodes.get(node.id)?.points ?? [];
    const last = before.at(-1)?.at ?? 0;
    nodes.set(node.id, { ...node, points: [...before, ...node.points.filter(({ at }) => at > last)] });
  }
  return [...nodes.values()]
    .map((node) => ({ ...node, points: node.points.filter(({ at }) => at > newest - keptMs) }))
    .filter(({ points }) => points.length > 0)
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}
