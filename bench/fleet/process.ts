import { pause } from '../load.ts';
import { Member, type Shared } from './member.ts';
import { type Arrival, monotonic, type Opening, type Order, type Report, type Tally } from './orders.ts';

/**
 * A process with many clients, so that they are not what is measured (see fleet.ts). It takes one order after the other,
 * and answers each.
 */
const members: Member[] = [];
const arrivals = new Map<number, Arrival>();
let refused = 0;
const shared: Shared = {
  opening: { ports: [], tokens: [], channels: [], atOnce: 1 },
  newest: 0,
  onMessage(number) {
    const now = monotonic();
    const known = arrivals.get(number);
    if (!known) arrivals.set(number, { number, first: now, last: now, clients: 1 });
    else Object.assign(known, { last: now, clients: known.clients + 1 });
  },
};

async function open(opening: Opening): Promise<Tally> {
  shared.opening = opening;
  const { tokens, atOnce } = opening;
  const added = tokens.map((token, i) => new Member(shared, members.length + i, token));
  members.push(...added);
  let next = 0;
  const worker = async () => {
    for (let member = added[next++]; member; member = added[next++]) await openPatiently(member);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return tally();
}

const tries = 20;
const againMs = 500;

async function openPatiently(member: Member): Promise<void> {
  for (let attempt = 0; attempt < tries && !member.isReady; attempt++) {
    await member.open().catch(() => {
      refused++;
      return pause(againMs);
    });
  }
}

function tally(): Tally {
  return {
    clients: members.length,
    ready: members.filter(({ isReady }) => isReady).length,
    events: sumOf(({ events }) => events),
    bytes: sumOf(({ bytes }) => bytes),
    refused,
  };
}

function report(sent: number[]): Report {
  const times = members.flatMap(({ received }) => (received ? sent.map((number) => received[number] ?? 0) : []));
  return {
    lost: times.filter((count) => count === 0).length,
    doubled: times.filter((count) => count > 1).length,
    delivered: times.filter((count) => count > 0).length,
    returned: sumOf(({ returned }) => returned),
    recovered: sumOf(({ recovered }) => recovered),
    lastBack: most(({ backAt }) => backAt),
    lastComplete: most(({ completeAt }) => completeAt),
    longestGap: most(({ longestGap }) => longestGap),
  };
}

const sumOf = (read: (member: Member) => number) => members.reduce((sum, member) => sum + read(member), 0);
const most = (read: (member: Member) => number) => members.reduce((most, member) => Math.max(most, read(member)), 0);

function watch(): null {
  for (const member of members) member.watch();
  return null;
}

function forgetAll(close: boolean): null {
  for (const member of members) close ? member.close() : member.cut();
  if (close) members.length = 0;
  return null;
}

function followed(order: Order): unknown {
  switch (order.kind) {
    case 'open':
      return open(order);
    case 'tally':
      return tally();
    case 'watch':
      return watch();
    case 'cut':
      return forgetAll(false);
    case 'report':
      return report(order.sent);
    case 'arrivals':
      return [...arrivals.values()];
    case 'close':
      return forgetAll(true);
  }
}

process.on('message', async (order: Order) => process.send?.({ answer: await followed(order) }));
process.on('disconnect', () => process.exit());
