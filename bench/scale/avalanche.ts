import { costOf } from '../cost.ts';
import { Fleet } from '../fleet/fleet.ts';
import { monotonic } from '../fleet/orders.ts';
import { Sender } from '../fleet/sender.ts';
import { pause } from '../load.ts';
import type { Figures } from '../scenario.ts';
import { baseline, parley, type Subject } from '../subject.ts';
import { atOnce, on, type Part, portsOf } from './part.ts';

const rooms = 5;
const sendsPerSecond = 2;
const before = 5000;
/** The longest that is waited for everybody to be back. */
const patienceMs = 120_000;
const afterMs = 5000;

export const avalanche: Part = {
  name: 'avalanche',
  about:
    'All clients are cut at once and come back as stock clients do (after 0.5 to 1.5 s, then later), with what ' +
    `Socket.IO's recovery needs, while ${sendsPerSecond} messages a second go to the room that all are in.`,
  people: 20_000,
  async run(people, row) {
    const options = { channels: rooms, people, recovers: true };
    const theirs = await on(baseline('stock', options), measure);
    row(`stock Socket.IO with its recovery in memory, ${people} people`, theirs);
    const ours = await on(parley(options), measure);
    row(`Parley, ${people} people`, ours);
    row('Parley to stock', {
      'back (×)': ratio(ours, theirs, 'back after (s)'),
      'complete (×)': ratio(ours, theirs, 'complete after (s)'),
      'CPU of the node (×)': ratio(ours, theirs, 'CPU of the node (s)'),
    });
  },
};

const ratio = (ours: Figures, theirs: Figures, name: string) => (ours[name] ?? 0) / (theirs[name] ?? 0);

async function measure(subject: Subject): Promise<Figures> {
  const fleet = new Fleet();
  try {
    const { tokens, channels } = subject;
    await fleet.open({ ports: portsOf(subject), tokens, channels, atOnce });
    await fleet.watch();
    const sender = new Sender(subject, channels[0] ?? '');
    sender.start(sendsPerSecond);
    await pause(before);
    const cutAt = monotonic();
    const cost = await costOf(subject, async () => {
      await fleet.cut();
      await back(fleet);
      await pause(afterMs);
    });
    const sent = await sender.stop();
    await pause(afterMs);
    const report = await fleet.report(sent);
    return {
      'back after (s)': (report.lastBack - cutAt) / 1000,
      'complete after (s)': (report.lastComplete - cutAt) / 1000,
      recovered: report.recovered,
      lost: report.lost,
      doubled: report.doubled,
      sent: sent.length,
      'CPU of the node (s)': cost.nodes / 1_000_000,
      'CPU of PostgreSQL (s)': cost.postgres / 1_000_000,
    };
  } finally {
    await fleet.stop();
  }
}

/** Waits until all clients are in their rooms again. */
export async function back(fleet: Fleet): Promise<void> {
  const end = monotonic() + patienceMs;
  for (let isBack = false; !isBack && monotonic() < end; ) {
    await pause(250);
    const { ready, clients } = await fleet.tally();
    isBack = ready === clients;
  }
}
