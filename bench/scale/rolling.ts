import { Fleet } from '../fleet/fleet.ts';
import { monotonic } from '../fleet/orders.ts';
import { Sender } from '../fleet/sender.ts';
import { pause } from '../load.ts';
import type { Figures } from '../scenario.ts';
import { baseline, parley, type Subject } from '../subject.ts';
import { back } from './avalanche.ts';
import { atOnce, on, type Part, portsOf } from './part.ts';

const rooms = 5;
const sendsPerSecond = 2;
const calmMs = 5000;

export const rolling: Part = {
  name: 'rolling',
  about:
    'Two nodes with Redis are restarted one after the other; a client whose node is away goes to the other one, and ' +
    `${sendsPerSecond} messages a second go to the room that all are in.`,
  people: 10_000,
  async run(people, row, redisUrl) {
    const options = { channels: rooms, people, nodes: 2, redisUrl };
    row(`stock Socket.IO with the Redis adapter, ${people} people`, await on(baseline('stock', options), measure));
    row(`Parley, ${people} people`, await on(parley(options), measure));
  },
};

async function measure(subject: Subject): Promise<Figures> {
  const fleet = new Fleet();
  try {
    const { tokens, channels, servers } = subject;
    await fleet.open({ ports: portsOf(subject), tokens, channels, atOnce });
    await fleet.watch();
    const sender = new Sender(subject, channels[0] ?? '');
    sender.start(sendsPerSecond);
    await pause(calmMs);
    const times: number[] = [];
    for (const index of servers.keys()) {
      const started = monotonic();
      await subject.restart(index);
      await back(fleet);
      times.push((monotonic() - started) / 1000);
    }
    await pause(calmMs);
    const sent = await sender.stop();
    await pause(calmMs);
    const report = await fleet.report(sent);
    const [first = 0, second = 0] = times;
    return {
      'delivered (%)': (report.delivered * 100) / (sent.length * tokens.length),
      lost: report.lost,
      doubled: report.doubled,
      'longest gap (s)': report.longestGap / 1000,
      'fleet back after the first (s)': first,
      'after the second (s)': second,
      'moves recovered (%)': (report.recovered * 100) / report.returned,
      sent: sent.length,
    };
  } finally {
    await fleet.stop();
  }
}
