import { hostname } from 'node:os';
import type { z } from 'zod';
import type { operatorWatchCalls } from '../../contract/operator-watch.ts';
import { isoTime } from '../../contract/schema.ts';
import { type Vitals, vitalSeconds } from '../../contract/vitals.ts';
import { newId } from '../../infrastructure/ids.ts';
import { jittered } from '../../infrastructure/jitter.ts';
import { version } from '../../infrastructure/version.ts';
import { within } from '../../infrastructure/within.ts';
import type { Context } from '../context.ts';
import { clusterNodes } from './cluster-nodes.table.ts';
import type { NodeVitals } from './node-vitals.ts';

type NodeRecord = z.input<typeof operatorWatchCalls.listNodes.answer>[number];
type Measured = z.input<typeof operatorWatchCalls.getMetrics.answer>['nodes'][number];

const host = hostname();
/** An end does not wait longer for PostgreSQL. */
const goodbyeMs = 1000;

interface Deps extends Pick<Context, 'database' | 'control' | 'nodeId' | 'log'> {
  vitals: NodeVitals;
}

/**
 * The nodes and their load. Each announces itself in the database, where one that ended without a word is still seen, and
 * whose Redis is away too; what it measured in the last minutes it keeps, and tells whoever asks by a control message.
 */
export class ClusterView {
  private readonly deps: Deps;
  private readonly begun = performance.now();
  /** Questions under way here, each with what other nodes have told. */
  private readonly asked = new Map<string, Measured[]>();
  private timer: NodeJS.Timeout | undefined;
  private announcing: Promise<void> | undefined;

  constructor(deps: Deps) {
    this.deps = deps;
    deps.control.handle({
      'vitals-ask': ({ id, from, after }) => this.tell(id, from, after),
      'vitals-told': ({ id, node, host: where, points }) =>
        void this.asked.get(id)?.push({ id: node, host: where, points }),
    });
  }

  /** Announces this node from now on. */
  start(): void {
    this.announce();
    this.timer = setInterval(() => this.announce(), jittered(vitalSeconds.announced * 1000)).unref();
  }

  async close(): Promise<void> {
    if (!this.timer) return;
    clearInterval(this.timer);
    const { database, nodeId, log } = this.deps;
    const removed = Promise.resolve(this.announcing).then(() => clusterNodes.remove(database.rows, nodeId));
    if (!(await within(removed, goodbyeMs)))
      log.debug('This node could not say that it ends; it is listed for an hour.');
  }

  /** The newest first. */
  async nodes(): Promise<NodeRecord[]> {
    const found = await clusterNodes.all(this.deps.database.rows);
    return found.map(({ startedAt, seenAt, ...node }) => ({
      ...node,
      startedAt: isoTime(startedAt),
      seenAt: isoTime(seenAt),
      isHere: node.id === this.deps.nodeId,
    }));
  }

  /** What all nodes that can be asked measured after a time (ms since 1970): without Redis this one. */
  async measured(after: number): Promise<Measured[]> {
    const { control, nodeId, vitals } = this.deps;
    const id = newId();
    const told: Measured[] = [];
    this.asked.set(id, told);
    try {
      await control.send({ kind: 'vitals-ask', id, from: nodeId, after });
    } finally {
      this.asked.delete(id);
    }
    const own = { id: nodeId, host, points: vitals.after(after) };
    return [own, ...told].sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  /** It is published before this message is confirmed, and so is there when the asking node goes on. */
  private tell(id: string, from: string, after: number): void {
    const { control, nodeId, vitals } = this.deps;
    if (from === nodeId) return;
    const points: Vitals[] = vitals.after(after);
    void control.send({ kind: 'vitals-told', id, node: nodeId, host, points });
  }

  private announce(): void {
    const { database, nodeId, vitals, log } = this.deps;
    const node = { id: nodeId, host, pid: process.pid, version, vitals: vitals.latest };
    const seconds = (performance.now() - this.begun) / 1000;
    this.announcing ??= clusterNodes
      .put(database.rows, node, seconds)
      .catch((error) => log.debug({ err: error }, 'This node could not announce itself; it tries again.'))
      .finally(() => {
        this.announcing = undefined;
      });
  }
}
